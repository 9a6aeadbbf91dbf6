//! Strings that end a generation.
//!
//! A stop string may begin inside one token and end inside another, so it is looked for in decoded
//! text. Decoding everything after every token would be quadratic; a tail long enough to hold the
//! longest stop string is decoded instead, and a hit is confirmed on the whole.

use super::shown_text::shown_text;
use crate::model::{ModelError, Tokenizer};

/// Tokens that are decoded beyond the longest stop string, since the first ones of a tail may be
/// the rest of a broken character or lose a leading space.
const MARGIN_TOKENS: usize = 8;

/// The stop strings of one request; empty ones are ignored.
#[derive(Debug)]
pub(super) struct StopStrings {
    strings: Vec<String>,
    /// Special tokens that are part of the text.
    shown: Vec<u32>,
    tail_tokens: usize,
}

impl StopStrings {
    /// Prepares the strings of a request.
    pub(super) fn new(strings: &[String], shown: &[u32]) -> Self {
        let strings: Vec<String> =
            strings.iter().filter(|string| !string.is_empty()).cloned().collect();
        // Every token that decodes to text stands for a byte at least.
        let longest_bytes = strings.iter().map(String::len).max().unwrap_or(0);
        Self { strings, shown: shown.to_vec(), tail_tokens: longest_bytes + MARGIN_TOKENS }
    }

    /// Where the first stop string in `text` begins.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        self.strings.iter().filter_map(|string| text.find(string.as_str())).min()
    }

    /// Whether the text of `ids` contains a stop string, given that it did not before its last
    /// token.
    pub(super) fn reached(&self, tokenizer: &Tokenizer, ids: &[u32]) -> Result<bool, ModelError> {
        if self.strings.is_empty() {
            return Ok(false);
        }
        let mut tail: Vec<u32> = ids
            .iter()
            .rev()
            .copied()
            .filter(|&id| !tokenizer.is_special(id) || self.shown.contains(&id))
            .take(self.tail_tokens)
            .collect();
        tail.reverse();
        Ok(self.find(&shown_text(tokenizer, &tail, &self.shown)?).is_some()
            && self.find(&shown_text(tokenizer, ids, &self.shown)?).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_stop_string_wins() {
        let strings = ["ab".to_owned(), String::new(), "b".to_owned()];
        let stop = StopStrings::new(&strings, &[]);
        assert_eq!(stop.find("xabb"), Some(1));
        assert_eq!(stop.find("xba"), Some(1));
        assert_eq!(stop.find("x"), None);
    }
}
