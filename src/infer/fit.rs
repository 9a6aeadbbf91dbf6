//! Making a prompt fit the model's context.
//!
//! In-context examples are dropped from the end of the list, one at a time, until the prompt fits. A
//! prompt that is too long without any example is cut by the tokenizer. Both are counted, because both
//! change what is measured. A prompt that is not cut, because it shows images, loses examples for the room of its answer too.
//!
//! A text of megabytes is cut before it is tokenised, to what could not possibly fit. From then on the
//! part that is left stands for it everywhere, in records too, and its tokens are all that is known: of
//! such a text, the count of tokens that were cut off is a lower bound.

use super::{InferError, Task, examples::Examples};
use crate::prompt::{Prompt, PromptError};

/// A text that fits as far as dropping examples can make it.
pub(super) struct Fitted {
    /// The text, or what is left of one of megabytes.
    pub(super) text: String,
    /// Its ids, cut to the room there is.
    pub(super) ids: Vec<u32>,
    /// Tokens that the cut removed; at least so many of a text of megabytes.
    pub(super) truncated_tokens: usize,
}

/// Builds a text with `write`, drops `examples` until it has at most `max_seq_len_tokens`, and cuts what
/// is left of it to `room_tokens`.
pub(super) fn fit(
    task: &Task<'_>,
    examples: &mut Examples,
    room_tokens: usize,
    write: impl Fn(&Prompt) -> Result<String, PromptError>,
) -> Result<Fitted, InferError> {
    fit_within(task, examples, [task.max_seq_len_tokens, room_tokens], write)
}

/// The same, examples being dropped until there are at most the first of these numbers of tokens, and the rest cut to
/// the second.
pub(super) fn fit_within(
    task: &Task<'_>,
    examples: &mut Examples,
    [limit_tokens, room_tokens]: [usize; 2],
    write: impl Fn(&Prompt) -> Result<String, PromptError>,
) -> Result<Fitted, InferError> {
    let sample = examples.sample();
    let untokenised = |what| InferError::Tokenizer { sample, what };
    loop {
        let mut text =
            write(examples.prompt()).map_err(|source| InferError::Prompt { sample, source })?;
        if let Some(tokens) = task.tokenizer.measured_tokens(&text) {
            // What is too long without examples is the server's to refuse: nobody here can cut it at a token.
            if tokens > limit_tokens && examples.drop_last(task)? {
                continue;
            }
            return Ok(Fitted { text, ids: Vec::new(), truncated_tokens: 0 });
        }
        let bounds = task.bounds(&text);
        let is_bounded = bounds.is_some();
        if is_bounded && examples.drop_last(task)? {
            continue;
        }
        if let Some(bounds) = bounds {
            text = String::from(&text[bounds]);
        }
        let mut ids = task.tokenizer.encode(&text).map_err(untokenised)?;
        let may_be_cut = task.tokenizer.is_cut(&text);
        let most_tokens = if may_be_cut { limit_tokens } else { limit_tokens.min(room_tokens) };
        if ids.len() > most_tokens && examples.drop_last(task)? {
            continue;
        }
        let uncut_tokens = ids.len();
        if uncut_tokens > room_tokens {
            ids = task.tokenizer.encode_within(&text, room_tokens).map_err(untokenised)?;
        }
        let truncated_tokens =
            (uncut_tokens - ids.len().min(uncut_tokens)).max(usize::from(is_bounded));
        return Ok(Fitted { text, ids, truncated_tokens });
    }
}
