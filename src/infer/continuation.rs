//! How a prompt is continued, whichever inferencer asks for it.

use super::{InferError, ModelDefaults, PreparedPrompt, Task, fit::Fitted};
use crate::{
    answer::Question,
    engine::{GenerateRequest, Sampling},
};

/// Tokens that are generated when neither the inferencer nor the model says how many.
const DEFAULT_MAX_OUT_LEN_TOKENS: usize = 512;

/// The part of an inferencer that generates.
#[derive(Clone, Debug)]
pub(super) struct Continuation {
    max_out_len: Option<usize>,
    min_out_len: Option<usize>,
    stopping_criteria: Vec<String>,
    defaults: ModelDefaults,
}

impl Continuation {
    /// What the inferencer's entry says.
    pub(super) fn new(
        max_out_len: Option<usize>,
        min_out_len: Option<usize>,
        stopping_criteria: Vec<String>,
    ) -> Self {
        Self {
            max_out_len,
            min_out_len,
            // An empty stop string would end everything at once.
            stopping_criteria: stopping_criteria
                .into_iter()
                .filter(|stop| !stop.is_empty())
                .collect(),
            defaults: ModelDefaults::default(),
        }
    }

    /// The same with what a model's entry says where the inferencer's says nothing.
    pub(super) fn with_defaults(&self, defaults: ModelDefaults) -> Self {
        Self { defaults, ..self.clone() }
    }

    /// Most tokens.
    pub(super) fn max_out_len(&self) -> usize {
        self.max_out_len.or(self.defaults.max_out_len).unwrap_or(DEFAULT_MAX_OUT_LEN_TOKENS)
    }

    /// Refuses `max_out_len` tokens that would leave no room for a prompt.
    pub(super) fn check(task: &Task<'_>, max_out_len: usize) -> Result<(), InferError> {
        if max_out_len < task.max_seq_len_tokens {
            return Ok(());
        }
        Err(InferError::Mismatch(format!(
            "max_out_len is {max_out_len} tokens and max_seq_len is {}: no room is left for a prompt; lower max_out_len",
            task.max_seq_len_tokens
        )))
    }

    /// A fitted text that is continued by at most `max_new_tokens`.
    pub(super) fn prompt(
        &self,
        task: &Task<'_>,
        fitted: Fitted,
        max_new_tokens: usize,
    ) -> PreparedPrompt {
        let stop = self.stopping_criteria.iter().chain(task.stop_words).cloned().collect();
        PreparedPrompt { max_new_tokens, stop, ..PreparedPrompt::of(fitted) }
    }

    /// What the engine is asked.
    pub(super) fn question(&self, prompt: &PreparedPrompt) -> Question {
        Question::Generate(GenerateRequest {
            ids: prompt.ids.clone(),
            max_new_tokens: prompt.max_new_tokens,
            min_new_tokens: self.min_out_len.or(self.defaults.min_out_len).unwrap_or(0),
            stop: prompt.stop.clone(),
            sampling: self.defaults.sampling.map(|sampling| own_draws(sampling, &prompt.ids)),
        })
    }
}

/// Every prompt draws from random numbers of its own, whatever is asked beside it: the seed is mixed
/// with the prompt's tokens (FNV-1a).
fn own_draws(sampling: Sampling, ids: &[u32]) -> Sampling {
    let mix = |hash: u64, id: &u32| (hash ^ u64::from(*id)).wrapping_mul(0x0000_0100_0000_01b3);
    Sampling { seed: ids.iter().fold(sampling.seed ^ 0xcbf2_9ce4_8422_2325, mix), ..sampling }
}
