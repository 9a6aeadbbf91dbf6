//! A tokenizer in a few facts.

use serde::Serialize;
use tokenizers::ModelWrapper;

use super::{SharedText, Tokenizer};
use crate::model::error::ModelError;

/// A text that every tokenizer has tokens for, to see what is put around it.
const PROBE: &str = "a";

/// What a person wants to know of a tokenizer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokenizerFacts {
    /// Its algorithm: `BPE`, `Unigram`, `WordPiece` or `WordLevel`.
    pub kind: &'static str,
    /// Tokens, with those that were added.
    pub vocabulary_size: usize,
    /// The token that begins a sequence, if there is one.
    pub bos_token: Option<String>,
    /// The token that ends a sequence, if there is one.
    pub eos_token: Option<String>,
    /// What it puts before every text by itself.
    pub added_before: Vec<String>,
    /// What it puts behind every text by itself.
    pub added_behind: Vec<String>,
    /// Special tokens, in the order of their ids.
    pub special_tokens: Vec<String>,
    /// Whether the common parts of several texts are encoded once, see [`SharedText`](super::SharedText).
    pub shares_text: bool,
}

impl Tokenizer {
    /// What a person wants to know of it.
    pub fn facts(&self) -> Result<TokenizerFacts, ModelError> {
        let (added_before, added_behind) = self.surroundings()?;
        let mut special_tokens = self.special_tokens();
        special_tokens.sort_by_key(|token| self.token_id(token));
        Ok(TokenizerFacts {
            kind: match self.library.inner().get_model() {
                ModelWrapper::BPE(_) => "BPE",
                ModelWrapper::Unigram(_) => "Unigram",
                ModelWrapper::WordPiece(_) => "WordPiece",
                ModelWrapper::WordLevel(_) => "WordLevel",
            },
            vocabulary_size: self.library.inner().get_vocab_size(true),
            bos_token: self.settings.bos_token.clone(),
            eos_token: self.settings.eos_token.clone(),
            added_before,
            added_behind,
            special_tokens,
            shares_text: SharedText::new(self).shares(),
        })
    }

    /// The text of a token, if there is one of that id.
    pub fn token(&self, id: u32) -> Option<String> {
        self.library.inner().id_to_token(id)
    }

    /// The tokens before and behind a text that special tokens are added to.
    fn surroundings(&self) -> Result<(Vec<String>, Vec<String>), ModelError> {
        let (plain, whole) = (self.encode(PROBE, false)?, self.encode(PROBE, true)?);
        let found = whole.windows(plain.len().max(1)).position(|part| part == plain);
        let start = found.unwrap_or(whole.len());
        let end = (start + plain.len()).min(whole.len());
        let texts = |ids: &[u32]| ids.iter().filter_map(|&id| self.token(id)).collect();
        Ok((texts(&whole[..start]), texts(&whole[end..])))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_stands_around_a_text_is_told() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let facts =
            |folder: &str| Tokenizer::read(&fixtures.join(folder)).unwrap().facts().unwrap();
        let bare = facts("models/llama");
        assert_eq!((bare.kind, bare.added_before.len()), ("BPE", 0));
        let wrapped = facts("e2e_models/tiny-llama-bos");
        assert_eq!(wrapped.added_before, [wrapped.bos_token.unwrap()]);
        assert!(wrapped.added_behind.is_empty());
    }
}
