//! A run that only lacks its weights.

use jiff::civil::DateTime;

use std::{collections::HashSet, path::Path};

use super::{
    CheckpointModels, LoadedDataset, ModelMarkup, ModelSource, ModelTokenizer, PassageSearches,
    PrepareError, Progress, RowSources, ServedTokenizer, Unit, unit::prepare,
};
use crate::{
    answer::ModelKey,
    chat::ChatError,
    config::ConfigError,
    evaluate::Evaluator,
    infer::{Render, Tokenize, Unasked},
    model::{Checkpoint, ModelError},
    plan::{DatasetPlan, ModelPlan, RunPlan},
    warn::WarningCount,
};

/// All rows, examples, checkpoints and prompts of a plan, checked. What can be wrong with a run is
/// found while this is made.
pub(crate) struct ReadyRun<'a> {
    /// One per data set of the plan, in order.
    pub(crate) datasets: Vec<LoadedDataset>,
    /// One per model of the plan, in order.
    pub(crate) models: Vec<ReadyModel<'a>>,
    /// One per model that judges, in the order of the plan. What they are asked depends on answers, so they have no
    /// units.
    pub(crate) judges: Vec<ReadyModel<'a>>,
    /// One per data set whose metric or search compares texts by a sentence encoder: what decides its vectors.
    pub(crate) encoders: Vec<ModelKey>,
    /// Corpora that stages search, and what was found in them.
    pub(crate) searches: PassageSearches,
}

/// A model whose prompts are ready and whose weights are still on disk.
pub(crate) struct ReadyModel<'a> {
    pub(crate) plan: &'a ModelPlan,
    pub(crate) source: ModelSource,
    pub(crate) markup: ModelMarkup<'a>,
    /// Most tokens of a prompt and what follows it.
    pub(crate) max_seq_len_tokens: usize,
    /// One per data set, in order.
    pub(crate) units: Vec<Unit>,
}

impl<'a> ReadyRun<'a> {
    /// Prepares everything; `limit` keeps the first test samples of each data set, and `now`
    /// is what chat templates that write a date are told. What retrievers ask models is kept in the store of `folder`.
    pub(crate) fn prepare(
        plan: &'a RunPlan,
        limit: Option<usize>,
        folder: Option<&Path>,
        now: DateTime,
        progress: &dyn Progress,
    ) -> Result<Self, PrepareError> {
        let mut told = HashSet::new();
        for dataset in &plan.datasets {
            // What holds for all stages of an entry is said once.
            let stage = dataset.stage.as_ref();
            let name = stage.map_or(dataset.abbr.clone(), |own| DatasetPlan::name(&own.entry));
            for note in &dataset.notes {
                let line = format!("data set {name}: {note}");
                if told.insert(line.clone()) {
                    progress.note(&line);
                }
            }
        }
        progress.phase("reading data sets", plan.datasets.len());
        let answering = CheckpointModels::new(folder, progress);
        let searches = PassageSearches::default();
        let sources = RowSources { models: &answering, searches: &searches };
        let step = || progress.step();
        let datasets = LoadedDataset::load_all(&plan.datasets, limit, sources, progress, &step)?;
        let encoders = match folder {
            Some(_) => encoders(plan, &answering)?,
            // Nothing is scored where nothing is kept.
            None => Vec::new(),
        };
        let models: Vec<ReadyModel<'a>> = plan
            .models
            .iter()
            .map(|model| ready(&plan.datasets, &datasets, model, now, progress))
            .collect::<Result<_, _>>()?;
        for note in &plan.judge.notes {
            progress.note(note);
        }
        let judges = plan
            .judges()
            .into_iter()
            .map(|judge| ready_judge(judge, now, progress))
            .collect::<Result<_, _>>()?;
        progress.end();
        Ok(Self { datasets, models, judges, encoders, searches })
    }

    /// What would be measured wrongly, counted for each data set under each model. Stages that wait for others have none
    /// yet: their prompts are still to be written, and checked then.
    pub(crate) fn warnings(&self, plan: &RunPlan) -> Vec<WarningCount> {
        let units = self.models.iter().flat_map(|model| plan.datasets.iter().zip(&model.units));
        let written = units.filter(|(dataset, _)| !dataset.waits());
        written.flat_map(|(_, unit)| &unit.warnings).cloned().collect()
    }
}

/// Opens the encoders of metrics and searches, so that predictions of hours do not end without a figure.
fn encoders(plan: &RunPlan, models: &CheckpointModels<'_>) -> Result<Vec<ModelKey>, PrepareError> {
    let mut keys = Vec::new();
    for dataset in &plan.datasets {
        let evaluator = dataset.evaluation.evaluator.as_deref();
        let failed = |source| PrepareError::Retrieve {
            dataset: dataset.abbr.clone(),
            source: Box::new(source),
        };
        if let Some(name) = evaluator.and_then(Evaluator::encoder) {
            keys.extend(models.open_for_metric(name).map_err(failed)?);
        }
        if let Some(Unasked::Passages(search)) = dataset.inferencer.unasked()
            && let Some(encoder) = &search.encoder
        {
            keys.extend(models.open_for_search(&encoder.name).map_err(failed)?);
        }
    }
    Ok(keys)
}

/// A judge whose weights are still on disk.
pub(crate) fn ready_judge<'a>(
    judge: &'a ModelPlan,
    now: DateTime,
    progress: &dyn Progress,
) -> Result<ReadyModel<'a>, PrepareError> {
    let ready = ready(&[], &[], judge, now, progress)?;
    let (most, room) = (judge.defaults.max_out_len, ready.max_seq_len_tokens);
    if let Some(most) = most.filter(|most| *most >= room) {
        let message = format!(
            "judge {}: max_out_len is {most} tokens and max_seq_len is {room}: no room is left for a prompt",
            judge.abbr
        );
        return Err(ConfigError::at(&judge.node.origin, message)
            .with_hint("lower max_out_len")
            .into());
    }
    Ok(ready)
}

/// Checks a model's checkpoint and builds its prompts.
fn ready<'a>(
    datasets: &[DatasetPlan],
    loaded: &[LoadedDataset],
    model: &'a ModelPlan,
    now: DateTime,
    progress: &dyn Progress,
) -> Result<ReadyModel<'a>, PrepareError> {
    for note in &model.notes {
        progress.note(&format!("model {}: {note}", model.abbr));
    }
    if model.served.is_some() {
        return ready_served(datasets, loaded, model, progress);
    }
    progress.phase(&format!("opening {}", model.abbr), 1);
    let checkpoint = model.open(progress).map_err(|source| model_failed(model, source))?;
    let context_tokens = checkpoint.spec().context_tokens;
    let max_seq_len_tokens = max_seq_len_tokens(model, &checkpoint);
    if model.max_seq_len_tokens.is_some_and(|wanted| wanted > context_tokens) {
        progress.note(&format!(
            "model {}: max_seq_len is cut to the checkpoint's context of {context_tokens} tokens{}",
            model.abbr,
            checkpoint.spec().context_reason().map_or_else(String::new, |why| format!(": {why}"))
        ));
    }
    let (markup, note) =
        ModelMarkup::new(model, &checkpoint, now).map_err(|source| chat_failed(model, source))?;
    if let Some(note) = note {
        progress.note(&format!("model {}: {note}", model.abbr));
    }
    let samples = loaded.iter().map(|dataset| dataset.rows.test.len()).sum();
    if loaded.is_empty() {
        let units = Vec::new();
        let source = ModelSource::Checkpoint(Box::new(checkpoint));
        return Ok(ReadyModel { plan: model, source, markup, max_seq_len_tokens, units });
    }
    let tokenizer = ModelTokenizer::of(&checkpoint, model);
    if model.reasoning.budget_tokens.is_some() && tokenizer.thinking().is_none() {
        progress.note(&format!(
            "model {}: reasoning_budget has no effect, because no marks of thinking are known; give reasoning_start and \
             reasoning_end",
            model.abbr
        ));
    }
    progress.phase(&format!("building prompts for {}", model.abbr), samples);
    let reader = (&markup as &dyn Render, &tokenizer as &dyn Tokenize, max_seq_len_tokens);
    let units = units(datasets, loaded, model, reader, progress)?;
    drop(tokenizer);
    let source = ModelSource::Checkpoint(Box::new(checkpoint));
    Ok(ReadyModel { plan: model, source, markup, max_seq_len_tokens, units })
}

/// The prompts of a model that is behind a server. Nothing is asked of it yet.
fn ready_served<'a>(
    datasets: &[DatasetPlan],
    loaded: &[LoadedDataset],
    model: &'a ModelPlan,
    progress: &dyn Progress,
) -> Result<ReadyModel<'a>, PrepareError> {
    let tokenizer = ServedTokenizer::new(model);
    let markup = ModelMarkup::served(model);
    let max_seq_len_tokens = model.max_seq_len_tokens.unwrap_or(usize::MAX);
    let samples = loaded.iter().map(|dataset| dataset.rows.test.len()).sum();
    progress.phase(&format!("building prompts for {}", model.abbr), samples);
    let reader = (&markup as &dyn Render, &tokenizer as &dyn Tokenize, max_seq_len_tokens);
    let units = units(datasets, loaded, model, reader, progress)?;
    Ok(ReadyModel { plan: model, source: ModelSource::Server, markup, max_seq_len_tokens, units })
}

/// The prompts of all data sets, and what is to be said of them.
fn units(
    datasets: &[DatasetPlan],
    loaded: &[LoadedDataset],
    model: &ModelPlan,
    (markup, tokenizer, max_seq_len_tokens): (&dyn Render, &dyn Tokenize, usize),
    progress: &dyn Progress,
) -> Result<Vec<Unit>, PrepareError> {
    let mut units = Vec::with_capacity(datasets.len());
    for (dataset, loaded) in datasets.iter().zip(loaded) {
        let unit =
            prepare(dataset, loaded, model, markup, tokenizer, max_seq_len_tokens, progress)?;
        for note in &unit.notes {
            progress.note(&format!("data set {}, model {}: {note}", dataset.abbr, model.abbr));
        }
        units.push(unit);
    }
    let waiting: Vec<&str> =
        datasets.iter().filter(|own| own.waits()).map(|own| own.abbr.as_str()).collect();
    if let Some((first, others)) = waiting.split_first() {
        let which = match others.len() {
            0 => format!("data set {first}, model {}: until the stages before it", model.abbr),
            others => format!(
                "data set {first} and {others} more, model {}: until the stages before them",
                model.abbr
            ),
        };
        progress.note(&format!("{which} are answered, prompts hold their golds"));
    }
    Ok(units)
}

/// Most tokens of a prompt and what follows it: the checkpoint's context, or less if the plan says so.
pub(crate) fn max_seq_len_tokens(model: &ModelPlan, checkpoint: &Checkpoint) -> usize {
    let context_tokens = checkpoint.spec().context_tokens;
    model.max_seq_len_tokens.unwrap_or(context_tokens).min(context_tokens)
}

/// The error of a model's checkpoint.
pub(crate) fn model_failed(model: &ModelPlan, source: ModelError) -> PrepareError {
    PrepareError::Model { model: model.abbr.clone(), source: Box::new(source) }
}

/// The error of a model's chat template, at the place in the config that names it.
pub(crate) fn chat_failed(model: &ModelPlan, source: ChatError) -> PrepareError {
    let name = model.node.get("chat_template_name");
    match (&source, name) {
        (ChatError::UnknownTemplate { .. }, Some(name)) => {
            let what = format!("model {}: {source}", model.abbr);
            ConfigError::at(&name.origin, what).under("chat_template_name").into()
        }
        _ => PrepareError::Chat { model: model.abbr.clone(), source: Box::new(source) },
    }
}
