//! A model through whose tokenizer and markup samples are viewed.

use super::{
    PromptView, ViewedPrompt, ViewedToken,
    difference::{Compared, first_difference},
    images::images,
    other_ways::OtherWays,
    tokens,
};
use crate::{
    infer::{InferError, Inferencer, ModelDefaults, PreparedPrompt, Render, Task, Tokenize},
    model::vision::is_image_id,
    origin::{Ingredients, Tracer},
    plan::{DatasetPlan, ModelPlan},
    prepare::{LoadedDataset, ModelTokenizer, PrepareError, task},
    prompt::{Markup, Message, Mode, Prompt, PromptError},
    python::python_str,
    warn::{self, Subject},
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

/// Writes prompts without a model's markup, with the texts beside images, videos and sounds.
struct Unmarked;

impl Render for Unmarked {
    fn render(&self, prompt: &Prompt, mode: Mode) -> Result<String, PromptError> {
        if prompt.shows_media() {
            return Ok(prompt.said());
        }
        Markup::Lines.render(prompt, mode)
    }

    fn chat(&self, messages: &[Message]) -> Result<String, PromptError> {
        Render::chat(&Markup::Lines, messages)
    }

    fn turns(&self, turns: &[(&str, &str)], begins_answer: bool) -> Result<String, PromptError> {
        Render::turns(&Markup::Lines, turns, begins_answer)
    }
}

/// Makes the views of samples under one model, as far as the model can be opened.
pub(super) struct SampleViewer<'a> {
    /// None if the config has none.
    pub(super) model: Option<&'a ModelPlan>,
    /// Writes prompts piece by piece, so that it can be told what stands where.
    pub(super) markup: &'a Markup,
    /// Writes prompts as the model reads them, with the checkpoint's chat template where it has one.
    pub(super) render: &'a dyn Render,
    /// None if the checkpoint cannot be opened.
    pub(super) tokenizer: Option<&'a ModelTokenizer<'a>>,
    /// Most tokens of a prompt and what follows it.
    pub(super) max_seq_len_tokens: usize,
}

impl<'a> SampleViewer<'a> {
    /// A model without a tokenizer, or no model.
    pub(super) fn without_tokenizer(model: Option<&'a ModelPlan>, markup: &'a Markup) -> Self {
        Self { model, markup, render: markup, tokenizer: None, max_seq_len_tokens: usize::MAX }
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
        let task = self.task(dataset, loaded, self.render);
        let prepared = inferencer.prepare(&task, sample).map_err(failed)?;
        let without_markup = self.task(dataset, loaded, &Unmarked);
        let plain = inferencer.prepare(&without_markup, sample).map_err(failed)?;
        let max_new_tokens = inferencer.max_new_tokens();
        let output_column = dataset.reader.output_column();
        let subject = Subject::new(dataset, self.model, self.markup, &*inferencer, &task);
        let ingredients = Ingredients {
            assembly: &dataset.assembly,
            markup: self.markup,
            sample: row,
            examples: chosen.iter().filter_map(|index| loaded.rows.train.get(*index)).collect(),
            output_column,
            mask: subject.mask(),
        };
        let tracer = Tracer::new(ingredients);
        let mut prompts = Vec::with_capacity(prepared.prompts.len());
        let other_ways = OtherWays::of(&prepared);
        for (place, (prompt, plain)) in prepared.prompts.iter().zip(&plain.prompts).enumerate() {
            let viewed = self.prompt(&tracer, prompt, prepared.dropped_examples, &*inferencer);
            let viewed = viewed.map_err(|what| failed(InferError::Tokenizer { sample, what }))?;
            let without_markup = plain.text.to_string();
            prompts.push(other_ways.named(place, ViewedPrompt { without_markup, ..viewed }));
        }
        let candidates = prompts.iter().filter(|prompt| prompt.asked_as.is_none());
        let texts: Vec<Compared<'_>> = candidates.map(Compared::of).collect();
        let asked = subject.asked(&prepared);
        Ok(PromptView {
            dataset: dataset.abbr.clone(),
            model: self.model.map(|model| model.abbr.clone()),
            sample,
            mode: inferencer.mode(),
            gold: output_column.and_then(|column| row.get(column)).map(python_str),
            masked_column: output_column.filter(|_| max_new_tokens > 0).map(str::to_owned),
            examples: if dataset.assembly.ignores_examples() {
                0
            } else {
                chosen.len() - prepared.dropped_examples
            },
            dropped_examples: prepared.dropped_examples,
            max_seq_len_tokens: self.tokenizer.map(|_| self.max_seq_len_tokens),
            max_new_tokens,
            first_difference: first_difference(&texts),
            warnings: asked.map(|asked| warn::of_sample(&subject, &asked)).unwrap_or_default(),
            prompts,
        })
    }

    fn task<'t>(
        &'t self,
        dataset: &'t DatasetPlan,
        loaded: &'t LoadedDataset,
        render: &'t dyn Render,
    ) -> Task<'t> {
        let tokenizer: &dyn Tokenize = match self.tokenizer {
            Some(tokenizer) => tokenizer,
            None => &Uncounted,
        };
        task(dataset, loaded, self.model, render, tokenizer, self.max_seq_len_tokens)
    }

    fn prompt(
        &self,
        tracer: &Tracer<'_>,
        prompt: &PreparedPrompt,
        dropped_examples: usize,
        inferencer: &dyn Inferencer,
    ) -> Result<ViewedPrompt, String> {
        let text = &prompt.text;
        let is_scored = inferencer.max_new_tokens() == 0;
        let pieces = tracer.trace(prompt, dropped_examples);
        let placed = self.tokenizer.map(|own| own.placed(text)).transpose()?.flatten();
        let (placed, shown) = placed.unzip();
        let tokens: Option<Vec<ViewedToken>> =
            placed.as_deref().map(|placed| tokens::in_chars(text, placed));
        let images = images(text, shown.unwrap_or_default());
        let count = |tokens: &Vec<ViewedToken>| {
            tokens.iter().map(|token| tokens::count(token, &images)).sum()
        };
        let all: Vec<u32> = tokens.iter().flatten().map(|token| token.id).collect();
        let cut = tokens::cut(&all, &prompt.ids);
        // A prompt that is seen both ways has no surprisal, and its tokens are not shown.
        let seen_both_ways = match tokens {
            None => prompt.ids.iter().take_while(|id| is_image_id(**id)).count(),
            Some(_) => 0,
        };
        Ok(ViewedPrompt {
            label: prompt.label.as_ref().map(ToString::to_string),
            asked_as: None,
            without_markup: String::new(),
            text: text.to_string(),
            token_count: tokens.as_ref().map(count).or(self.tokenizer.map(|_| prompt.ids.len())),
            truncated_tokens: prompt.truncated_tokens,
            truncated_from_token: (prompt.truncated_tokens > 0).then_some(cut.start),
            scored_from_token: is_scored.then(|| prompt.context_tokens.max(seen_both_ways).max(1)),
            sections: tokens::section_sizes(&pieces, tokens.as_deref(), &images),
            pieces,
            tokens,
            images,
        })
    }
}
