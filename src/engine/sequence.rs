//! A sequence while it is being generated.

use super::error::RequestError;
use super::request::{FinishReason, GenerateRequest, Generation};
use super::sampling::Sampling;
use super::shown_text::shown_text;
use super::stop::StopStrings;
use crate::model::{ModelError, Tokenizer};

/// One live sequence of a [`super::Engine::generate`] call.
#[derive(Debug)]
pub(super) struct Sequence {
    request: GenerateRequest,
    stop: StopStrings,
    generated: Vec<u32>,
    most_new_tokens: usize,
}

impl Sequence {
    /// A sequence of which nothing is computed yet.
    pub(super) fn new(request: &GenerateRequest, context_tokens: usize) -> Self {
        let room_tokens = context_tokens.saturating_sub(request.ids.len());
        let most_new_tokens = request.max_new_tokens.min(room_tokens);
        Self {
            request: request.clone(),
            stop: StopStrings::new(&request.stop, &request.shown),
            generated: Vec::new(),
            most_new_tokens,
        }
    }

    /// Whether the budget allows no further token.
    pub(super) fn is_full(&self) -> bool {
        self.generated.len() >= self.most_new_tokens
    }

    /// Most tokens that are still generated; the model's context allows that many.
    pub(super) fn most_new_tokens(&self) -> usize {
        self.most_new_tokens - self.generated.len()
    }

    /// How many tokens it has so far, the prompt included.
    pub(super) fn tokens(&self) -> usize {
        self.request.ids.len() + self.generated.len()
    }

    /// How many tokens are generated.
    pub(super) fn generated_tokens(&self) -> usize {
        self.generated.len()
    }

    /// How its tokens are drawn.
    pub(super) fn sampling(&self) -> Option<&Sampling> {
        self.request.sampling.as_ref()
    }

    /// All tokens so far.
    pub(super) fn ids(&self) -> Vec<u32> {
        [&*self.request.ids, &self.generated].concat()
    }

    /// The tokens that must not be chosen next, out of those that end a sequence.
    pub(super) fn banned<'e>(&self, eos_ids: &'e [u32]) -> &'e [u32] {
        if self.generated.len() < self.request.min_new_tokens { eos_ids } else { &[] }
    }

    /// Takes up the next token; the reason to end, if it is one.
    pub(super) fn push(
        &mut self,
        id: u32,
        eos_ids: &[u32],
        tokenizer: &Tokenizer,
    ) -> Result<Option<FinishReason>, ModelError> {
        if eos_ids.contains(&id) {
            return Ok(Some(FinishReason::Eos));
        }
        self.generated.push(id);
        if self.stop.reached(tokenizer, &self.generated)? {
            return Ok(Some(FinishReason::Stop));
        }
        Ok(self.is_full().then_some(FinishReason::Length))
    }

    /// The finished answer.
    pub(super) fn finish(
        self,
        finish: FinishReason,
        tokenizer: &Tokenizer,
    ) -> Result<Generation, RequestError> {
        let mut text = shown_text(tokenizer, &self.generated, &self.request.shown)
            .map_err(|error| RequestError::Compute(error.to_string()))?;
        if let Some(cut) = self.stop.find(&text) {
            text.truncate(cut);
        }
        Ok(Generation { ids: self.generated, text, finish })
    }
}
