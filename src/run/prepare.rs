//! Everything of a run that needs no weights: rows, examples, prompts, ids.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::{DatasetPlan, ModelPlan, RunError};
use crate::{
    dataset::Dataset,
    infer::{self, InferError, Inferencer, Prepared, Render, Task, Tokenize},
    model::hub::DownloadProgress,
    retrieve::Corpus,
};

/// A data set's rows and the examples chosen for each; the same for every model.
#[derive(Debug)]
pub(super) struct LoadedDataset {
    /// The splits.
    pub(super) rows: Dataset,
    /// Per test sample, indices into the train split, best first.
    pub(super) examples: Vec<Vec<usize>>,
}

/// One data set under one model, ready for the engine.
#[derive(Debug)]
pub(super) struct Unit {
    /// What is asked.
    pub(super) inferencer: Box<dyn Inferencer>,
    /// One entry per test sample, in order.
    pub(super) samples: Vec<Prepared>,
    /// What people should know about it.
    pub(super) notes: Vec<String>,
}

impl Unit {
    /// Samples with a prompt that had to be cut.
    pub(super) fn cut_samples(&self) -> usize {
        self.samples.iter().filter(|sample| sample.truncated_tokens() > 0).count()
    }
}

impl LoadedDataset {
    /// Reads the rows and retrieves examples; `limit` keeps the first test samples only.
    pub(super) fn load(
        plan: &DatasetPlan,
        limit: Option<usize>,
        progress: &dyn DownloadProgress,
    ) -> Result<Self, RunError> {
        let failed =
            |source| RunError::Dataset { dataset: plan.abbr.clone(), source: Box::new(source) };
        let splits = plan.reader.splits();
        let read = plan.location.read(&plan.table, &splits, progress).map_err(failed)?;
        let mut rows = plan.reader.load(read.labelled(&plan.abbr)).map_err(failed)?;
        if let Some(limit) = limit {
            rows.test.truncate(limit);
        }
        if rows.test.is_empty() {
            return Err(RunError::Infer {
                dataset: plan.abbr.clone(),
                model: "any".to_owned(),
                source: Box::new(InferError::Mismatch(
                    "there is no test sample; check test_range and --limit".to_owned(),
                )),
            });
        }
        let examples = plan
            .retriever
            .retrieve(&Corpus { dataset: &rows, reader: &plan.reader })
            .map_err(|source| RunError::Retrieve {
                dataset: plan.abbr.clone(),
                source: Box::new(source),
            })?;
        Ok(Self { rows, examples })
    }
}

/// A data set as an inferencer sees it under a model.
pub(super) fn task<'a>(
    dataset: &'a DatasetPlan,
    loaded: &'a LoadedDataset,
    model: &'a ModelPlan,
    markup: &'a dyn Render,
    tokenizer: &'a dyn Tokenize,
    max_seq_len_tokens: usize,
) -> Task<'a> {
    Task {
        train: &loaded.rows.train,
        test: &loaded.rows.test,
        input_columns: dataset.reader.input_columns(),
        output_column: dataset.reader.output_column(),
        assembly: &dataset.assembly,
        examples: &loaded.examples,
        markup,
        tokenizer,
        max_seq_len_tokens,
        stop_words: &model.stop_words,
        found_labels: OnceLock::new(),
    }
}

/// Builds, fits and tokenises the prompts of all samples.
pub(super) fn prepare(
    dataset: &DatasetPlan,
    loaded: &LoadedDataset,
    model: &ModelPlan,
    markup: &dyn Render,
    tokenizer: &dyn Tokenize,
    max_seq_len_tokens: usize,
) -> Result<Unit, RunError> {
    let failed = |source: InferError| RunError::Infer {
        dataset: dataset.abbr.clone(),
        model: model.abbr.clone(),
        source: Box::new(source),
    };
    let inferencer = infer::build(&dataset.inferencer, model.defaults)?;
    let task = task(dataset, loaded, model, markup, tokenizer, max_seq_len_tokens);
    let mut notes = inferencer.check(&task).map_err(failed)?;
    let samples: Vec<Prepared> = (0..task.test.len())
        .into_par_iter()
        .map(|sample| inferencer.prepare(&task, sample))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    let dropped = samples.iter().filter(|sample| sample.dropped_examples > 0).count();
    if dropped > 0 {
        notes.push(format!(
            "{dropped} of {} samples lost in-context examples to fit {max_seq_len_tokens} tokens",
            samples.len()
        ));
    }
    let mut unit = Unit { inferencer, samples, notes };
    let cut = unit.cut_samples();
    if cut > 0 {
        unit.notes.push(format!(
            "{cut} of {} samples were cut to fit {max_seq_len_tokens} tokens",
            unit.samples.len()
        ));
    }
    Ok(unit)
}
