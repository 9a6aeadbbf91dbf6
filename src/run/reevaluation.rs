//! Scoring a run again, from the store alone: no weights, no data files, no question.

use std::path::PathBuf;

use jiff::civil::DateTime;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::{
    RunError, RunFacts, RunOutcome, UnitFacts, WorkDone,
    evaluation::{self, UnitEvaluation},
    facts::AnswerSource,
    files, kept_sample, listing,
};
use crate::{
    config::Node,
    plan::{ConfigEntries, EvaluationPlan, PlanError},
    prepare::Progress,
    store::{Begun, RunKey, RunRow, RunState, Store, UnitRow},
};

/// What is scored again, and how.
#[derive(Clone, Debug)]
pub struct ReevaluationOptions {
    /// The working folder.
    pub work_dir: PathBuf,
    /// The run's name, its number, or `latest`.
    pub run: String,
    /// A config whose `eval_cfg` and `pred_postprocessor` count instead of those the run had, matched by
    /// `abbr`.
    pub config: Option<PathBuf>,
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
    listing::mended(&options.work_dir, progress, || attempt(options, progress))
}

fn attempt(options: &ReevaluationOptions, progress: &dyn Progress) -> Result<RunOutcome, RunError> {
    let mut store = listing::open(&options.work_dir, progress)?;
    let (run, facts) = listing::find_finished(&store, &options.run)?;
    let (run, facts) = match &facts.answers_of {
        Some(source) => listing::find_source(&store, source)?,
        None => (run, facts),
    };
    let entries = options.config.as_deref().map(ConfigEntries::load).transpose()?;
    let units = store.all_units(&run, facts.units).map_err(RunError::from);
    let units = listing::reopened_if_incomplete(&store, &run, units)?;
    let mut evaluated_units = Vec::with_capacity(units.len());
    let mut outcome = RunOutcome {
        name: String::new(),
        folder: options.work_dir.clone(),
        results: Vec::new(),
        families: Vec::new(),
        failed_samples: 0,
        work: WorkDone::default(),
        is_from_store: false,
        warnings: Vec::new(),
        errors: Vec::new(),
    };
    let mut matched = 0;
    for unit in &units {
        let mut unit_facts = UnitFacts::of(unit)?;
        if let Some(entries) = &entries {
            matched += usize::from(adopt(&mut unit_facts, entries));
        }
        let eval_cfg = Node::from_json(&unit_facts.eval_cfg);
        let (plan, _) = EvaluationPlan::from_node(Some(&eval_cfg))?;
        let name = format!("data set {}, model {}", unit_facts.dataset, unit_facts.model);
        let samples = kept_sample::read(&store, unit, &name);
        let samples = listing::reopened_if_incomplete(&store, &run, samples)?;
        let model_postprocessor = evaluation::model_postprocessor(&unit_facts)?;
        let evaluation = UnitEvaluation {
            facts: &unit_facts,
            plan: &plan,
            model_postprocessor: model_postprocessor.as_deref(),
        };
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
        outcome.results.extend(evaluated.rows);
        outcome.failed_samples += evaluated.failed_samples;
        outcome.warnings.extend(evaluated.warning);
        evaluated_units.push((unit_facts, unit, evaluated.scores));
    }
    if let Some(entries) = entries.as_ref().filter(|_| matched == 0) {
        return Err(nothing_matches(entries, &evaluated_units));
    }
    let summarizer = Node::from_json(&facts.summarizer);
    let datasets = evaluated_units.iter().map(|(unit, ..)| unit.dataset.as_str());
    outcome.families = files::families_of(Some(&summarizer), datasets, &outcome.results)?;
    let mut kept = begin(&mut store, options, &run, facts, &outcome)?;
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
    kept.state = if outcome.errors.is_empty() { RunState::Finished } else { RunState::Incomplete };
    store.update(&kept)?;
    outcome.name = format!("evaluation-{}", kept.id);
    Ok(outcome)
}

/// Takes over what a config says about the evaluation of a unit; whether it says something.
fn adopt(unit: &mut UnitFacts, entries: &ConfigEntries) -> bool {
    let part = |node: &Node, field: &str| node.get(field).map(Node::to_json).unwrap_or_default();
    let Some(dataset) = entries.dataset(&unit.dataset) else { return false };
    unit.eval_cfg = part(dataset, "eval_cfg");
    if let Some(model) = entries.model(&unit.model) {
        unit.pred_postprocessor = part(model, "pred_postprocessor");
    }
    true
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
    digest.update(format!("{config:?}"));
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
