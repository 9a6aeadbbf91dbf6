//! Candidates of different length: their mean surprisal is over different numbers of tokens.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::infer::PreparedPrompt;

/// Says how many tokens they have.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    // The metrics of a task say themselves what they divide by.
    if subject.dataset.task.is_some() {
        return Vec::new();
    }
    let lengths_tokens = || asked.candidates().map(PreparedPrompt::uncut_tokens);
    let (Some(least), Some(most)) = (lengths_tokens().min(), lengths_tokens().max()) else {
        return Vec::new();
    };
    if least == most {
        return Vec::new();
    }
    vec![Finding::new(format!(
        "candidates have {least} to {most} tokens: surprisal is divided by the length of the whole text, so longer \
         ones share the easy beginning among more tokens"
    ))]
}
