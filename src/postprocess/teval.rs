//! `teval`: the JSON or the words of an answer in a dialogue with tools.

use super::{Processed, blank::strip};

/// What ends a turn, in the order in which the text is cut.
const ENDS: &[&str] = &["<eoa>", "<TOKENS_UNUSED_1>", "<|im_end|>", "\nuser", "\nUSER", "[INST]"];

/// What was said before the turn ended, out of its fence and of doubled braces.
pub(super) fn process(text: &str) -> Processed {
    let turn = ENDS.iter().fold(text, |text, end| text.split(end).next().unwrap_or_default());
    let turn = strip(turn);
    let answer = strip(turn.strip_prefix("```json").unwrap_or(turn).trim_matches('`'));
    let is_doubled = answer.starts_with("{{") && answer.ends_with("}}");
    let inner = answer.get(1..answer.len().saturating_sub(1)).filter(|_| is_doubled);
    Ok(inner.unwrap_or(answer).into())
}
