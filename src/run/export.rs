//! Tables of a run, read from the store.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    path::{Path, PathBuf},
};

use super::{RunError, UnitFacts, kept_sample, listing};
use crate::{
    config::Node,
    plan::EvaluationPlan,
    prepare::Progress,
    report::{ExportFormat, ExportTable, ExportedSample},
    store::{RunRow, RunState, ScoreRow, Store, StoreError, UnitRow},
};

/// What is exported.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// The working folder.
    pub work_dir: PathBuf,
    /// The run's name, its number, or `latest`.
    pub run: String,
    /// Which table.
    pub table: ExportTable,
    /// In which format.
    pub format: ExportFormat,
}

/// A unit with what is needed to read it.
struct ExportedUnit {
    facts: UnitFacts,
    plan: EvaluationPlan,
    /// The unit that has the samples.
    samples: UnitRow,
    scores: Vec<ScoreRow>,
}

/// Writes a table of a run to `out`; gives how many lines.
pub fn export(
    options: &ExportOptions,
    out: Box<dyn io::Write + Send + '_>,
    progress: &dyn Progress,
) -> Result<usize, RunError> {
    let store = listing::open(&options.work_dir, progress)?;
    let (mut run, facts) = listing::find(&store, &options.run)?;
    let name = listing::name(&run, &facts);
    let units = units(&store, &run, facts.answers_of)?;
    let mut metrics: Vec<String> = Vec::new();
    for score in units.iter().flat_map(|unit| &unit.scores) {
        if !metrics.contains(&score.metric) {
            metrics.push(score.metric.clone());
        }
    }
    let failed = |source| StoreError::Io {
        action: "write the table of",
        path: options.work_dir.join(&name),
        source,
    };
    let columns = options.table.columns(&metrics);
    let mut writer = options.format.writer(out, columns).map_err(failed)?;
    let mut tokens: HashMap<i64, BTreeMap<u32, String>> = HashMap::new();
    let mut lines = 0;
    for unit in &units {
        let UnitFacts { dataset, model, mode, .. } = &unit.facts;
        let unit_name = format!("data set {dataset}, model {model}");
        let rule = &*unit.plan.rule;
        let samples = match kept_sample::read(&store, &unit.samples, &unit_name, rule) {
            Err(error @ RunError::Store(StoreError::Incomplete { .. })) => {
                // So that the run's command asks for what is missing instead of showing its table.
                run.state = RunState::Unfinished;
                store.update(&run)?;
                return Err(error);
            }
            other => other?,
        };
        let number = unit.samples.model;
        if !tokens.contains_key(&number) && options.table == ExportTable::Tokens {
            tokens.insert(number, store.tokens(number)?);
        }
        let texts = tokens.get(&number);
        for (index, kept) in samples.iter().enumerate() {
            let score = |metric: &String| {
                let row = unit.scores.iter().find(|row| row.metric == *metric)?;
                row.scores.get(index).copied().filter(|score| !score.is_nan())
            };
            let sample = ExportedSample {
                run: &name,
                model,
                dataset,
                mode,
                sample: &kept.sample,
                record: &kept.record,
                rule,
                scores: metrics.iter().map(score).collect(),
                token_text: &|id| texts.and_then(|texts| texts.get(&id)).cloned(),
            };
            for line in options.table.lines(&sample) {
                writer.line(line).map_err(failed)?;
                lines += 1;
            }
        }
    }
    writer.finish().map_err(failed)?;
    Ok(lines)
}

/// The units of a run; those of an evaluation have their samples elsewhere.
fn units(
    store: &Store,
    run: &RunRow,
    answers_of: Option<i64>,
) -> Result<Vec<ExportedUnit>, RunError> {
    let sources = match answers_of {
        Some(source) => store.units(&listing::find(store, &source.to_string())?.0)?,
        None => Vec::new(),
    };
    let mut units = Vec::new();
    for row in store.units(run)? {
        let Ok(facts) = serde_json::from_str::<UnitFacts>(&row.facts) else { continue };
        let (plan, _) = EvaluationPlan::from_node(Some(&Node::from_json(&facts.eval_cfg)))?;
        let scores = store.scores(row.id)?;
        let samples = match facts.samples_of {
            Some(of) => sources.iter().find(|unit| unit.id == of).cloned().unwrap_or(row),
            None => row,
        };
        units.push(ExportedUnit { facts, plan, samples, scores });
    }
    Ok(units)
}

/// The ending of a file says its format, if it is one of ours.
pub fn format_of(path: &Path) -> Option<ExportFormat> {
    path.extension()?.to_str()?.parse().ok()
}
