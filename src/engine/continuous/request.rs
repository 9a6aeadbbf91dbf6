//! What is asked while the engine is at work, and what is heard of it.

use crate::engine::{GenerateRequest, Generation, RequestError};
use crate::ops::head::TokenScore;

/// A request that joins those that are computed.
pub struct ContinuousRequest {
    /// The prompt and how it is continued; with a `max_new_tokens` of 0 not at all.
    pub generate: GenerateRequest,
    /// Which of the prompt's tokens are scored.
    pub scored: Option<ScoredPrompt>,
    /// Of each token that is chosen the score, with so many of the likeliest tokens beside it.
    pub ranked: Option<usize>,
    /// Who hears what becomes of it.
    pub listener: Box<dyn Listener>,
}

/// Which tokens of a prompt are scored, and how much is said of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredPrompt {
    /// Index of the first. Token 0 has nothing before it and is never scored, so 0 means the same as 1.
    pub first_target: usize,
    /// How many of the likeliest tokens are named beside it.
    pub ranked: usize,
}

/// What becomes of a request, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The scores of its prompt's tokens, from `max(first_target, 1)` on. Once, where they were asked for.
    Scored(Vec<TokenScore>),
    /// A token that was chosen.
    Token {
        /// The token.
        id: u32,
        /// Whether it ends the sequence and is no part of the text.
        is_end: bool,
        /// Its score, where that was asked for.
        score: Option<TokenScore>,
    },
    /// The end.
    Ended(Result<Generation, RequestError>),
}

/// Who hears what becomes of a request. It is called from the thread that computes, so it waits for nothing.
pub trait Listener: Send {
    /// Hears of it.
    fn hear(&mut self, event: Event);

    /// Whether nobody wants to know any more: then no more is computed for it.
    fn is_gone(&self) -> bool;
}
