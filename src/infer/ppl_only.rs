//! `PPLOnlyInferencer`: how surprising each text is, without candidates.

use std::ops::Range;

use serde::Deserialize;

use super::{
    InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt, Task,
    examples::Examples,
    fit::{Fitted, fit},
    ppl::candidate,
};
use crate::{
    answer::Question,
    config::{Component, ConfigError},
    engine::ScoreRequest,
    prompt::Mode,
};

/// Scores the prompt of every sample, Σ nll / N; on request only what the assistant says in it.
#[derive(Clone, Debug)]
pub struct PplOnlyInferencer {
    assistant_only: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(default)]
    assistant_only: bool,
}

impl PplOnlyInferencer {
    /// Reads `dict(type=PPLOnlyInferencer, assistant_only=…)`.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        component.read::<Params>().map(|params| Self { assistant_only: params.assistant_only })
    }

    /// The tokens of a fitted text that stand for something the assistant says.
    fn assistant_tokens(
        task: &Task<'_>,
        examples: &Examples,
        fitted: &Fitted,
    ) -> Result<Vec<Range<usize>>, InferError> {
        let sample = examples.sample();
        let untokenised = |what| InferError::Tokenizer { sample, what };
        let (mut text, mut spans) = task
            .marked_text(sample, examples.prompt())
            .map_err(|source| InferError::Prompt { sample, source })?;
        if let Some(bounds) = task.bounds(&text) {
            let moved = |place: usize| place.clamp(bounds.start, bounds.end) - bounds.start;
            spans = spans.iter().map(|span| moved(span.start)..moved(span.end)).collect();
            spans.retain(|span| !span.is_empty());
            text = text[bounds].to_owned();
        }
        let tokens =
            task.tokenizer.encode_with_offsets(&text, fitted.ids.len()).map_err(untokenised)?;
        if text != fitted.text || !tokens.iter().map(|(id, _)| id).eq(&fitted.ids) {
            return Err(untokenised("its tokens have other places than their ids".to_owned()));
        }
        let counts = |place: &Range<usize>| {
            spans.iter().any(|span| span.start < place.end && place.start < span.end)
        };
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (index, _) in tokens.iter().enumerate().filter(|(_, (_, place))| counts(place)) {
            match ranges.last_mut() {
                Some(last) if last.end == index => last.end += 1,
                _ => ranges.push(index..index + 1),
            }
        }
        // The first token of a text has no surprisal.
        if ranges.iter().all(|range| range.end <= 1) {
            return Err(InferError::NoAssistant { sample });
        }
        Ok(ranges)
    }
}

impl Inferencer for PplOnlyInferencer {
    fn mode(&self) -> &'static str {
        "ppl"
    }

    fn with_defaults(&self, _: ModelDefaults) -> Box<dyn Inferencer> {
        Box::new(self.clone())
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        match task.output_column {
            None => Ok(Vec::new()),
            Some(column) => Err(InferError::Mismatch(format!(
                "PPLOnlyInferencer scores texts and has no gold answers, but reader_cfg.output_column is {column:?}; set it to None"
            ))),
        }
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let failed = |source| InferError::Prompt { sample, source };
        let mut examples = Examples::retrieved(task, sample)?;
        // Scored as a whole, reported as the prompt of a generation: OpenCompass's files have it so.
        let fitted = fit(task, &mut examples, task.max_seq_len_tokens, |ice| {
            task.generation_text(sample, ice, "", Mode::Ppl)
        })?;
        let counted = self
            .assistant_only
            .then(|| Self::assistant_tokens(task, &examples, &fitted))
            .transpose()?;
        let mut origin_prompt =
            task.generation_text(sample, examples.prompt(), "", Mode::Gen).map_err(failed)?;
        if let Some(bounds) = task.bounds(&origin_prompt) {
            origin_prompt = String::from(&origin_prompt[bounds]);
        }
        let prompt = PreparedPrompt {
            origin_prompt: origin_prompt.into(),
            counted,
            ..PreparedPrompt::of(fitted)
        };
        Ok(Prepared::single(sample, prompt, examples.dropped()))
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        Question::Score(ScoreRequest { ids: prompt.ids.clone(), first_target: 1 })
    }

    fn outcome(&self, prepared: &Prepared) -> Outcome {
        match prepared.prompts.first() {
            Some(prompt) => Outcome::Scored { candidate: candidate(prompt) },
            None => Outcome::Failed { error: "there is no text".to_owned() },
        }
    }
}
