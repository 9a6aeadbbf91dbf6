//! Scoring a run again, from the store alone: no weights, no data files, no question.

use std::path::PathBuf;

use jiff::civil::DateTime;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::{
    RunError, RunFacts, RunOutcome, UnitFacts, WorkDone,
    evaluation::{self, UnitEvaluation},
    facts::AnswerSource,
    families, find, kept_sample,
};
use crate::{
    config::{Component, Node},
    plan::{ConfigEntries, EvaluationPlan, PlanError, Variant},
    postprocess,
    prepare::Progress,
    store::{Begun, RunKey, RunRow, RunState, Store, UnitRow},
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
    /// The time.
    pub now: DateTime,
    /// What was typed, to be kept.
    pub command_line: Vec<String>,
}

/// Scores the samples of a run again and keeps the result as a run of its own.
pub fn reevaluate(
    options: &ReevaluationOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, RunError> {
    find::mended(&options.work_dir, progress, || attempt(options, progress))
}

fn attempt(options: &ReevaluationOptions, progress: &dyn Progress) -> Result<RunOutcome, RunError> {
    let mut store = find::open(&options.work_dir, progress)?;
    let (run, facts) = find::find_finished(&store, &options.run)?;
    let (run, facts) = match &facts.answers_of {
        Some(source) => find::find_source(&store, source)?,
        None => (run, facts),
    };
    let entries = options.config.as_deref().map(ConfigEntries::load).transpose()?;
    let units = store.all_units(&run, facts.units).map_err(RunError::from);
    let units = find::reopened_if_incomplete(&store, &run, units)?;
    let mut evaluated_units = Vec::with_capacity(units.len());
    let mut outcome = RunOutcome {
        name: String::new(),
        folder: options.work_dir.clone(),
        page: None,
        results: Vec::new(),
        families: Vec::new(),
        posix: Vec::new(),
        failed_samples: 0,
        work: WorkDone::default(),
        is_from_store: false,
        warnings: Vec::new(),
        errors: Vec::new(),
    };
    let mut matched = 0;
    for unit in &units {
        let mut unit_facts = UnitFacts::of(unit)?;
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
        let name = format!("data set {}, model {}", unit_facts.dataset, unit_facts.model);
        let samples = kept_sample::read(&store, unit, &name);
        let samples = find::reopened_if_incomplete(&store, &run, samples)?;
        let model_postprocessor = evaluation::model_postprocessor(&unit_facts)?;
        let evaluation =
            UnitEvaluation::new(&unit_facts, &plan, model_postprocessor.as_deref(), &samples);
        outcome.warnings.extend(evaluation.unreachable_golds(&samples));
        let evaluated = match evaluation.evaluate(&samples) {
            // The other data sets have their figures all the same.
            Err(error @ RunError::Evaluate { .. }) => {
                outcome.errors.push(error.to_string());
                evaluated_units.push((unit_facts, unit, Vec::new()));
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
        evaluated_units.push((unit_facts, unit, evaluated.scores));
    }
    if let Some(entries) = entries.as_ref().filter(|_| matched == 0) {
        return Err(nothing_matches(entries, &evaluated_units));
    }
    let summarizer = Node::from_json(&facts.summarizer);
    let datasets = evaluated_units.iter().map(|(unit, ..)| unit.dataset.as_str());
    outcome.families = families::families(Some(&summarizer), datasets, &outcome.results)?;
    let mut kept = begin(&mut store, options, &run, facts, &outcome)?;
    let kept_count = evaluated_units.len();
    for (place, (unit_facts, unit, scores)) in evaluated_units.into_iter().enumerate() {
        let row = UnitRow {
            id: 0,
            run: kept.id,
            place,
            model: unit.model,
            samples: 0,
            facts: serde_json::to_string(&unit_facts).unwrap_or_default(),
        };
        let id = store.write_unit(&row, &mut std::iter::empty())?;
        store.write_scores(id, &scores)?;
    }
    let kept_units = store.all_units(&kept, kept_count);
    kept_units.map_err(|error| error.into_damage(&options.work_dir))?;
    kept.state = if outcome.errors.is_empty() { RunState::Finished } else { RunState::Incomplete };
    store.update(&kept)?;
    outcome.name = format!("evaluation-{}", kept.id);
    Ok(outcome)
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

fn nothing_matches<T>(entries: &ConfigEntries, units: &[(UnitFacts, &UnitRow, T)]) -> RunError {
    let mut names: Vec<&str> = units.iter().map(|(facts, ..)| facts.dataset.as_str()).collect();
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
        summarizer: Json::Null,
        ..facts
    };
    let facts = serde_json::to_string(&own).unwrap_or_default();
    match store.begin(key, key, &facts, true)? {
        Begun::Own { run, .. } | Begun::Finished(run) | Begun::Elsewhere { run, .. } => Ok(run),
    }
}
