//! Tables of a run, read from the store.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
    io,
    path::{Path, PathBuf},
};

use super::{
    RunError, RunFacts, UnitFacts,
    evaluation::{self, UnitEvaluation},
    kept_sample, listing,
};
use crate::{
    config::Node,
    plan::EvaluationPlan,
    prepare::Progress,
    report::{ExportFormat, ExportTable, ExportedSample, ResultRow},
    store::{RunRow, ScoreRow, Store, StoreError, UnitRow},
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
    match attempt(options, out, progress) {
        // Lines may have been written already.
        Err(RunError::Store(error @ StoreError::Damaged { .. })) => {
            progress.note(&Store::mend(&options.work_dir, &error)?);
            Err(StoreError::Mended { folder: options.work_dir.clone() }.into())
        }
        other => other,
    }
}

fn attempt<'w>(
    options: &ExportOptions,
    out: Box<dyn io::Write + Send + 'w>,
    progress: &dyn Progress,
) -> Result<usize, RunError> {
    let store = listing::open(&options.work_dir, progress)?;
    let (run, facts) = listing::find_finished(&store, &options.run)?;
    let source = match &facts.answers_of {
        Some(source) => listing::find_source(&store, source)?,
        None => (run.clone(), facts.clone()),
    };
    let name = listing::name(&run, &facts);
    let units = units(&store, (&run, &facts), (&source.0, &source.1));
    let units = listing::reopened_if_incomplete(&store, &source.0, units)?;
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
        let samples = kept_sample::read(&store, &unit.samples, &unit_name);
        let samples = listing::reopened_if_incomplete(&store, &source.0, samples)?;
        let number = unit.samples.model;
        if !tokens.contains_key(&number) && options.table == ExportTable::Tokens {
            tokens.insert(number, store.tokens(number)?);
        }
        let texts = tokens.get(&number);
        let unknown_tokens = Cell::new(0);
        let model_postprocessor = evaluation::model_postprocessor(&unit.facts)?;
        let evaluation = UnitEvaluation {
            facts: &unit.facts,
            plan: &unit.plan,
            model_postprocessor: model_postprocessor.as_deref(),
        };
        for (index, kept) in samples.iter().enumerate() {
            let score = |metric: &String| {
                let row = unit.scores.iter().find(|row| row.metric == *metric)?;
                row.scores.get(index).copied().filter(|score| !score.is_nan())
            };
            let compared = evaluation.compared(kept);
            let sample = ExportedSample {
                run: &name,
                model,
                dataset,
                mode,
                sample: &kept.sample,
                record: &kept.record,
                rule_name: unit.plan.rule_name,
                rule,
                compared: compared.as_ref(),
                is_gold: &|label| evaluation.is_gold(kept, label),
                scores: metrics.iter().map(score).collect(),
                token_text: &|id| {
                    let text = texts.and_then(|texts| texts.get(&id)).cloned();
                    unknown_tokens.set(unknown_tokens.get() + usize::from(text.is_none()));
                    text
                },
            };
            let sample_lines = options.table.lines(&sample);
            if unknown_tokens.get() > 0 {
                let error = StoreError::Incomplete {
                    unit: unit_name,
                    missing: unknown_tokens.get(),
                    samples: sample_lines.len(),
                    what: "token texts",
                };
                return listing::reopened_if_incomplete(&store, &source.0, Err(error.into()));
            }
            for line in sample_lines {
                writer.line(line).map_err(failed)?;
                lines += 1;
            }
        }
    }
    writer.finish().map_err(failed)?;
    Ok(lines)
}

/// The units of a run; those of an evaluation have their samples in another run, their source.
fn units(
    store: &Store,
    (run, facts): (&RunRow, &RunFacts),
    (source, source_facts): (&RunRow, &RunFacts),
) -> Result<Vec<ExportedUnit>, RunError> {
    let sources = store.all_units(source, source_facts.units)?;
    let rows = store.all_units(run, facts.units)?;
    let mut units = Vec::with_capacity(rows.len());
    for (row, samples) in rows.into_iter().zip(sources) {
        let own = UnitFacts::of(&row)?;
        let (plan, _) = EvaluationPlan::from_node(Some(&Node::from_json(&own.eval_cfg)))?;
        let scores = store.scores(row.id)?;
        let is_own =
            |result: &&ResultRow| (&result.dataset, &result.model) == (&own.dataset, &own.model);
        let expected = facts.results.iter().filter(is_own);
        for result in expected {
            if !scores.iter().any(|score| score.metric == result.metric) {
                let unit = format!("data set {}, model {}", own.dataset, own.model);
                return Err(StoreError::Incomplete {
                    unit,
                    missing: 1,
                    samples: 1,
                    what: "metrics",
                }
                .into());
            }
        }
        units.push(ExportedUnit { facts: own, plan, samples, scores });
    }
    Ok(units)
}

/// The ending of a file says its format, if it is one of ours.
pub fn format_of(path: &Path) -> Option<ExportFormat> {
    path.extension()?.to_str()?.parse().ok()
}
