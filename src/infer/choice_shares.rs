//! `CLPInferencer`: how likely each choice is as the next token after the prompt.
//!
//! The choices are those of the first row, for all rows, as in OpenCompass; a choice of several tokens counts once
//! for each of them. The shares of the choices among each other are the prediction, for metrics that want scores.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;

use super::{
    InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt, RankedForm, Task,
    Wanted, examples::Examples, fit::fit_within, ppl::candidate,
};
use crate::{
    answer::Question,
    config::{Component, ConfigError, Node},
    engine::ScoreRequest,
    prompt::{Label, Mode},
};

/// The column of the choices.
const CHOICES: &str = "choices";

/// Scores every choice as the token after the prompt.
#[derive(Clone, Debug)]
pub struct ChoiceSharesInferencer;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(default = "yes")]
    single_token: bool,
}

fn yes() -> bool {
    true
}

/// A choice, or a token of one.
struct Column {
    text: String,
    id: u32,
}

impl ChoiceSharesInferencer {
    /// Reads `dict(type=CLPInferencer)`.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        let Params { single_token } = component.read()?;
        if single_token {
            return Ok(Self);
        }
        Err(ConfigError::at(&component.origin, "single_token is False: a choice is one token")
            .with_hint("leave it out, or use PPLInferencer"))
    }

    /// The choices of the data set.
    fn choices(task: &Task<'_>) -> Result<Vec<String>, InferError> {
        let column = task.test.first().and_then(|row| row.get(CHOICES)).and_then(Json::as_array);
        let texts = column.into_iter().flatten().filter_map(Json::as_str).map(str::to_owned);
        let texts: Vec<String> = texts.collect();
        if texts.len() < 2 {
            return Err(InferError::Mismatch(format!(
                "CLPInferencer needs a column {CHOICES} with two texts or more in the first row"
            )));
        }
        Ok(texts)
    }

    /// The tokens that are scored.
    fn columns(task: &Task<'_>) -> Result<Vec<Column>, InferError> {
        let mut columns = Vec::new();
        for text in Self::choices(task)? {
            let Some(tokens) = task.tokenizer.encode_stretch(&text, true) else {
                return Err(InferError::Mismatch("CLPInferencer needs a tokenizer".to_owned()));
            };
            columns.extend(tokens.into_iter().map(|(id, _)| Column { text: text.clone(), id }));
        }
        Ok(columns)
    }
}

impl Inferencer for ChoiceSharesInferencer {
    fn mode(&self) -> &'static str {
        "clp"
    }

    fn summary_mode(&self) -> &'static str {
        "unknown"
    }

    fn with_defaults(&self, _: ModelDefaults) -> Box<dyn Inferencer> {
        Box::new(self.clone())
    }

    fn ranks(&self) -> bool {
        true
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        if task.wanted != Wanted::Nothing {
            return Err(InferError::Mismatch(
                "CLPInferencer asks no candidates in other ways; choose another scoring rule"
                    .to_owned(),
            ));
        }
        let (choices, columns) = (Self::choices(task)?, Self::columns(task)?);
        let note = format!(
            "{} choices are {} tokens: each token of a choice is a choice of its own, as in OpenCompass",
            choices.len(),
            columns.len()
        );
        Ok(Vec::from_iter((columns.len() != choices.len()).then_some(note)))
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let mut examples = Examples::retrieved(task, sample)?;
        let in_context_examples = examples.text(task)?.to_owned();
        // One more token follows.
        let room = task.max_seq_len_tokens.saturating_sub(1);
        let fitted = fit_within(task, &mut examples, [room, room], |ice| {
            task.generation_text(sample, ice, "", Mode::Gen)
        })?;
        let testing_input = examples.removed_from(&fitted.text, task)?;
        let context = PreparedPrompt::of(fitted);
        let mut prompts = Vec::new();
        for Column { text, id } in Self::columns(task)? {
            let whole: Arc<str> = (context.text.to_string() + &text).into();
            let rest = testing_input.as_deref().map(|rest| (rest.to_owned() + &text).into());
            prompts.push(PreparedPrompt {
                label: Label::from_node(&Node::from_json(&Json::String(text.clone()))),
                text: whole.clone(),
                origin_prompt: whole.clone(),
                testing_input: rest.unwrap_or(whole),
                ids: context.ids.iter().copied().chain([id]).collect(),
                context_tokens: context.ids.len(),
                answer_start: context.ids.len(),
                answer_bytes: text.len(),
                ..context.clone()
            });
        }
        Ok(Prepared {
            in_context_examples,
            ..Prepared::of_prompts(sample, prompts, examples.dropped())
        })
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        let first_target = prompt.context_tokens.max(1);
        Question::Score(ScoreRequest { ids: prompt.ids.clone(), first_target })
    }

    fn outcome(&self, prepared: &Prepared) -> Outcome {
        Outcome::Ranked {
            form: RankedForm::Shares,
            in_context_examples: prepared.in_context_examples.clone(),
            candidates: prepared.prompts.iter().map(candidate).collect(),
            counterparts: Vec::new(),
        }
    }
}
