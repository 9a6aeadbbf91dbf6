//! Tables of a run, read from the store.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
    io,
    path::{Path, PathBuf},
};

use super::{RunError, UnitFacts, run::KeptRun};
use crate::{
    prepare::Progress,
    report::{ExportFormat, ExportTable, ExportedSample},
    store::{KeptToken, Store, StoreError},
};

/// What is exported.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// The working folder.
    pub work_dir: PathBuf,
    /// The run's name, or `latest`.
    pub run: String,
    /// Which table.
    pub table: ExportTable,
    /// In which format.
    pub format: ExportFormat,
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
    let run = KeptRun::open(&options.work_dir, &options.run, progress)?;
    let mut metrics: Vec<String> = Vec::new();
    for score in run.units.iter().flat_map(|unit| &unit.scores) {
        if !metrics.contains(&score.metric) {
            metrics.push(score.metric.clone());
        }
    }
    let failed = |source| StoreError::Io {
        action: "write the table of",
        path: options.work_dir.join(&run.name),
        source,
    };
    let columns = options.table.columns(&metrics);
    let mut writer = options.format.writer(out, columns).map_err(failed)?;
    let mut tokens: HashMap<i64, BTreeMap<u32, KeptToken>> = HashMap::new();
    let mut lines = 0;
    for unit in &run.units {
        let UnitFacts { dataset, model, mode, .. } = &unit.facts;
        let samples = run.samples(unit)?;
        let number = unit.model;
        if !tokens.contains_key(&number) && options.table == ExportTable::Tokens {
            tokens.insert(number, run.store.tokens(number)?);
        }
        let texts = tokens.get(&number);
        let unknown_tokens = Cell::new(0);
        let evaluation = unit.evaluation(&samples);
        for (index, kept) in samples.iter().enumerate() {
            let score = |metric: &String| {
                let row = unit.scores.iter().find(|row| row.metric == *metric)?;
                row.scores.get(index).copied().filter(|score| !score.is_nan())
            };
            let compared = evaluation.compared(kept);
            let sample = ExportedSample {
                run: &run.name,
                model,
                dataset,
                mode,
                sample: &kept.sample,
                record: &kept.record,
                rule_name: unit.plan.rule_name,
                rule: evaluation.rule(),
                compared: compared.as_ref(),
                is_gold: &|label| evaluation.is_gold(kept, label),
                scores: metrics.iter().map(score).collect(),
                token_text: &|id| {
                    let text = texts.and_then(|texts| texts.get(&id)).map(|own| own.text.clone());
                    unknown_tokens.set(unknown_tokens.get() + usize::from(text.is_none()));
                    text
                },
            };
            let sample_lines = options.table.lines(&sample);
            if unknown_tokens.get() > 0 {
                let error = StoreError::Incomplete {
                    unit: unit.name(),
                    missing: unknown_tokens.get(),
                    samples: sample_lines.len(),
                    what: "token texts",
                };
                return run.reopened_if_incomplete(Err(error.into()));
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

/// The ending of a file says its format, if it is one of ours.
pub fn format_of(path: &Path) -> Option<ExportFormat> {
    path.extension()?.to_str()?.parse().ok()
}
