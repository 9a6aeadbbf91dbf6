//! The engine: token sequences in, surprisals or continuations out.
//!
//! What requests have in common is computed once: they become a prefix tree, which is cut into flat
//! batches without padding ([`plan`]) and computed by the model (`executor`). An answer never depends
//! on what else was asked: on the CPU the same request gives the same bits alone, in any list and
//! under any budget. It never knows what a prompt is.

mod continuations;
pub mod continuous;
mod decode;
mod error;
mod executor;
mod fleet;
mod given_runs;
mod kept_rows;
pub mod memory;
mod model_executor;
mod options;
pub mod plan;
pub mod request;
mod sampling;
mod score;
mod sequence;
mod session;
mod shown_text;
mod statistics;
mod stop;
mod surprisals;

pub use error::RequestError;
pub use fleet::Fleet;
pub use kept_rows::RowKeeper;
pub use memory::MemoryEstimate;
pub use options::EngineOptions;
pub use request::{FinishReason, GenerateRequest, Generation, Score, ScoreRequest};
pub use sampling::Sampling;
pub use statistics::EngineStatistics;

pub use crate::ops::head::{RankedToken, TokenScore};

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use given_runs::GivenRuns;
use model_executor::ModelExecutor;
use plan::{BlockPool, SequenceLayout};
use session::Session;

use crate::model::spec::Reach;
use crate::model::vision::{ImageRows, is_image_id};
use crate::model::{Model, Tokenizer};

/// Raised whenever the engine computes other bits for the same question: answers that were kept before are
/// then asked again. The test `engine_numerics` holds the bits.
pub const NUMERICS: u32 = 1;

/// Scores and continues token sequences with one model.
#[derive(Clone, Debug)]
pub struct Engine {
    model: Model,
    options: EngineOptions,
    eos_ids: Vec<u32>,
    statistics: Arc<Mutex<EngineStatistics>>,
    is_stopped: Arc<AtomicBool>,
    /// Why its device computes nothing any more.
    lost: Arc<Mutex<Option<String>>>,
    given: GivenRuns,
}

impl Engine {
    /// An engine for `model`.
    ///
    /// A generation ends at any end-of-sequence token of the generation config or the tokenizer.
    pub fn new(model: Model, mut options: EngineOptions) -> Self {
        let decoder = &model.decoder;
        let free_bytes = || options::least_free_bytes(decoder);
        if let Some(free_bytes) = options.suits_device.then(free_bytes).flatten() {
            let number_bytes = decoder.dtype().size_in_bytes();
            options.batch_tokens =
                memory::device_pass_rows(decoder.spec(), number_bytes, free_bytes);
        }
        let mut eos_ids = Vec::new();
        if !options.ignore_eos {
            eos_ids.extend(&model.generation.eos_ids);
            eos_ids.extend(model.tokenizer.eos_id());
            eos_ids.sort_unstable();
            eos_ids.dedup();
        }
        let (statistics, is_stopped, lost) = Default::default();
        let given = GivenRuns::of(&model);
        Self { model, options, eos_ids, statistics, is_stopped, lost, given }
    }

    /// This engine, which asks `keeper` for rows of images before it makes them, and gives it those that it made.
    pub fn with_row_keeper(self, keeper: Arc<dyn RowKeeper>) -> Self {
        Self { given: self.given.with_keeper(keeper), ..self }
    }

    /// The model it computes with.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// How much it computes and keeps at once.
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// The model's tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.model.tokenizer
    }

    /// The ids by which an image stands in a sequence, beyond the vocabulary. `key` says what decides its rows, such as the hash of its
    /// content; `rows` is asked once for each key of the engine and its clones. They stay in memory as long as the engine does.
    ///
    /// # Errors
    /// Those of `rows`.
    pub fn image_ids<E: From<candle_core::Error>>(
        &self,
        key: &str,
        sees_both_ways: bool,
        rows: impl FnOnce() -> Result<ImageRows, E>,
    ) -> Result<Vec<u32>, E> {
        self.given.ids().image(key, sees_both_ways, || {
            let image = rows()?;
            let count = image.rows.dim(0)?;
            if image.grid.as_ref().is_some_and(|grid| grid.tokens() != count) {
                return Err(E::from(candle_core::Error::msg(
                    "an image has not as many rows as places",
                )));
            }
            if image.grid.is_some() && !self.given.has_places() {
                return Err(E::from(candle_core::Error::msg(
                    "the config of this model does not say how places in an image turn its heads: `mrope_section` is missing",
                )));
            }
            Ok(image)
        })
    }

    /// The ids of a prompt of tokens and images that all see each other, for models that see their prompts so
    /// ([`DecoderSpec::sees_prompt_both_ways`](crate::model::spec::DecoderSpec)). Ids of tokens may follow them.
    ///
    /// # Errors
    /// Its images are not whole.
    pub fn two_way_prompt(&self, ids: &[u32]) -> Result<Vec<u32>, RequestError> {
        self.given.layout(ids)?;
        Ok(self.given.ids().prompt(ids)?)
    }

    /// What it and its clones have done so far.
    pub fn statistics(&self) -> EngineStatistics {
        *self.statistics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes nothing from now on: whatever is not answered yet is answered with an error, at once.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// The surprisals of every request's tokens, in the order of the requests.
    ///
    /// `progress` hears how many tokens each pass computed.
    pub fn score(
        &self,
        requests: &[ScoreRequest],
        progress: &mut dyn FnMut(usize),
    ) -> Vec<Result<Score, RequestError>> {
        collected(requests.len(), |answer| self.score_each(requests, progress, answer))
    }

    /// As [`Self::score`], but `answer` is given each request's index and answer as soon as it is
    /// known. Which comes first follows from the requests' tokens.
    pub fn score_each(
        &self,
        requests: &[ScoreRequest],
        progress: &mut dyn FnMut(usize),
        answer: &mut dyn FnMut(usize, Result<Score, RequestError>),
    ) {
        score::score(self, requests, progress, answer);
    }

    /// The continuation of every request, in the order of the requests.
    ///
    /// `progress` hears how many tokens each pass computed.
    pub fn generate(
        &self,
        requests: &[GenerateRequest],
        progress: &mut dyn FnMut(usize),
    ) -> Vec<Result<Generation, RequestError>> {
        collected(requests.len(), |answer| self.generate_each(requests, progress, answer))
    }

    /// As [`Self::generate`], but `answer` is given each request's index and answer as soon as it is
    /// known.
    pub fn generate_each(
        &self,
        requests: &[GenerateRequest],
        progress: &mut dyn FnMut(usize),
        answer: &mut dyn FnMut(usize, Result<Generation, RequestError>),
    ) {
        decode::generate(self, requests, progress, answer);
    }

    /// Runs `work` with an empty store of keys and values for sequences of one reach, and keeps the
    /// books.
    fn session(
        &self,
        reach: Reach,
        progress: &mut dyn FnMut(usize),
        work: impl FnOnce(&mut Session<'_>),
    ) -> Result<(), RequestError> {
        let lost = || self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = lost().clone() {
            return Err(RequestError::DeviceLost(reason));
        }
        let kv_store = self.model.decoder.kv_store(self.options.block_tokens, reach)?;
        let bytes_per_block = kv_store.bytes_per_block().max(1);
        let budget_bytes =
            self.options.kv_budget_bytes(options::available_memory_bytes(&self.model.decoder));
        let pool = BlockPool::new(budget_bytes / bytes_per_block, kv_store.block_tokens());
        let decoder = &self.model.decoder;
        let mut executor =
            ModelExecutor::new(decoder, kv_store, pool.clone(), &self.is_stopped, &self.given);
        let mut statistics = self.statistics();
        let mut session = Session {
            executor: &mut executor,
            pool: pool.clone(),
            bytes_per_block,
            batch_tokens: self.options.batch_tokens,
            statistics: &mut statistics,
            lost: None,
            progress,
        };
        work(&mut session);
        if let Some(reason) = session.lost {
            *lost() = Some(reason);
        }
        statistics.forgotten_blocks += pool.capacity() - pool.free_blocks();
        *self.statistics.lock().unwrap_or_else(PoisonError::into_inner) = statistics;
        Ok(())
    }

    /// How far a sequence of `tokens` tokens goes. Sequences of different reach share nothing.
    fn reach(&self, tokens: usize) -> Reach {
        self.model.decoder.spec().reach(tokens)
    }

    /// Refuses what the model cannot read; `unread_tokens` at the end of the ids are targets only.
    fn check(&self, ids: &[u32], unread_tokens: usize) -> Result<(), RequestError> {
        let spec = self.model.decoder.spec();
        let (vocabulary_size, context_tokens) = (spec.vocabulary_size, spec.context_tokens);
        if ids.is_empty() {
            return Err(RequestError::Empty);
        }
        if ids.len() > context_tokens + unread_tokens {
            return Err(RequestError::TooLong { tokens: ids.len(), context_tokens });
        }
        match ids.iter().find(|&&id| id as usize >= vocabulary_size) {
            Some(&id) => Err(RequestError::UnknownToken { id, vocabulary_size }),
            None if spec.sees_prompt_both_ways => Err(RequestError::NoImage),
            None => Ok(()),
        }
    }

    /// As [`Self::check`] for sequences that may have images, and what their positions do not say of them.
    fn laid_out(
        &self,
        ids: &[u32],
        unread_tokens: usize,
    ) -> Result<Option<SequenceLayout>, RequestError> {
        let Some(layout) = self.given.layout(ids)? else {
            return self.check(ids, unread_tokens).map(|()| None);
        };
        let spec = self.model.decoder.spec();
        let (vocabulary_size, context_tokens) = (spec.vocabulary_size, spec.context_tokens);
        let is_unknown = |id: &&u32| !is_image_id(**id) && **id as usize >= vocabulary_size;
        if let Some(&id) = ids.iter().find(is_unknown) {
            return Err(RequestError::UnknownToken { id, vocabulary_size });
        }
        if ids.len() > context_tokens + unread_tokens {
            return Err(RequestError::TooLong { tokens: ids.len(), context_tokens });
        }
        if unread_tokens > 0 && ids.last().is_some_and(|&id| is_image_id(id)) {
            return Err(RequestError::EndsWithImage);
        }
        // A prompt seen both ways is one span from the first token on.
        if spec.sees_prompt_both_ways && layout.both_ways.first().is_none_or(|span| span.start > 0)
        {
            return Err(RequestError::NoImage);
        }
        Ok(Some(layout))
    }

    /// The error for a sequence whose output is not finite, with the layer where that began.
    fn not_finite(&self, ids: &[u32]) -> RequestError {
        if ids.iter().any(|&id| is_image_id(id)) {
            return RequestError::NotFinite { layer: None };
        }
        match self.model.decoder.first_broken_layer(ids) {
            Ok(layer) => RequestError::NotFinite { layer },
            Err(error) => error.into(),
        }
    }
}

/// The answers `ask` hears, by index.
fn collected<T>(
    count: usize,
    ask: impl FnOnce(&mut dyn FnMut(usize, Result<T, RequestError>)),
) -> Vec<Result<T, RequestError>> {
    let mut answers: Vec<Option<Result<T, RequestError>>> = (0..count).map(|_| None).collect();
    ask(&mut |index, answer| answers[index] = Some(answer));
    let forgotten = || Err(RequestError::Compute("the request was never computed".to_owned()));
    answers.into_iter().map(|answer| answer.unwrap_or_else(forgotten)).collect()
}
