//! `PPLOnlyInferencer`: how surprising each text is, without candidates; `MinKPercentInferencer`: how surprising the
//! least likely fifth of its tokens is; `InferencePPLOnlyInferencer`: how surprising the stretches are that the row's
//! column `label` names.

use std::ops::Range;

use serde::Deserialize;
use serde_json::Value as Json;

use super::{
    InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt, ScoredForm, Task,
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
    counted: Counted,
    form: ScoredForm,
    /// OpenCompass's name of it, for messages.
    class: &'static str,
}

/// Which tokens count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    All,
    /// Those of what the assistant says.
    Assistant,
    /// Those of the stretches that the row names.
    Labelled,
}

/// The column with the stretches that count: lists of their first character, the one after their last, and a flag.
const STRETCHES: &str = "label";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(default)]
    assistant_only: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParams {}

impl PplOnlyInferencer {
    /// Reads `dict(type=PPLOnlyInferencer, assistant_only=…)`.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        let Params { assistant_only } = component.read()?;
        let counted = if assistant_only { Counted::Assistant } else { Counted::All };
        Ok(Self { counted, form: ScoredForm::Perplexity, class: "PPLOnlyInferencer" })
    }

    /// Reads `dict(type=MinKPercentInferencer)`.
    pub fn min_k_percent(component: &Component) -> Result<Self, ConfigError> {
        component.read::<NoParams>()?;
        let form = ScoredForm::MinKPercent;
        Ok(Self { counted: Counted::All, form, class: "MinKPercentInferencer" })
    }

    /// Reads `dict(type=InferencePPLOnlyInferencer)`.
    pub fn of_stretches(component: &Component) -> Result<Self, ConfigError> {
        component.read::<NoParams>()?;
        let form = ScoredForm::CountedSum;
        Ok(Self { counted: Counted::Labelled, form, class: "InferencePPLOnlyInferencer" })
    }

    /// The bytes of a fitted text that the row's stretches are, and that text.
    fn stretches(
        task: &Task<'_>,
        sample: usize,
        text: &str,
    ) -> Result<Vec<Range<usize>>, InferError> {
        let refused = |what: &str| {
            Err(InferError::Mismatch(format!(
                "sample {sample}: {what}; InferencePPLOnlyInferencer needs a column {STRETCHES} of [first, end, flag], \
                 characters of the text"
            )))
        };
        let row = task.test.get(sample).and_then(|row| row.get(STRETCHES));
        let Some(stretches) = row.and_then(Json::as_array) else {
            return refused("there is no list of stretches");
        };
        let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        starts.push(text.len());
        let byte = |character: u64| {
            let place = usize::try_from(character).unwrap_or(usize::MAX).min(starts.len() - 1);
            starts.get(place).copied().unwrap_or(text.len())
        };
        let mut spans = Vec::with_capacity(stretches.len());
        for stretch in stretches {
            let bounds = [0, 1].map(|place| stretch.get(place).and_then(Json::as_u64));
            let [Some(first), Some(end)] = bounds else {
                return refused("a stretch is not two numbers from 0 on");
            };
            spans.push(byte(first)..byte(end));
        }
        spans.retain(|span| !span.is_empty());
        Ok(spans)
    }

    /// The tokens of a fitted text that count; nothing where all do.
    fn counted_tokens(
        &self,
        task: &Task<'_>,
        examples: &Examples,
        fitted: &Fitted,
    ) -> Result<Option<Vec<Range<usize>>>, InferError> {
        let sample = examples.sample();
        let untokenised = |what| InferError::Tokenizer { sample, what };
        let (text, spans) = match self.counted {
            Counted::All => return Ok(None),
            Counted::Labelled => {
                (fitted.text.clone(), Self::stretches(task, sample, &fitted.text)?)
            }
            Counted::Assistant => Self::assistant_stretches(task, examples)?,
        };
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
        let is_nothing = ranges.iter().all(|range| range.end <= 1);
        if is_nothing && self.counted == Counted::Assistant {
            return Err(InferError::NoAssistant { sample });
        }
        Ok(Some(ranges))
    }

    /// The text that is scored, and the bytes of it that the assistant says.
    fn assistant_stretches(
        task: &Task<'_>,
        examples: &Examples,
    ) -> Result<(String, Vec<Range<usize>>), InferError> {
        let sample = examples.sample();
        let (mut text, mut spans) = task
            .marked_text(sample, examples.prompt())
            .map_err(|source| InferError::Prompt { sample, source })?;
        if let Some(bounds) = task.bounds(&text) {
            let moved = |place: usize| place.clamp(bounds.start, bounds.end) - bounds.start;
            spans = spans.iter().map(|span| moved(span.start)..moved(span.end)).collect();
            spans.retain(|span| !span.is_empty());
            text = text[bounds].to_owned();
        }
        Ok((text, spans))
    }
}

impl Inferencer for PplOnlyInferencer {
    fn mode(&self) -> &'static str {
        "ppl"
    }

    fn summary_mode(&self) -> &'static str {
        // `MinKPercentInferencer` has no method's name in it.
        if self.form == ScoredForm::MinKPercent { "unknown" } else { "ppl" }
    }

    fn with_defaults(&self, _: ModelDefaults) -> Box<dyn Inferencer> {
        Box::new(self.clone())
    }

    fn not_served(&self) -> Option<&'static str> {
        (self.counted != Counted::All).then_some("it counts tokens by their places in a text")
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        match task.output_column {
            None => Ok(Vec::new()),
            Some(column) => Err(InferError::Mismatch(format!(
                "{} scores texts and has no gold answers, but reader_cfg.output_column is {column:?}; set it to None",
                self.class
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
        let counted = self.counted_tokens(task, &examples, &fitted)?;
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
            Some(prompt) => Outcome::Scored { form: self.form, candidate: candidate(prompt) },
            None => Outcome::Failed { error: "there is no text".to_owned() },
        }
    }
}
