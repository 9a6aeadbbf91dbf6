//! A whole document in windows, as lm-eval's `get_rolling_token_windows` cuts it with a context of one token.

use std::ops::Range;

use super::pair::{beginning, encode_text};
use crate::infer::{PreparedPrompt, Task, fit::Fitted};

/// The windows of a document, each token of which is scored once.
pub(super) fn windows(task: &Task<'_>, text: &str) -> Result<Vec<PreparedPrompt>, String> {
    let tokenizer = task.tokenizer;
    let mut ids = vec![beginning(tokenizer)?];
    ids.extend(encode_text(tokenizer, text)?);
    let stretches = stretches(ids.len() - 1, task.max_seq_len_tokens);
    let count = stretches.len();
    let window = |(place, (read, context_tokens)): (usize, (Range<usize>, usize))| {
        let ids = ids.get(read).unwrap_or_default().to_vec();
        // The text is that of all windows; it stands with the first.
        let own = if place == 0 { text } else { "" };
        let fitted = Fitted { text: own.to_owned(), ids, truncated_tokens: 0 };
        PreparedPrompt {
            context_tokens,
            answer_start: context_tokens,
            answer_bytes: if count == 1 { own.len() } else { 0 },
            ..PreparedPrompt::of(fitted)
        }
    };
    Ok(stretches.into_iter().enumerate().map(window).collect())
}

/// Windows over a first token and `tokens` after it: what is read, its last token being scored only, and how many tokens
/// at its beginning are not scored. The last window reads as much before its tokens as the model can.
fn stretches(tokens: usize, max_seq_len_tokens: usize) -> Vec<(Range<usize>, usize)> {
    let mut found = Vec::new();
    let mut scored = 0;
    while scored < tokens {
        let end = (scored + max_seq_len_tokens.max(1)).min(tokens);
        // Of the tokens from 1 to `tokens`, those behind `scored` up to `end`.
        let start = end.saturating_sub(max_seq_len_tokens);
        found.push((start..end + 1, scored + 1 - start));
        scored = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// lm-eval's documentation: ten tokens and a context of four.
    #[test]
    fn the_last_window_reads_all_it_can() {
        assert_eq!(stretches(10, 4), [(0..5, 1), (4..9, 1), (6..11, 3)]);
        assert_eq!(stretches(3, 4), [(0..4, 1)]);
        assert_eq!(stretches(0, 4), []);
    }
}
