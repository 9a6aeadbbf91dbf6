//! How a prompt is continued, whichever inferencer asks for it.

use super::{Draw, InferError, ModelDefaults, PreparedPrompt, Task, fit::Fitted};
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
    /// How tokens are drawn where a model's entry does not say it.
    sampling: Option<Sampling>,
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
            sampling: None,
            defaults: ModelDefaults::default(),
        }
    }

    /// The same with what a model's entry says where the inferencer's says nothing.
    pub(super) fn with_defaults(&self, defaults: ModelDefaults) -> Self {
        Self { defaults, ..self.clone() }
    }

    /// The same, drawn in this way where the model's entry does not draw.
    pub(super) fn drawn(self, sampling: Option<Sampling>) -> Self {
        Self { sampling, ..self }
    }

    /// Whether the inferencer's own entry says how tokens are drawn.
    pub(super) fn draws_itself(&self) -> bool {
        self.sampling.is_some()
    }

    fn sampling(&self) -> Option<Sampling> {
        self.defaults.sampling.or(self.sampling)
    }

    /// Whether the likeliest tokens are taken, so that every answer to a text is the same.
    pub(super) fn is_greedy(&self) -> bool {
        self.sampling().is_none_or(|sampling| sampling.is_greedy())
    }

    /// How many answers are drawn to a prompt, if the model's entry says it.
    pub(super) fn answers(&self) -> Option<usize> {
        self.defaults.answers.filter(|answers| *answers > 1)
    }

    /// Most tokens.
    pub(super) fn max_out_len(&self) -> usize {
        self.max_out_len.or(self.defaults.max_out_len).unwrap_or(DEFAULT_MAX_OUT_LEN_TOKENS)
    }

    /// Refuses `max_out_len` tokens that would leave no room for a prompt, or none for an answer.
    pub(super) fn check(task: &Task<'_>, max_out_len: usize) -> Result<(), InferError> {
        if max_out_len == 0 {
            return Err(InferError::Mismatch(
                "max_out_len is 0 tokens, so every answer would be empty; raise max_out_len"
                    .to_owned(),
            ));
        }
        // Behind a server, `max_seq_len` says when examples are dropped; what the context has room for, the server knows.
        let is_served = task.tokenizer.measured_tokens("").is_some();
        if is_served || max_out_len < task.max_seq_len_tokens {
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
        let thinking = task.tokenizer.thinking();
        let shown = thinking.map(|own| own.shown.clone()).unwrap_or_default();
        let thinking = thinking.map(|own| own.form(&fitted.text));
        PreparedPrompt { max_new_tokens, stop, thinking, shown, ..PreparedPrompt::of(fitted) }
    }

    /// What the engine is asked.
    pub(super) fn question(&self, prompt: &PreparedPrompt) -> Question {
        Question::Generate(GenerateRequest {
            ids: prompt.ids.clone(),
            max_new_tokens: prompt.max_new_tokens,
            min_new_tokens: self.min_out_len.or(self.defaults.min_out_len).unwrap_or(0),
            stop: prompt.stop.clone(),
            shown: prompt.shown.to_vec(),
            sampling: self.sampling().map(|sampling| own_draws(sampling, &prompt.ids, prompt.draw)),
        })
    }
}

/// Every prompt draws from random numbers of its own, whatever is asked beside it: the seed is mixed
/// with the prompt's tokens (FNV-1a), and for all but the first answer with which one it is.
pub(super) fn own_draws(sampling: Sampling, ids: &[u32], Draw { run, answer }: Draw) -> Sampling {
    let mix = |hash: u64, number: u64| (hash ^ number).wrapping_mul(0x0000_0100_0000_01b3);
    let seed =
        ids.iter().fold(sampling.seed ^ 0xcbf2_9ce4_8422_2325, |hash, id| mix(hash, (*id).into()));
    let is_first = run == 0 && answer == 0;
    let seed = if is_first { seed } else { mix(mix(seed, run as u64 + 1), answer as u64 + 1) };
    Sampling { seed, ..sampling }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_is_drawn_with_a_seed_of_its_own() {
        let sampling =
            Sampling { temperature: 1.0, top_k: None, top_p: None, min_p: None, seed: 7 };
        let seed = |run, answer| own_draws(sampling, &[1, 2], Draw { run, answer }).seed;
        let seeds = [seed(0, 0), seed(0, 1), seed(1, 0), seed(1, 1), seed(2, 0)];
        for (index, own) in seeds.iter().enumerate() {
            assert!(!seeds[..index].contains(own), "{index}");
        }
    }
}
