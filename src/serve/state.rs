//! What all connections share.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    mpsc,
};

use super::{
    answer_form::AnswerForm, asking::Asked, limits::Limits, metrics::Metrics, problem::Problem,
    served_model::ModelFacts,
};
use crate::engine::continuous::ContinuousRequest;

/// See the module.
#[derive(Debug)]
pub(super) struct ServerState {
    pub(super) model: ModelFacts,
    pub(super) limits: Limits,
    pub(super) metrics: Metrics,
    pub(super) clock: fn() -> jiff::Zoned,
    /// When it began, in seconds since 1970.
    pub(super) started_second: i64,
    api_key: Option<String>,
    /// Where the engine hears of requests; nothing once it is to end.
    inbox: Mutex<Option<mpsc::Sender<ContinuousRequest>>>,
    /// Sequences that wait or are computed.
    open: Arc<AtomicUsize>,
    is_ending: AtomicBool,
    /// Why the engine computes nothing any more.
    broken: Mutex<Option<String>>,
    /// Counts answers.
    answers: AtomicU64,
    seed: u64,
}

impl ServerState {
    pub(super) fn new(
        model: ModelFacts,
        options: &super::ServeOptions,
        inbox: mpsc::Sender<ContinuousRequest>,
    ) -> Self {
        Self {
            model,
            limits: options.limits,
            metrics: Metrics::default(),
            clock: options.clock,
            started_second: (options.clock)().timestamp().as_second(),
            api_key: options.api_key.clone(),
            inbox: Mutex::new(Some(inbox)),
            open: Arc::default(),
            is_ending: AtomicBool::new(false),
            broken: Mutex::new(None),
            answers: AtomicU64::new(0),
            seed: options.seed,
        }
    }

    /// Whether a request brings the key, in `Authorization`.
    pub(super) fn admits(&self, authorization: Option<&[u8]>) -> bool {
        let Some(key) = &self.api_key else { return true };
        let given = authorization.and_then(|value| value.strip_prefix(b"Bearer "));
        given.is_some_and(|given| {
            // As long for a key that is wrong at its beginning as at its end.
            let pairs = given.iter().zip(key.as_bytes());
            let differing = pairs.fold(0, |differing, (one, other)| differing | (one ^ other));
            given.len() == key.len() && differing == 0
        })
    }

    /// A number for an answer that no other has, as part of its name.
    pub(super) fn next_answer(&self) -> u64 {
        self.answers.fetch_add(1, Ordering::Relaxed)
    }

    /// The seed of an answer that names none.
    pub(super) fn seed_of(&self, answer: u64) -> u64 {
        // SplitMix64: answers that follow each other have nothing in common.
        let mut seed = self.seed.wrapping_add((answer + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        seed = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        seed = (seed ^ (seed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        seed ^ (seed >> 31)
    }

    /// The name of an answer.
    pub(super) fn answer_name(&self, kind: &str, answer: u64) -> String {
        format!("{kind}-{:016x}{answer:08x}", self.seed)
    }

    /// Hands an answer's sequences to the engine.
    pub(super) fn ask(&self, form: &dyn AnswerForm, seed: u64) -> Result<Asked, Problem> {
        if self.is_ending() {
            return Err(Problem::ending());
        }
        if let Some(reason) = self.broken() {
            return Err(Problem::failed(reason));
        }
        let Limits { sequences, request_seconds, .. } = self.limits;
        let (asked, requests) =
            Asked::prepare(form.sequences(seed), &self.open, sequences, request_seconds)?;
        let inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(inbox) = inbox.as_ref() else { return Err(Problem::ending()) };
        for request in requests {
            inbox.send(request).map_err(|_| Problem::failed("the engine has stopped"))?;
        }
        self.metrics.asked(form.prompt_tokens());
        Ok(asked)
    }

    /// Sequences that wait or are computed.
    pub(super) fn open_sequences(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// From now on nothing new is taken up.
    pub(super) fn end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Lets the engine end when it has answered what it has.
    pub(super) fn close_inbox(&self) {
        *self.inbox.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Notes that the engine computes nothing any more.
    pub(super) fn broke(&self, reason: String) {
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    }

    pub(super) fn broken(&self) -> Option<String> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
