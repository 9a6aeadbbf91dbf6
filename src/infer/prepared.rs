//! A sample's prompts, ready to be asked about.
//!
//! All prompts of a data set are held at once, so a text is held once however often it is needed.

use std::sync::Arc;

use super::fit::Fitted;
use crate::{
    engine::{GenerateRequest, ScoreRequest},
    prompt::Label,
};

/// What the engine is asked.
#[derive(Clone, Debug)]
pub enum Request {
    /// How surprising a text is.
    Score(ScoreRequest),
    /// How a text goes on.
    Generate(GenerateRequest),
}

/// One sample's work.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Index in the test split.
    pub sample: usize,
    /// One prompt per candidate, or a single one.
    pub prompts: Vec<PreparedPrompt>,
    /// The text of all retrieved examples, before any was dropped.
    pub in_context_examples: String,
    /// Examples that were dropped to make the prompt fit.
    pub dropped_examples: usize,
}

/// One text that the model reads.
#[derive(Clone, Debug)]
pub struct PreparedPrompt {
    /// Which candidate it is, if it is one.
    pub label: Option<Label>,
    /// The text that the model reads.
    pub text: Arc<str>,
    /// The text as it is reported.
    pub origin_prompt: Arc<str>,
    /// The text without its examples.
    pub testing_input: Arc<str>,
    /// The ids that are sent, cut to the context.
    pub ids: Vec<u32>,
    /// Texts that end its continuation.
    pub stop: Vec<String>,
    /// Tokens that the cut removed.
    pub truncated_tokens: usize,
}

impl Prepared {
    /// A sample with a single prompt.
    pub(super) fn single(sample: usize, prompt: PreparedPrompt, dropped_examples: usize) -> Self {
        Self { sample, prompts: vec![prompt], in_context_examples: String::new(), dropped_examples }
    }

    /// Tokens that were cut from its prompts.
    pub fn truncated_tokens(&self) -> usize {
        self.prompts.iter().map(|prompt| prompt.truncated_tokens).sum()
    }

    /// Tokens of its prompts as they are sent.
    pub fn prompt_tokens(&self) -> usize {
        self.prompts.iter().map(|prompt| prompt.ids.len()).sum()
    }
}

impl PreparedPrompt {
    /// A fitted text on its own.
    pub(super) fn of(fitted: Fitted) -> Self {
        let text: Arc<str> = fitted.text.into();
        let mut ids = fitted.ids;
        ids.shrink_to_fit();
        Self {
            label: None,
            testing_input: text.clone(),
            origin_prompt: text.clone(),
            text,
            ids,
            stop: Vec::new(),
            truncated_tokens: fitted.truncated_tokens,
        }
    }

    /// Tokens of the text before it was cut.
    pub fn uncut_tokens(&self) -> usize {
        self.ids.len() + self.truncated_tokens
    }
}
