//! Making a prompt fit the model's context.
//!
//! In-context examples are dropped from the end of the list, one at a time, until the prompt fits. A
//! prompt that is too long without any example is cut by the tokenizer. Both are counted, because both
//! change what is measured.

use super::{InferError, Task};
use crate::prompt::{Prompt, PromptError};

/// A text that fits as far as dropping examples can make it.
pub(super) struct Fitted {
    /// The text.
    pub(super) text: String,
    /// The examples in it.
    pub(super) ice: Prompt,
    /// Its ids, cut to the room there is.
    pub(super) ids: Vec<u32>,
    /// Tokens that the cut removed.
    pub(super) truncated_tokens: usize,
}

/// Builds a text with `write`, shortens `chosen` until it has at most `max_seq_len_tokens`, and cuts
/// what is left of it to `room_tokens`.
pub(super) fn fit(
    task: &Task<'_>,
    sample: usize,
    chosen: &mut Vec<usize>,
    room_tokens: usize,
    write: impl Fn(&Prompt) -> Result<String, PromptError>,
) -> Result<Fitted, InferError> {
    let failed = |source| InferError::Prompt { sample, source };
    let untokenised = |what| InferError::Tokenizer { sample, what };
    loop {
        let ice = task.ice(chosen).map_err(failed)?;
        let text = write(&ice).map_err(failed)?;
        let mut ids = task.tokenizer.encode(&text).map_err(untokenised)?;
        if ids.len() > task.max_seq_len_tokens && chosen.pop().is_some() {
            continue;
        }
        let uncut_tokens = ids.len();
        if uncut_tokens > room_tokens {
            ids = task.tokenizer.encode_within(&text, room_tokens).map_err(untokenised)?;
        }
        return Ok(Fitted {
            truncated_tokens: uncut_tokens - ids.len().min(uncut_tokens),
            text,
            ice,
            ids,
        });
    }
}
