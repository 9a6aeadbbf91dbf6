//! Prompts that were cut.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};

/// A prompt that is too long even without examples.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let longest = asked.prepared.prompts.iter().max_by_key(|prompt| prompt.truncated_tokens);
    let told = longest.filter(|prompt| prompt.truncated_tokens > 0).map(|prompt| {
        Finding::new(format!(
            "{} of {} tokens are cut off, since they do not fit into {} tokens{}",
            prompt.truncated_tokens,
            prompt.uncut_tokens(),
            subject.task.max_seq_len_tokens,
            match prompt.max_new_tokens {
                0 => String::new(),
                tokens => format!(" together with {tokens} new ones"),
            }
        ))
    });
    told.into_iter().collect()
}
