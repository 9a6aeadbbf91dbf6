//! Tokens with the text they stand for.

use std::ops::Range;

use super::Tokenizer;
use crate::model::error::ModelError;

/// One token of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenSpan {
    /// Its id.
    pub id: u32,
    /// Its bytes in the text; empty for a token that the tokenizer adds. A character that several tokens
    /// share is in the range of each.
    pub bytes: Range<usize>,
}

impl Tokenizer {
    /// As [`Self::encode`], with the place of every token. Slower; for people.
    ///
    /// Some tokenizers do not count the space that a token begins with to it. It is counted here: every
    /// byte belongs to the token that ends behind it.
    pub fn encode_with_spans(
        &self,
        text: &str,
        add_special_tokens: bool,
    ) -> Result<Vec<TokenSpan>, ModelError> {
        let encoding = self
            .library
            .encode_with_places(text, add_special_tokens)
            .map_err(|problem| self.failed(problem))?;
        let mut covered = 0;
        let tokens = encoding.get_ids().iter().zip(encoding.get_offsets());
        Ok(tokens
            .zip(encoding.get_special_tokens_mask())
            .map(|((id, (start, end)), added)| {
                if *added == 1 {
                    return TokenSpan { id: *id, bytes: covered..covered };
                }
                let end = (*end).max(covered);
                let start = (*start).min(covered).min(end);
                covered = end;
                TokenSpan { id: *id, bytes: start..end }
            })
            .collect())
    }
}
