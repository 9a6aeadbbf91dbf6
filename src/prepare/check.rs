//! What a run would do, found out without reading weights.

use std::path::Path;

use jiff::civil::DateTime;
use rayon::prelude::*;
use serde::Serialize;

use super::{MemoryCost, PrepareError, Progress, ReadyRun, cost::Cost};
use crate::{engine::EngineOptions, infer::Prepared, plan::RunPlan, warn::WarningCount};

/// The size of one data set under one model.
#[derive(Clone, Debug, Serialize)]
pub struct CheckRow {
    /// The data set.
    pub dataset: String,
    /// The model.
    pub model: String,
    /// Test samples.
    pub samples: usize,
    /// Texts that are scored or continued.
    pub prompts: usize,
    /// Their tokens, special tokens included; nothing where the tokenizer is behind a server.
    pub prompt_tokens: Option<usize>,
    /// Rows that go through the model for them: what they share is computed once. Tokens that are
    /// generated come on top, and what data sets share among themselves is saved besides.
    pub computed_tokens: Option<usize>,
    /// Tokens of the longest.
    pub longest_tokens: Option<usize>,
    /// Samples that lose in-context examples to fit.
    pub samples_with_dropped_examples: usize,
    /// Samples that are cut although they have no examples left.
    pub samples_cut: usize,
    /// Memory on the CPU; nothing of a model behind a server.
    pub memory: Option<MemoryCost>,
    /// What would be measured wrongly, counted over its samples.
    pub warnings: Vec<WarningCount>,
}

/// Does everything that a run does before it reads weights. What retrievers ask models is kept in the store of
/// `folder`, which is made if they do.
pub fn check(
    plan: &RunPlan,
    limit: Option<usize>,
    folder: &Path,
    now: DateTime,
    progress: &dyn Progress,
) -> Result<Vec<CheckRow>, PrepareError> {
    let ready = ReadyRun::prepare(plan, limit, Some(folder), now, progress)?;
    let mut rows = Vec::new();
    let options = EngineOptions::default();
    for model in &ready.models {
        let checkpoint = model.source.checkpoint();
        let cost = |unit| checkpoint.map(|checkpoint| Cost::new(checkpoint, unit, &options));
        let costs: Vec<Option<Cost>> = model.units.par_iter().map(cost).collect();
        for ((dataset, unit), cost) in plan.datasets.iter().zip(&model.units).zip(costs) {
            let count =
                |is: fn(&Prepared) -> bool| unit.samples.iter().filter(|sample| is(sample)).count();
            let prompts = || unit.samples.iter().flat_map(Prepared::all_prompts);
            rows.push(CheckRow {
                dataset: dataset.abbr.clone(),
                model: model.plan.abbr.clone(),
                samples: unit.samples.len(),
                prompts: prompts().count(),
                prompt_tokens: cost.map(|_| prompts().map(|prompt| prompt.ids.len()).sum()),
                computed_tokens: cost.map(|own| own.computed_tokens),
                longest_tokens: cost
                    .map(|_| prompts().map(|prompt| prompt.ids.len()).max().unwrap_or(0)),
                samples_with_dropped_examples: count(|sample| sample.dropped_examples > 0),
                samples_cut: count(|sample| sample.truncated_tokens() > 0),
                memory: cost.map(|own| own.memory),
                warnings: unit.warnings.clone(),
            });
        }
    }
    Ok(rows)
}
