//! The engine: token sequences in, surprisals or continuations out.
//!
//! It packs requests into flat batches up to a token budget, without padding, and runs the decoder
//! over them. An answer never depends on what else was asked: on the CPU the same request gives the
//! same bits alone, in any list and under any budget. It never knows what a prompt is.

mod batch;
mod continuations;
mod decode;
mod error;
mod executor;
pub mod plan;
pub mod request;
pub mod sampling;
mod score;
mod sequence;
mod session;
mod statistics;
mod stop;
mod surprisals;

pub use batch::Batch;
pub use error::RequestError;
pub use request::{FinishReason, GenerateRequest, Generation, Score, ScoreRequest};

use crate::model::{Model, Tokenizer};

/// How much is computed at once. No answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Most rows of a forward pass; a single longer request still gets a pass of its own.
    pub batch_tokens: usize,
    /// Most sequences that are generated side by side.
    pub live_sequences: usize,
    /// Generates on past end-of-sequence tokens. For measuring speed; changes generations.
    pub ignore_eos: bool,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { batch_tokens: 2048, live_sequences: 64, ignore_eos: false }
    }
}

/// Scores and continues token sequences with one model.
#[derive(Clone, Debug)]
pub struct Engine {
    model: Model,
    options: EngineOptions,
    eos_ids: Vec<u32>,
}

impl Engine {
    /// An engine for `model`.
    ///
    /// A generation ends at any end-of-sequence token of the generation config or the tokenizer.
    pub fn new(model: Model, options: EngineOptions) -> Self {
        let mut eos_ids = Vec::new();
        if !options.ignore_eos {
            eos_ids.extend(&model.generation.eos_ids);
            eos_ids.extend(model.tokenizer.eos_id());
            eos_ids.sort_unstable();
            eos_ids.dedup();
        }
        Self { model, options, eos_ids }
    }

    /// The model it computes with.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The model's tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.model.tokenizer
    }

    /// The surprisals of every request's tokens, in the order of the requests.
    ///
    /// `progress` hears how many tokens each pass computed.
    pub fn score(
        &self,
        requests: &[ScoreRequest],
        progress: &mut dyn FnMut(usize),
    ) -> Vec<Result<Score, RequestError>> {
        score::score(self, requests, progress)
    }

    /// The greedy continuation of every request, in the order of the requests.
    ///
    /// `progress` hears how many tokens each pass computed.
    pub fn generate(
        &self,
        requests: &[GenerateRequest],
        progress: &mut dyn FnMut(usize),
    ) -> Vec<Result<Generation, RequestError>> {
        decode::generate(self, requests, progress)
    }

    /// Refuses what the model cannot read.
    fn check(&self, ids: &[u32]) -> Result<(), RequestError> {
        let spec = self.model.decoder.spec();
        let (vocabulary_size, context_tokens) = (spec.vocabulary_size, spec.context_tokens);
        if ids.is_empty() {
            return Err(RequestError::Empty);
        }
        if ids.len() > context_tokens {
            return Err(RequestError::TooLong { tokens: ids.len(), context_tokens });
        }
        match ids.iter().find(|&&id| id as usize >= vocabulary_size) {
            Some(&id) => Err(RequestError::UnknownToken { id, vocabulary_size }),
            None => Ok(()),
        }
    }

    /// The error for a sequence whose output is not finite, with the layer where that began.
    fn not_finite(&self, ids: &[u32]) -> RequestError {
        match self.model.decoder.first_broken_layer(ids) {
            Ok(layer) => RequestError::NotFinite { layer },
            Err(error) => error.into(),
        }
    }
}
