//! What a chat model leaves in a text beside its answer: its thoughts and the tokens that end a turn.

use std::sync::LazyLock;

use super::{
    PostprocessError,
    python_regex::{PatternError, PythonRegex},
};

/// Removes `<|endoftext|>` and `<|im_end|>`.
pub(super) fn without_end_tokens(text: &str) -> String {
    text.replace("<|endoftext|>", "").replace("<|im_end|>", "")
}

/// Removes thoughts that have a beginning and an end.
pub(super) fn without_closed_thoughts(text: &str) -> Result<String, PatternError> {
    static CLOSED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?s)<think>.*?</think>"));
    CLOSED.replace(text, "")
}

/// Removes thoughts, also those that began in the prompt: all up to the last `</think>`, and the blanks
/// after it.
pub(super) fn without_thoughts(text: &str) -> Result<String, PatternError> {
    static OPENED_BEFORE: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?s).*?</think>\s*"));
    OPENED_BEFORE.replace(&without_closed_thoughts(text)?, "")
}

/// Removes closed thoughts; thoughts that never end leave nothing.
pub(super) fn after_finished_thoughts(text: &str) -> Result<String, PostprocessError> {
    if !text.contains("<think>") {
        return Ok(text.to_owned());
    }
    if !text.contains("</think>") {
        return Ok(String::new());
    }
    Ok(without_closed_thoughts(text)?)
}
