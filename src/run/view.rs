//! What the Prompt Viewer shows: a sample's prompts as values.

use std::sync::OnceLock;

use jiff::civil::DateTime;
use serde::Serialize;

use super::{
    DatasetPlan, ModelPlan, RunError, RunPlan, markup::ModelMarkup, prepare::LoadedDataset,
    tokenizer::ModelTokenizer,
};
use crate::{
    infer::{self, InferError, Render, Task, Tokenize},
    model::Checkpoint,
    prompt::Markup,
};

/// The prompts of one sample of a data set under a model.
#[derive(Debug, Serialize)]
pub struct PromptView {
    /// The data set.
    pub dataset: String,
    /// The model.
    pub model: String,
    /// Index in the test split.
    pub sample: usize,
    /// `ppl` or `gen`.
    pub mode: &'static str,
    /// The column that is not shown to the model, if one is hidden.
    pub masked_column: Option<String>,
    /// In-context examples in the prompt.
    pub examples: usize,
    /// In-context examples that did not fit.
    pub dropped_examples: usize,
    /// One per candidate, or a single one.
    pub prompts: Vec<ViewedPrompt>,
}

/// One text.
#[derive(Debug, Serialize)]
pub struct ViewedPrompt {
    /// Which candidate it is.
    pub label: Option<String>,
    /// The text without the model's markup.
    pub without_markup: String,
    /// The text that the model reads.
    pub text: String,
    /// Its tokens, special tokens included; unknown without a tokenizer.
    pub tokens: Option<usize>,
    /// Tokens cut off to fit the context.
    pub truncated_tokens: usize,
    /// What is measured of it.
    pub scored: &'static str,
}

/// Stands in for a tokenizer that cannot be opened: everything fits, nothing is counted.
struct Uncounted;

impl Tokenize for Uncounted {
    fn encode(&self, _: &str) -> Result<Vec<u32>, String> {
        Ok(Vec::new())
    }

    fn encode_within(&self, _: &str, _: usize) -> Result<Vec<u32>, String> {
        Ok(Vec::new())
    }
}

/// The prompts of test sample `sample` for every model and every data set whose name contains
/// `pattern`; `now` is what chat templates are told. Checkpoints are only asked for their tokenizer; `note` hears of those that cannot be.
pub fn view(
    plan: &RunPlan,
    sample: usize,
    pattern: Option<&str>,
    now: DateTime,
    note: &dyn Fn(&str),
) -> Result<Vec<PromptView>, RunError> {
    let chosen: Vec<&DatasetPlan> = plan
        .datasets
        .iter()
        .filter(|dataset| pattern.is_none_or(|text| dataset.abbr.contains(text)))
        .collect();
    if chosen.is_empty() {
        let names =
            plan.datasets.iter().map(|dataset| dataset.abbr.clone()).collect::<Vec<_>>().join(", ");
        return Err(RunError::NoSuchDataset {
            pattern: pattern.unwrap_or_default().to_owned(),
            names,
        });
    }
    let loaded: Vec<LoadedDataset> = chosen
        .iter()
        .map(|dataset| LoadedDataset::load(dataset, None))
        .collect::<Result<_, _>>()?;
    let datasets: Vec<(&DatasetPlan, &LoadedDataset)> = chosen.into_iter().zip(&loaded).collect();
    let mut views = Vec::new();
    for model in &plan.models {
        let checkpoint = Checkpoint::open(&model.path.to_string_lossy());
        match &checkpoint {
            Ok(checkpoint) => {
                let markup = ModelMarkup::new(model, checkpoint, now);
                let (markup, _) = markup.map_err(|source| RunError::Chat {
                    model: model.abbr.clone(),
                    source: Box::new(source),
                })?;
                let context_tokens = checkpoint.spec().context_tokens;
                let lens = Lens {
                    model,
                    markup: &markup,
                    tokenizer: &ModelTokenizer::new(checkpoint.tokenizer(), model),
                    room_tokens: model
                        .max_seq_len_tokens
                        .map_or(context_tokens, |most| most.min(context_tokens)),
                    counts: true,
                };
                views.extend(through(&lens, &datasets, sample)?);
            }
            Err(error) => {
                note(&format!("model {}: no token counts: {error}", model.abbr));
                let markup = match &model.markup {
                    Markup::Chat(_) => &Markup::Lines,
                    own => own,
                };
                let room_tokens = usize::MAX;
                let lens =
                    Lens { model, markup, tokenizer: &Uncounted, room_tokens, counts: false };
                views.extend(through(&lens, &datasets, sample)?);
            }
        }
    }
    Ok(views)
}

/// How a model sees prompts.
struct Lens<'a> {
    model: &'a ModelPlan,
    markup: &'a dyn Render,
    tokenizer: &'a dyn Tokenize,
    room_tokens: usize,
    /// Whether the tokenizer is a real one.
    counts: bool,
}

fn through(
    lens: &Lens<'_>,
    datasets: &[(&DatasetPlan, &LoadedDataset)],
    sample: usize,
) -> Result<Vec<PromptView>, RunError> {
    datasets.iter().map(|(dataset, loaded)| one(lens, dataset, loaded, sample)).collect()
}

fn one(
    lens: &Lens<'_>,
    dataset: &DatasetPlan,
    loaded: &LoadedDataset,
    sample: usize,
) -> Result<PromptView, RunError> {
    let model = lens.model;
    let failed = |source: InferError| RunError::Infer {
        dataset: dataset.abbr.clone(),
        model: model.abbr.clone(),
        source: Box::new(source),
    };
    let inferencer = infer::build(&dataset.inferencer, model.defaults)?;
    if sample >= loaded.rows.test.len() {
        return Err(failed(InferError::Mismatch(format!(
            "there is no test sample {sample}; the data set has {} of them, from 0",
            loaded.rows.test.len()
        ))));
    }
    let output_column = dataset.reader.output_column();
    let task = Task {
        train: &loaded.rows.train,
        test: &loaded.rows.test,
        input_columns: dataset.reader.input_columns(),
        output_column,
        assembly: &dataset.assembly,
        examples: &loaded.examples,
        markup: lens.markup,
        tokenizer: lens.tokenizer,
        max_seq_len_tokens: lens.room_tokens,
        stop_words: &model.stop_words,
        found_labels: OnceLock::new(),
    };
    let prepared = inferencer.prepare(&task, sample).map_err(failed)?;
    let without_markup = Task { markup: &Markup::Lines, ..task };
    let plain = inferencer.prepare(&without_markup, sample).map_err(failed)?;
    let generates = inferencer.max_new_tokens() > 0;
    let scored =
        if generates { "continued, not scored" } else { "scored: every token after the first" };
    let prompts = prepared.prompts.iter().zip(&plain.prompts).map(|(prompt, plain)| ViewedPrompt {
        label: prompt.label.as_ref().map(ToString::to_string),
        without_markup: plain.origin_prompt.to_string(),
        text: prompt.origin_prompt.to_string(),
        tokens: lens.counts.then_some(prompt.uncut_tokens()),
        truncated_tokens: prompt.truncated_tokens,
        scored,
    });
    Ok(PromptView {
        dataset: dataset.abbr.clone(),
        model: model.abbr.clone(),
        sample,
        mode: inferencer.mode(),
        masked_column: output_column.filter(|_| generates).map(str::to_owned),
        examples: loaded.examples[sample].len() - prepared.dropped_examples,
        dropped_examples: prepared.dropped_examples,
        prompts: prompts.collect(),
    })
}
