//! A model as prompts are seen through it.

use std::sync::OnceLock;

use super::{
    PromptView, Severity, ViewedPrompt, ViewedToken, Warning,
    difference::first_difference,
    leaks, tokens,
    trace::{Ingredients, trace},
    unfilled, warnings,
};
use crate::{
    dataset::Sample,
    infer::{InferError, ModelDefaults, PreparedPrompt, Render, Task, Tokenize},
    plan::{DatasetPlan, ModelPlan},
    prepare::{LoadedDataset, ModelTokenizer, PrepareError},
    prompt::Markup,
    python::python_str,
};

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

/// How a model sees prompts.
pub(super) struct Lens<'a> {
    pub(super) model: Option<&'a ModelPlan>,
    /// The markup that provenance is asked of.
    pub(super) markup: &'a Markup,
    /// The same, able to write chats too.
    pub(super) render: &'a dyn Render,
    pub(super) tokenizer: Option<&'a ModelTokenizer<'a>>,
    pub(super) room_tokens: usize,
}

impl<'a> Lens<'a> {
    /// A model without a tokenizer, or no model.
    pub(super) fn bare(model: Option<&'a ModelPlan>, markup: &'a Markup) -> Self {
        Self { model, markup, render: markup, tokenizer: None, room_tokens: usize::MAX }
    }

    /// The prompts of a sample.
    pub(super) fn view(
        &self,
        dataset: &DatasetPlan,
        loaded: &LoadedDataset,
        sample: usize,
    ) -> Result<PromptView, PrepareError> {
        let failed = |source: InferError| PrepareError::Infer {
            dataset: dataset.abbr.clone(),
            model: self.model.map_or_else(|| "none".to_owned(), |model| model.abbr.clone()),
            source: Box::new(source),
        };
        let defaults = self.model.map_or_else(ModelDefaults::default, |model| model.defaults);
        let inferencer = dataset.inferencer.with_defaults(defaults);
        let (Some(row), Some(chosen)) = (loaded.rows.test.get(sample), loaded.examples.get(sample))
        else {
            return Err(failed(InferError::Mismatch(format!(
                "there is no test sample {sample}; the data set has {} of them, from 0",
                loaded.rows.test.len()
            ))));
        };
        let output_column = dataset.reader.output_column();
        let tokenizer: &dyn Tokenize = match self.tokenizer {
            Some(tokenizer) => tokenizer,
            None => &Uncounted,
        };
        let task = Task {
            train: &loaded.rows.train,
            test: &loaded.rows.test,
            input_columns: dataset.reader.input_columns(),
            output_column,
            assembly: &dataset.assembly,
            examples: &loaded.examples,
            markup: self.render,
            tokenizer,
            max_seq_len_tokens: self.room_tokens,
            stop_words: self.model.map_or(&[], |model| &model.stop_words),
            found_labels: OnceLock::new(),
        };
        let prepared = inferencer.prepare(&task, sample).map_err(failed)?;
        let without_markup = Task { markup: &Markup::Lines, ..task };
        let plain = inferencer.prepare(&without_markup, sample).map_err(failed)?;
        let max_new_tokens = inferencer.max_new_tokens();
        let ingredients = Ingredients {
            assembly: &dataset.assembly,
            markup: self.markup,
            sample: row,
            examples: chosen.iter().filter_map(|index| loaded.rows.train.get(*index)).collect(),
            output_column,
            mask: inferencer.mask().unwrap_or(""),
        };
        let mut prompts = Vec::with_capacity(prepared.prompts.len());
        for (prompt, plain) in prepared.prompts.iter().zip(&plain.prompts) {
            let viewed =
                self.prompt(&ingredients, prompt, prepared.dropped_examples, max_new_tokens > 0);
            let viewed = viewed.map_err(|what| failed(InferError::Tokenizer { sample, what }))?;
            prompts.push(ViewedPrompt { without_markup: plain.text.to_string(), ..viewed });
        }
        let texts: Vec<_> =
            prompts.iter().map(|prompt| (prompt.text.as_str(), prompt.tokens.as_deref())).collect();
        let mut view = PromptView {
            dataset: dataset.abbr.clone(),
            model: self.model.map(|model| model.abbr.clone()),
            sample,
            mode: inferencer.mode(),
            gold: output_column.and_then(|column| row.get(column)).map(python_str),
            masked_column: output_column.filter(|_| max_new_tokens > 0).map(str::to_owned),
            examples: chosen.len() - prepared.dropped_examples,
            dropped_examples: prepared.dropped_examples,
            max_seq_len_tokens: self.tokenizer.map(|_| self.room_tokens),
            max_new_tokens,
            first_difference: first_difference(&texts),
            warnings: Vec::new(),
            prompts,
        };
        view.warnings = self.warnings(&view, &ingredients);
        Ok(view)
    }

    fn prompt(
        &self,
        ingredients: &Ingredients<'_>,
        prompt: &PreparedPrompt,
        dropped_examples: usize,
        generates: bool,
    ) -> Result<ViewedPrompt, String> {
        let text = &prompt.text;
        let pieces = trace(ingredients, prompt, dropped_examples);
        let spans = self.tokenizer.map(|own| own.encode_with_spans(text)).transpose()?;
        let tokens: Option<Vec<ViewedToken>> =
            spans.as_deref().map(|spans| tokens::in_chars(text, spans));
        let all: Vec<u32> = tokens.iter().flatten().map(|token| token.id).collect();
        let cut = tokens::cut(&all, &prompt.ids);
        Ok(ViewedPrompt {
            label: prompt.label.as_ref().map(ToString::to_string),
            without_markup: String::new(),
            text: text.to_string(),
            token_count: tokens.as_ref().map(Vec::len),
            truncated_tokens: prompt.truncated_tokens,
            truncated_from_token: (prompt.truncated_tokens > 0).then_some(cut.start),
            scored_from_token: (!generates).then(|| prompt.context_tokens.max(1)),
            sections: tokens::section_sizes(&pieces, tokens.as_deref()),
            pieces,
            tokens,
        })
    }

    fn warnings(&self, view: &PromptView, ingredients: &Ingredients<'_>) -> Vec<Warning> {
        let Some(first) = view.prompts.first() else { return Vec::new() };
        let generates = view.max_new_tokens > 0;
        let difference = view.first_difference.as_ref();
        let columns: Vec<&str> = ingredients.sample.iter().map(|(column, _)| column).collect();
        let shown: Vec<&Sample> =
            ingredients.examples.iter().take(view.examples).copied().collect();
        let mut found = unfilled::unfilled_fields(&first.pieces, &columns);
        found.extend(leaks::shown_answer(&view.prompts, ingredients.output_column, generates));
        found.extend(leaks::own_example(ingredients.sample, &shown));
        found.extend(warnings::identical_candidates(&view.prompts));
        found.extend(warnings::truncated(&view.prompts));
        if generates {
            found.extend(warnings::trailing_space(&first.text));
        }
        if let (Some(tokens), Some(tokenizer)) = (&first.tokens, self.tokenizer) {
            let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
            let lengths: Vec<usize> =
                view.prompts.iter().filter_map(|prompt| prompt.token_count).collect();
            found.extend(warnings::doubled_bos(&ids, tokenizer.bos_id(), self.markup));
            found.extend(warnings::joined_label(&first.text, difference));
            found.extend(warnings::lone_space(&first.text, tokens, difference));
            found.extend(warnings::different_lengths(&lengths));
        }
        found.sort_by_key(|warning| warning.severity == Severity::Note);
        found
    }
}
