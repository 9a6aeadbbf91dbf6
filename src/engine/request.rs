//! What the engine is asked and what it answers.
//!
//! Everything is token ids here: the engine never knows what a prompt is, and no other part of the
//! crate knows how tokens are batched.

use std::sync::Arc;

use super::sampling::Sampling;

/// Asks for the surprisal of a sequence's tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreRequest {
    /// The whole sequence, special tokens included.
    pub ids: Arc<[u32]>,
    /// Index of the first token that is scored. Token 0 has nothing before it and is never scored,
    /// so 0 means the same as 1.
    pub first_target: usize,
}

/// The answer to a [`ScoreRequest`]: a number and a flag for each of the tokens
/// `max(first_target, 1)..ids.len()`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// −ln p(token | tokens before it), in nats; 0 at the rows of an image, which no model predicts.
    pub nlls: Vec<f32>,
    /// Whether the token is the likeliest after those before it: the argmax of the logits, of equals the
    /// lowest id. As long as `nlls`.
    pub likeliest: Vec<bool>,
}

/// Asks for a continuation.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerateRequest {
    /// The prompt, special tokens included.
    pub ids: Arc<[u32]>,
    /// Most tokens that are generated.
    pub max_new_tokens: usize,
    /// Fewest tokens before an end-of-sequence token is allowed to win.
    pub min_new_tokens: usize,
    /// Generation ends as soon as the decoded continuation contains one of these.
    pub stop: Vec<String>,
    /// Special tokens that stand in the text with their own; all others are skipped.
    pub shown: Vec<u32>,
    /// How tokens are drawn; `None` for always the likeliest.
    pub sampling: Option<Sampling>,
}

/// The answer to a [`GenerateRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Generated ids, without the end-of-sequence token that ended them.
    pub ids: Vec<u32>,
    /// Their text, special tokens skipped that are not to be shown, cut before the first stop string.
    pub text: String,
    /// Why it ended.
    pub finish: FinishReason,
}

/// Why a generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// An end-of-sequence token.
    Eos,
    /// A stop string.
    Stop,
    /// `max_new_tokens` were generated, or the model's context is full.
    Length,
}
