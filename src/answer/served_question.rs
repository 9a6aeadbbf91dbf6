//! What a model behind a server is asked, and what it answers.
//!
//! The tokenizer is at the server, so a question is a text and no ids, and an answer tells its tokens by what they
//! spell. Nothing here pretends to know an id.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::FinishReason;

/// What a model behind a server is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedQuestion {
    /// What is sent: the text itself, or for a model that is given messages the JSON list of them.
    pub text: Arc<str>,
    /// What is wanted of it.
    pub wanted: ServedWanted,
}

/// What is wanted of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServedWanted {
    /// How surprising its tokens are.
    Surprisals,
    /// How it goes on.
    Continuation(ServedContinuation),
}

/// How a text is to go on. How tokens are drawn is said of the model as a whole, not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedContinuation {
    /// Most tokens that are generated.
    pub max_new_tokens: usize,
    /// Fewest tokens, where the server heeds that.
    pub min_new_tokens: usize,
    /// Texts that end it.
    pub stop: Vec<String>,
    /// Which of several answers to the same text it is, from 0: each is drawn with a seed of its own.
    pub draw: u64,
}

/// The surprisals of a text's tokens as a server tells them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServedScore {
    /// The tokens, those included that the server puts in front.
    #[serde(flatten)]
    pub tokens: ServedTokens,
    /// −ln p(token | tokens before it), in nats, of the last of the tokens: all but the first, or all.
    pub nlls: Vec<f32>,
    /// Whether each of those is the likeliest at its place; nothing where the server does not tell.
    pub likeliest: Vec<bool>,
}

/// What the tokens of a served text spell, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedTokens {
    /// What each spells, as the server writes it.
    pub texts: Vec<String>,
    /// The byte of the text that was sent at which each begins; nothing where the server writes the text itself, as of
    /// messages.
    pub starts: Vec<usize>,
}

/// A continuation as a server tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServedText {
    /// The text, cut before the first stop text.
    pub text: String,
    /// What was thought before it, where the server parts that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Why it ended.
    pub finish: FinishReason,
    /// Tokens of what was sent, as the server counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<usize>,
    /// Tokens that were generated, as the server counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_tokens: Option<usize>,
    /// Seconds from sending to the first token, where the answer came token by token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token_seconds: Option<f64>,
    /// Seconds from sending to the end.
    pub seconds: f64,
}

impl ServedTokens {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The token that holds a byte of the text, or the last one.
    pub fn at_byte(&self, byte: usize) -> usize {
        // Tokens of parts of a character begin where it does.
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }
}
