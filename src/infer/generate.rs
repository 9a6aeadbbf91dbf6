//! `GenInferencer`: how the model goes on; `SCInferencer`: how it goes on several times.

use std::sync::Arc;

use serde::Deserialize;

use super::{
    Continued, Drawing, InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt,
    Task, Thinking, ThinkingForm, ThinkingMarks,
    continuation::Continuation,
    examples::Examples,
    fit::{Fitted, fit},
    slots,
};
use crate::{
    answer::{Answer, Question},
    config::{Component, ConfigError},
    engine::{FinishReason, Generation},
    prompt::Mode,
};

/// Continues the prompt of every sample until an end-of-sequence token, a stop string or
/// `max_out_len` tokens.
#[derive(Clone, Debug)]
pub struct GenInferencer {
    continuation: Continuation,
    gen_field_replace_token: String,
    /// So many answers to each prompt, which are a list however many they are.
    self_consistency: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    max_out_len: Option<usize>,
    min_out_len: Option<usize>,
    #[serde(default)]
    stopping_criteria: Vec<String>,
    #[serde(default)]
    gen_field_replace_token: String,
    #[serde(default)]
    multiround: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SelfConsistencyParams {
    max_out_len: Option<usize>,
    #[serde(default = "one")]
    sc_size: usize,
    #[serde(default)]
    gen_field_replace_token: String,
    generation_kwargs: Option<Drawing>,
}

fn one() -> usize {
    1
}

/// Most tokens of thinking, where it is asked for on its own.
fn thinking_budget(task: &Task<'_>) -> Option<usize> {
    task.tokenizer.thinking().and_then(|thinking| thinking.budget_tokens)
}

impl GenInferencer {
    /// Reads `dict(type=GenInferencer, max_out_len=…, stopping_criteria=[…])`; what it leaves out comes from the
    /// model's entry. With `multiround=True` it is a dialogue.
    pub fn from_component(component: &Component) -> Result<Box<dyn Inferencer>, ConfigError> {
        let params: Params = component.read()?;
        let stop = params.stopping_criteria;
        let continuation = Continuation::new(params.max_out_len, params.min_out_len, stop);
        let mask = params.gen_field_replace_token;
        if params.multiround {
            return Ok(Box::new(slots::inferencer(continuation, mask)));
        }
        Ok(Box::new(Self { continuation, gen_field_replace_token: mask, self_consistency: None }))
    }

    /// Reads `dict(type=SCInferencer, sc_size=…, max_out_len=…, generation_kwargs=dict(do_sample=True, …))`; how
    /// answers are drawn is the model's to say first.
    pub fn self_consistent(component: &Component) -> Result<Self, ConfigError> {
        let params: SelfConsistencyParams = component.read()?;
        let refused = |what: String| Err(ConfigError::at(&component.origin, what));
        if params.sc_size == 0 {
            return refused("sc_size is 0: give a number of answers from 1 on".to_owned());
        }
        let sampling = match params.generation_kwargs.map(|drawing| drawing.sampling()).transpose()
        {
            Ok(sampling) => sampling.flatten(),
            Err(what) => return refused(format!("generation_kwargs: {what}")),
        };
        Ok(Self {
            continuation: Continuation::new(params.max_out_len, None, Vec::new()).drawn(sampling),
            gen_field_replace_token: params.gen_field_replace_token,
            self_consistency: Some(params.sc_size),
        })
    }

    /// What is asked after the first step: the answer after the thinking, which ends at its budget if it has not ended,
    /// or, where nothing was thought, the answer as if no thinking were asked for. Nothing where the text ended while
    /// the model thought.
    fn after_thinking(
        &self,
        task: &Task<'_>,
        thinking: &Thinking,
        first: &PreparedPrompt,
        thought: &Generation,
    ) -> Option<PreparedPrompt> {
        let is_ended = thought.finish == FinishReason::Stop;
        let is_begun = thinking.form(&first.text).parted(&thought.text).0.is_some();
        let fitted = |text: String, ids: Vec<u32>| {
            // What was cut is counted with the first step.
            let fitted = Fitted { text, ids, truncated_tokens: 0 };
            let max_new_tokens = self.continuation.max_out_len();
            let second = self.continuation.prompt(task, fitted, max_new_tokens);
            PreparedPrompt { draw: first.draw, ..second }
        };
        if !is_ended && !is_begun {
            return Some(fitted(first.text.to_string(), first.ids.to_vec()));
        }
        if thought.finish == FinishReason::Eos {
            return None;
        }
        let mut text = first.text.to_string() + &thought.text;
        let mut ids = [&*first.ids, &thought.ids].concat();
        if !is_ended {
            let open = thinking.opened(&first.text);
            let begun = || thinking.marks.iter().find(|own| thought.text.contains(&own.start));
            let closing = open.or_else(begun).map(ThinkingMarks::closing)?;
            let tokens = task.tokenizer.encode_stretch(&closing, false)?;
            ids.extend(tokens.into_iter().map(|(id, _)| id));
            text.push_str(&closing);
        }
        Some(fitted(text, ids))
    }

    /// How many answers a prompt has, where they are a list.
    fn answers(&self) -> Option<usize> {
        self.self_consistency.or(self.continuation.answers())
    }
}

impl Inferencer for GenInferencer {
    fn mode(&self) -> &'static str {
        "gen"
    }

    fn with_defaults(&self, defaults: ModelDefaults) -> Box<dyn Inferencer> {
        let continuation = self.continuation.with_defaults(defaults);
        Box::new(Self { continuation, ..self.clone() })
    }

    fn mask(&self) -> Option<&str> {
        Some(&self.gen_field_replace_token)
    }

    fn max_new_tokens(&self) -> usize {
        self.continuation.max_out_len()
    }

    fn is_greedy(&self) -> bool {
        self.continuation.is_greedy()
    }

    fn not_served(&self) -> Option<&'static str> {
        let is_drawn = self.continuation.draws_itself();
        is_drawn.then_some(
            "its generation_kwargs say how answers are drawn; write them into the model's entry",
        )
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        let thinking_tokens = thinking_budget(task).unwrap_or(0);
        Continuation::check(task, self.continuation.max_out_len() + thinking_tokens)?;
        let is_same =
            self.answers().is_some_and(|answers| answers > 1) && self.continuation.is_greedy();
        Ok(Vec::from_iter(is_same.then(|| {
            "all answers to a sample are equal, because the likeliest tokens are taken; \
             generation_kwargs=dict(do_sample=True, temperature=…) draws them"
                .to_owned()
        })))
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let mut examples = Examples::retrieved(task, sample)?;
        let mask = &self.gen_field_replace_token;
        let max_new_tokens = self.continuation.max_out_len();
        let budget_tokens = thinking_budget(task);
        let room_tokens = task.room_tokens(max_new_tokens + budget_tokens.unwrap_or(0));
        let fitted = fit(task, &mut examples, room_tokens, |ice| {
            task.generation_text(sample, ice, mask, Mode::Gen)
        })?;
        let messages = task
            .reported(sample, examples.prompt(), mask)
            .map_err(|source| InferError::Prompt { sample, source })?;
        let prompt = PreparedPrompt {
            messages: messages.map(Arc::new),
            ..self.continuation.prompt(task, fitted, max_new_tokens)
        };
        let count = self.answers().unwrap_or(1);
        let Some((thinking, budget_tokens)) = task.tokenizer.thinking().zip(budget_tokens) else {
            return Ok(Prepared::single(sample, prompt, examples.dropped()).drawn_times(count));
        };
        // The thinking first; what would stop an answer does not stop it.
        let first = PreparedPrompt {
            max_new_tokens: budget_tokens,
            stop: thinking.marks.iter().map(|marks| marks.end.clone()).collect(),
            ..prompt.clone()
        };
        let prepared = Prepared::single(sample, first, examples.dropped()).drawn_times(count);
        Ok(Prepared { foreseen: vec![prompt; count], ..prepared })
    }

    fn next(
        &self,
        task: &Task<'_>,
        asked: &Prepared,
        answers: &[Answer],
    ) -> Result<Option<PreparedPrompt>, InferError> {
        let Some(thinking) = task.tokenizer.thinking().filter(|own| own.budget_tokens.is_some())
        else {
            return Ok(None);
        };
        let count = self.answers().unwrap_or(1).min(asked.prompts.len());
        let (firsts, seconds) = asked.prompts.split_at(count);
        for (first, answer) in firsts.iter().zip(answers) {
            let is_asked = seconds.iter().any(|own| own.draw.answer == first.draw.answer);
            if let (false, Answer::Generation(thought)) = (is_asked, answer)
                && let Some(second) = self.after_thinking(task, thinking, first, thought)
            {
                return Ok(Some(second));
            }
        }
        Ok(None)
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        self.continuation.question(prompt)
    }

    fn outcome(&self, prepared: &Prepared) -> Outcome {
        let first = prepared.prompts.first();
        let prompt = first.map(|prompt| prompt.origin_prompt.to_string()).unwrap_or_default();
        let messages = first.and_then(|prompt| prompt.messages.as_deref().cloned());
        let count = self.answers().unwrap_or(1);
        let seconds = prepared.prompts.iter().skip(count);
        let continued: Vec<usize> = seconds.map(|own| own.draw.answer).collect();
        let thinking = first.and_then(|prompt| prompt.thinking.clone());
        let thinking = thinking.map(|form| ThinkingForm { continued, ..form });
        if let Some(answers) = self.answers() {
            let continuations = Vec::new();
            Outcome::Sampled { prompt, messages, thinking, answers, continuations }
        } else {
            let continuation = Continued::default();
            Outcome::Generated { prompt, messages, thinking, continuation }
        }
    }
}
