//! A run that only lacks its weights.

use super::{
    ModelPlan, Progress, RunError, RunPlan,
    prepare::{LoadedDataset, Unit, prepare},
    tokenizer::ModelTokenizer,
};
use crate::model::{Checkpoint, ModelError};

/// All rows, examples, checkpoints and prompts of a plan, checked. What can be wrong with a run is
/// found while this is made.
pub(super) struct ReadyRun<'a> {
    /// One per data set of the plan, in order.
    pub(super) datasets: Vec<LoadedDataset>,
    /// One per model of the plan, in order.
    pub(super) models: Vec<ReadyModel<'a>>,
}

/// A model whose prompts are ready and whose weights are still on disk.
pub(super) struct ReadyModel<'a> {
    pub(super) plan: &'a ModelPlan,
    pub(super) checkpoint: Checkpoint,
    /// One per data set, in order.
    pub(super) units: Vec<Unit>,
}

impl<'a> ReadyRun<'a> {
    /// Prepares everything; `limit` keeps the first test samples of each data set.
    pub(super) fn prepare(
        plan: &'a RunPlan,
        limit: Option<usize>,
        progress: &dyn Progress,
    ) -> Result<Self, RunError> {
        for dataset in &plan.datasets {
            for note in &dataset.notes {
                progress.note(&format!("data set {}: {note}", dataset.abbr));
            }
        }
        let datasets: Vec<LoadedDataset> = plan
            .datasets
            .iter()
            .map(|dataset| LoadedDataset::load(dataset, limit))
            .collect::<Result<_, _>>()?;
        let models: Vec<ReadyModel<'a>> = plan
            .models
            .iter()
            .map(|model| ready(plan, &datasets, model, progress))
            .collect::<Result<_, _>>()?;
        Ok(Self { datasets, models })
    }
}

/// Checks a model's checkpoint and builds its prompts.
fn ready<'a>(
    plan: &RunPlan,
    loaded: &[LoadedDataset],
    model: &'a ModelPlan,
    progress: &dyn Progress,
) -> Result<ReadyModel<'a>, RunError> {
    for note in &model.notes {
        progress.note(&format!("model {}: {note}", model.abbr));
    }
    let checkpoint = Checkpoint::open(&model.path.to_string_lossy())
        .map_err(|source| model_failed(model, source))?;
    let context_tokens = checkpoint.spec().context_tokens;
    let max_seq_len_tokens = model.max_seq_len_tokens.unwrap_or(context_tokens).min(context_tokens);
    if model.max_seq_len_tokens.is_some_and(|wanted| wanted > context_tokens) {
        progress.note(&format!(
            "model {}: max_seq_len is cut to the checkpoint's context of {context_tokens} tokens",
            model.abbr
        ));
    }
    let tokenizer = ModelTokenizer::new(checkpoint.tokenizer(), model);
    let mut units = Vec::with_capacity(plan.datasets.len());
    for (dataset, loaded) in plan.datasets.iter().zip(loaded) {
        let unit = prepare(dataset, loaded, model, &tokenizer, max_seq_len_tokens)?;
        for note in &unit.notes {
            progress.note(&format!("data set {}, model {}: {note}", dataset.abbr, model.abbr));
        }
        units.push(unit);
    }
    Ok(ReadyModel { plan: model, checkpoint, units })
}

/// The error of a model's checkpoint.
pub(super) fn model_failed(model: &ModelPlan, source: ModelError) -> RunError {
    RunError::Model { model: model.abbr.clone(), source: Box::new(source) }
}
