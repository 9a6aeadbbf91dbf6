//! What an answer is made of, whether it is a completion or a chat's.

use serde_json::{Value, json};

use super::{
    asking::{AnsweredSequence, SequenceRequest},
    problem::Problem,
    served_model::ModelFacts,
};
use crate::engine::{FinishReason, continuous::Event};

/// From what is heard of sequences to JSON. The pieces of a stream say what the whole says.
pub(super) trait AnswerForm: Send {
    /// What the engine is asked; `seed` is for those that name none.
    fn sequences(&self, seed: u64) -> Vec<SequenceRequest>;

    /// Everything at once.
    fn whole(&mut self, answers: Vec<AnsweredSequence>, model: &ModelFacts) -> Value;

    /// What a stream begins with.
    fn beginning(&mut self, model: &ModelFacts) -> Vec<Value>;

    /// What is said when something is heard of a sequence, if anything.
    fn piece(
        &mut self,
        index: usize,
        event: Event,
        model: &ModelFacts,
    ) -> Result<Option<Value>, Problem>;

    /// The chunk that counts tokens, where it was asked for.
    fn count(&self, model: &ModelFacts) -> Option<Value>;

    /// Whether it is to come piece by piece.
    fn streams(&self) -> bool;

    /// Tokens of all prompts, each counted once.
    fn prompt_tokens(&self) -> usize;
}

/// Why a text ends, as OpenAI names it.
pub(super) fn finish_reason(finish: FinishReason) -> &'static str {
    match finish {
        FinishReason::Eos | FinishReason::Stop => "stop",
        FinishReason::Length => "length",
    }
}

/// The field `usage`. Tokens that were written count with the one that ended the text.
pub(super) fn usage(prompt_tokens: usize, completion_tokens: usize) -> Value {
    json!({
        "prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    })
}
