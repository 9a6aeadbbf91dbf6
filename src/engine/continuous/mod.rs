//! Requests that come one by one: each joins what is computed at the time.
//!
//! [`Engine::answer_as_they_come`] is for a server, as [`Engine::score`] and [`Engine::generate`] are for a list. An
//! answer is the same in both, to the bit on the CPU, whatever else is asked meanwhile. What prompts share is computed
//! once for as long as its keys and values are kept, which is until their memory is needed.

mod answering;
mod request;

use std::sync::mpsc::Receiver;

pub use request::{ContinuousRequest, Event, Listener, ScoredPrompt};

use super::{Engine, RequestError};
use crate::model::spec::Reach;
use answering::Answering;

/// How far an engine is with requests that come one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContinuousStatus {
    /// Requests that wait to be computed.
    pub waiting: usize,
    /// Requests that are computed.
    pub running: usize,
    /// Rows that went through the model so far.
    pub computed_tokens: usize,
    /// Tokens of prompts that had not to be computed, because others began alike.
    pub reused_tokens: usize,
    /// Tokens that were chosen.
    pub generated_tokens: usize,
    /// Tokens whose keys and values are kept for prompts to come.
    pub cached_tokens: usize,
    /// Bytes of blocks of keys and values that are in use or kept.
    pub kv_bytes: usize,
    /// Forward passes.
    pub batches: usize,
}

impl Engine {
    /// Answers requests until nobody can send one any more and all are answered. `watch` hears how far it is, after
    /// each pass.
    ///
    /// # Errors
    /// There is no memory for keys and values, or the device is lost; requests in the inbox are not answered.
    pub fn answer_as_they_come(
        &self,
        inbox: &Receiver<ContinuousRequest>,
        watch: &mut dyn FnMut(ContinuousStatus),
    ) -> Result<(), RequestError> {
        self.session(Reach::Native, &mut |_| (), |session| {
            Answering::new(self, session).until_closed(inbox, watch);
        })
    }

    /// Most tokens of a sequence that is answered as it comes. Where a model computes longer sequences differently, those
    /// are asked in lists alone.
    pub fn continuous_context_tokens(&self) -> usize {
        let spec = self.model.decoder.spec();
        spec.native_context_tokens()
            .map_or(spec.context_tokens, |border| border.min(spec.context_tokens))
    }
}
