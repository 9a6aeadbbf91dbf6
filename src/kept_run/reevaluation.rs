//! Scoring a run again, from the store alone: no weights, no data files, no question.

use std::{collections::BTreeMap, path::PathBuf};

use jiff::civil::DateTime;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::{
    RunError, RunFacts, RunOutcome, UnitFacts, WorkDone,
    evaluation::{self, UnitEvaluation},
    facts::AnswerSource,
    families, find,
    judgements::{Judgements, ToJudge},
    kept_sample::{self, KeptSample},
    means::Means,
};
use crate::{
    config::{Component, Node},
    plan::{ConfigEntries, EvaluationPlan, PlanError, Variant},
    postprocess::{self, Postprocessor},
    prepare::{CheckpointModels, Progress},
    sandbox::Sandbox,
    store::{Begun, Renewal, RunKey, RunRow, RunState, ScoreRow, Store, UnitRow},
};

/// What is scored again, and how.
#[derive(Clone, Debug)]
pub struct ReevaluationOptions {
    /// The working folder.
    pub work_dir: PathBuf,
    /// The run's name, or `latest`.
    pub run: String,
    /// A config whose `eval_cfg` and `pred_postprocessor` count instead of those the run had, matched by
    /// `abbr`.
    pub config: Option<PathBuf>,
    /// A scoring rule that chooses among candidates instead of the one that `eval_cfg` names.
    pub rule: Option<String>,
    /// The model that judges, as it is typed. It is asked by whoever runs models.
    pub judge: Option<PathBuf>,
    /// Whether what a model wrote may be run.
    pub allows_code: bool,
    /// The time.
    pub now: DateTime,
    /// What was typed, to be kept.
    pub command_line: Vec<String>,
}

/// Scores the samples of a run again and keeps the result as a run of its own, unless what is missing for a figure leaves nothing
/// new: then the outcome has no name.
pub fn reevaluate(
    options: &ReevaluationOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, RunError> {
    find::mended(&options.work_dir, progress, || {
        Reevaluation::open(options, progress)?.finish(BTreeMap::new(), progress)
    })
}

/// A run that is scored again.
pub(crate) struct Reevaluation<'o> {
    options: &'o ReevaluationOptions,
    pub(crate) store: Store,
    /// The run that asked.
    pub(crate) run: RunRow,
    facts: RunFacts,
    units: Vec<ReevaluatedUnit>,
    /// What judges said, as the run that was named keeps it, by the place of what they judged.
    judgements: BTreeMap<usize, Judgements>,
}

/// A data set under a model, with how it is scored now.
struct ReevaluatedUnit {
    row: UnitRow,
    facts: UnitFacts,
    plan: EvaluationPlan,
    model_postprocessor: Option<Box<dyn Postprocessor>>,
}

impl<'o> Reevaluation<'o> {
    /// Finds the run and understands how it is to be scored.
    pub(crate) fn open(
        options: &'o ReevaluationOptions,
        progress: &dyn Progress,
    ) -> Result<Self, RunError> {
        let store = find::open(&options.work_dir, progress)?;
        let (named, named_facts) = find::find_finished(&store, &options.run)?;
        let judgements = Judgements::read_all(&store, &named, named_facts.units)?;
        let (run, facts) = match &named_facts.answers_of {
            Some(source) => find::find_source(&store, source)?,
            None => (named, named_facts),
        };
        let entries = options.config.as_deref().map(ConfigEntries::load).transpose()?;
        let rows = store.all_units(&run, facts.units).map_err(RunError::from);
        let rows = find::reopened_if_incomplete(&store, &run, rows)?;
        let mut units = Vec::with_capacity(rows.len());
        let mut matched = 0;
        for row in rows {
            let mut unit_facts = UnitFacts::of(&row)?;
            let adopted = match &entries {
                Some(entries) => adopt(&mut unit_facts, entries)?,
                None => None,
            };
            matched += usize::from(adopted.is_some());
            let mut eval_cfg = adopted.unwrap_or_else(|| Node::from_json(&unit_facts.eval_cfg));
            if let Some(rule) = &options.rule {
                eval_cfg.set("rule", Node::from_json(&Json::String(rule.clone())));
                unit_facts.eval_cfg = eval_cfg.to_json();
            }
            let (plan, _) = EvaluationPlan::from_node(Some(&eval_cfg))?;
            let model_postprocessor = evaluation::model_postprocessor(&unit_facts)?;
            units.push(ReevaluatedUnit { row, facts: unit_facts, plan, model_postprocessor });
        }
        if let Some(entries) = entries.as_ref().filter(|_| matched == 0) {
            return Err(nothing_matches(entries, &units));
        }
        Ok(Self { options, store, run, facts, units, judgements })
    }

    fn samples(&self, unit: &ReevaluatedUnit) -> Result<Vec<KeptSample>, RunError> {
        let name = format!("data set {}, model {}", unit.facts.dataset, unit.facts.model);
        let samples = kept_sample::read(&self.store, &unit.row, &name);
        find::reopened_if_incomplete(&self.store, &self.run, samples)
    }

    /// What a judge is to be asked in a round, from 0, with what it said in those before.
    pub(crate) fn to_judge(
        &self,
        round: usize,
        judged: &BTreeMap<usize, Judgements>,
    ) -> Result<Vec<ToJudge>, RunError> {
        let mut waiting = Vec::new();
        for (place, unit) in self.units.iter().enumerate() {
            if unit.plan.judge_rounds() <= round {
                continue;
            }
            let samples = self.samples(unit)?;
            let before = judged.get(&place).map(|own| (own, &self.store));
            waiting.extend(unit.evaluation(&samples).to_judge(place, &samples, before)?);
        }
        Ok(waiting)
    }

    /// Scores everything, with what a judge has just said, and keeps it.
    pub(crate) fn finish(
        mut self,
        judged: BTreeMap<usize, Judgements>,
        progress: &dyn Progress,
    ) -> Result<RunOutcome, RunError> {
        let work_dir = &self.options.work_dir;
        self.judgements.extend(judged);
        let mut outcome = RunOutcome {
            name: String::new(),
            folder: work_dir.clone(),
            page: None,
            results: Vec::new(),
            families: Vec::new(),
            posix: Vec::new(),
            failed_samples: 0,
            work: WorkDone::default(),
            is_from_store: false,
            warnings: Vec::new(),
            unscored: Vec::new(),
            errors: Vec::new(),
        };
        let runs_code = self.units.iter().any(|unit| unit.plan.runs_code());
        let sandbox = (self.options.allows_code && runs_code).then(Sandbox::find).transpose()?;
        let encoders = CheckpointModels::new(Some(work_dir), progress);
        let mut scores: Vec<Vec<ScoreRow>> = Vec::with_capacity(self.units.len());
        for (place, unit) in self.units.iter().enumerate() {
            let samples = self.samples(unit)?;
            let evaluation = unit.evaluation(&samples);
            outcome.warnings.extend(evaluation.unreachable_golds(&samples));
            let judgements = self.judgements.get(&place).map(|own| (own, &self.store));
            let means = Means { judgements, sandbox: sandbox.as_ref(), encoders: Some(&encoders) };
            let evaluated = match evaluation.evaluate_with(&samples, means) {
                // The other data sets have their figures all the same.
                Err(error @ RunError::Evaluate { .. }) => {
                    outcome.errors.push(error.to_string());
                    scores.push(Vec::new());
                    continue;
                }
                other => other?,
            };
            for note in &evaluated.notes {
                progress.note(note);
            }
            outcome.results.extend(evaluated.rows);
            outcome.failed_samples += evaluated.failed_samples;
            outcome.warnings.extend(evaluated.warnings);
            outcome.unscored.extend(evaluated.unscored);
            scores.push(evaluated.scores);
        }
        encoders.tell();
        let summarizer = Node::from_json(&self.facts.summarizer);
        let facts = self.units.iter().map(|unit| &unit.facts);
        let datasets = facts.map(|own| (own.dataset.as_str(), !own.links.is_empty()));
        outcome.families = families::families(Some(&summarizer), datasets, &outcome.results)?;
        // Figures that nothing new was scored for are those of the run.
        let is_waiting = !outcome.unscored.is_empty() && outcome.errors.is_empty();
        if is_waiting && outcome.results == self.facts.results {
            return Ok(outcome);
        }
        let mut kept = begin(&mut self.store, self.options, &self.run, self.facts, &outcome)?;
        let kept_count = self.units.len();
        for (place, (unit, scores)) in self.units.iter().zip(&scores).enumerate() {
            let row = UnitRow {
                id: 0,
                run: kept.id,
                place,
                model: unit.row.model,
                samples: 0,
                facts: serde_json::to_string(&unit.facts).unwrap_or_default(),
            };
            let id = self.store.write_unit(&row, &mut std::iter::empty())?;
            self.store.write_scores(id, scores)?;
        }
        for judgements in self.judgements.values() {
            judgements.write(&self.store, &kept, kept_count)?;
        }
        let kept_units = self.store.all_units(&kept, kept_count);
        kept_units.map_err(|error| error.into_damage(work_dir))?;
        kept.state =
            if outcome.errors.is_empty() { RunState::Finished } else { RunState::Incomplete };
        self.store.update(&kept)?;
        outcome.name = format!("evaluation-{}", kept.id);
        Ok(outcome)
    }
}

impl ReevaluatedUnit {
    fn evaluation(&self, samples: &[KeptSample]) -> UnitEvaluation<'_> {
        UnitEvaluation::new(&self.facts, &self.plan, self.model_postprocessor.as_deref(), samples)
    }
}

/// Takes over what a config says about the evaluation of a unit; gives its `eval_cfg`, which knows its place
/// in the file, if the config has that data set.
fn adopt(unit: &mut UnitFacts, entries: &ConfigEntries) -> Result<Option<Node>, PlanError> {
    // What an entry says of its evaluation holds for its variants too.
    let base = Variant::of_abbr(&unit.dataset).dataset;
    let found = entries.dataset(&unit.dataset).or_else(|| entries.dataset(&base));
    let Some(dataset) = found else { return Ok(None) };
    let eval_cfg = dataset.get("eval_cfg").cloned().unwrap_or_else(|| Node::from_json(&Json::Null));
    unit.eval_cfg = eval_cfg.to_json();
    if let Some(model) = entries.model(&unit.model) {
        let rule = model.get("pred_postprocessor").filter(|rule| !rule.is_none());
        // Built here once so that a mistake is told with its place.
        rule.map(|rule| postprocess::build(&Component::parse(rule)?)).transpose()?;
        unit.pred_postprocessor = rule.map(Node::to_json).unwrap_or_default();
    }
    Ok(Some(eval_cfg))
}

fn nothing_matches(entries: &ConfigEntries, units: &[ReevaluatedUnit]) -> RunError {
    let mut names: Vec<&str> = units.iter().map(|unit| unit.facts.dataset.as_str()).collect();
    names.dedup();
    PlanError::NoSuch {
        what: "data set of the run",
        pattern: entries.dataset_names().collect::<Vec<_>>().join(", "),
        names: names.join(", "),
    }
    .into()
}

/// A run of its own for the new scores, in place of an earlier one that scored in the same way.
fn begin(
    store: &mut Store,
    options: &ReevaluationOptions,
    run: &RunRow,
    facts: RunFacts,
    outcome: &RunOutcome,
) -> Result<RunRow, RunError> {
    let config = options.config.as_ref().map(|path| path.display().to_string());
    let mut digest = Sha256::new();
    digest.update(b"evaluation");
    digest.update(run.id.to_le_bytes());
    digest.update(format!("{config:?} {:?}", options.rule));
    if let Some(judge) = &options.judge {
        digest.update(judge.as_os_str().as_encoded_bytes());
    }
    let key = RunKey(digest.finalize().into());
    let own = RunFacts {
        folder: None,
        command_line: options.command_line.clone(),
        started: options.now.to_string(),
        finished: Some(options.now.to_string()),
        answers_of: Some(AnswerSource::of(run, &facts)),
        work: WorkDone::default(),
        results: outcome.results.clone(),
        families: outcome.families.clone(),
        failed_samples: outcome.failed_samples,
        warnings: outcome.warnings.clone(),
        unscored: outcome.unscored.clone(),
        summarizer: Json::Null,
        ..facts
    };
    let facts = serde_json::to_string(&own).unwrap_or_default();
    match store.begin(key, key, &facts, Renewal::Everything)? {
        Begun::Own { run, .. } | Begun::Finished(run) | Begun::Elsewhere { run, .. } => Ok(run),
    }
}
