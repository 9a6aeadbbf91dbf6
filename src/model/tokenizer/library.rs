//! The crate `tokenizers`, which runs what a file says, behind a wall.
//!
//! Every call that runs stages or a model goes through here: what would take unreasonable memory is refused
//! before ([`Parts`], [`Expansion`]), and a panic is an error. The crate stops a split at the first error of
//! its regular expressions without a word; that cannot be seen from here.

use std::sync::{Arc, OnceLock};

use tokenizers::{Encoding, PostProcessor as _, TruncationDirection};

use super::{expansion::Expansion, parts::Parts};
use crate::panic_guard::guarded;

/// A tokenizer of the crate whose stages were examined.
#[derive(Clone, Debug)]
pub(super) struct Library {
    inner: tokenizers::Tokenizer,
    expansion: Arc<Expansion>,
    longest_token_bytes: OnceLock<usize>,
}

impl Library {
    /// Reads a `tokenizer.json`. The error says what is wrong with it.
    pub(super) fn from_json(bytes: &[u8]) -> Result<Self, String> {
        let expansion = Parts::read(bytes)?.check()?;
        let inner = call(|| tokenizers::Tokenizer::from_bytes(bytes))
            .map_err(|error| format!("not a tokenizer: {error}"))?;
        Ok(Self::new(inner, expansion))
    }

    /// Puts a tokenizer together.
    pub(super) fn build(
        build: impl FnOnce() -> Result<tokenizers::Tokenizer, String>,
    ) -> Result<Self, String> {
        let inner = call(build)?;
        let expansion = Parts::of(&inner)?.check()?;
        Ok(Self::new(inner, expansion))
    }

    /// A tokenizer that knows no token.
    pub(super) fn without_vocabulary() -> Self {
        let inner = tokenizers::Tokenizer::new(tokenizers::models::bpe::BPE::default());
        Self::new(inner, Expansion::default())
    }

    fn new(inner: tokenizers::Tokenizer, expansion: Expansion) -> Self {
        Self { inner, expansion: Arc::new(expansion), longest_token_bytes: OnceLock::new() }
    }

    /// The tokenizer itself, for what only looks something up.
    pub(super) fn inner(&self) -> &tokenizers::Tokenizer {
        &self.inner
    }

    /// The tokenizer itself, to change what stands around a text.
    pub(super) fn inner_mut(&mut self) -> &mut tokenizers::Tokenizer {
        &mut self.inner
    }

    /// Bytes of the longest token, as the vocabulary writes it.
    pub(super) fn longest_token_bytes(&self) -> usize {
        *self
            .longest_token_bytes
            .get_or_init(|| self.inner.get_vocab(true).keys().map(String::len).max().unwrap_or(0))
    }

    /// The tokens of a text.
    pub(super) fn encode(&self, text: &str, add_special_tokens: bool) -> Result<Encoding, String> {
        self.expansion.check(text, self.inner.get_added_vocabulary())?;
        call(|| self.inner.encode_fast(text, add_special_tokens))
    }

    /// The tokens of a text with their places in it.
    pub(super) fn encode_with_places(
        &self,
        text: &str,
        add_special_tokens: bool,
    ) -> Result<Encoding, String> {
        self.expansion.check(text, self.inner.get_added_vocabulary())?;
        call(|| self.inner.encode(text, add_special_tokens))
    }

    /// As [`Self::encode`], cut to `most_tokens`. The text is cut, never the added special tokens, unless
    /// there is no room for these.
    pub(super) fn encode_truncated(
        &self,
        text: &str,
        add_special_tokens: bool,
        most_tokens: usize,
        side: TruncationDirection,
    ) -> Result<Encoding, String> {
        let mut encoding = self.encode(text, false)?;
        call(move || {
            let added = match self.inner.get_post_processor() {
                Some(processor) if add_special_tokens => processor.added_tokens(false),
                _ => 0,
            };
            encoding.truncate(most_tokens.saturating_sub(added), 0, side);
            self.inner.post_process(encoding, None, add_special_tokens)
        })
    }

    /// The text of ids.
    pub(super) fn decode(&self, ids: &[u32], skip_special_tokens: bool) -> Result<String, String> {
        call(|| self.inner.decode(ids, skip_special_tokens))
    }
}

/// Calls the crate.
fn call<T, E: ToString>(work: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match guarded(work) {
        Ok(outcome) => outcome.map_err(|error| error.to_string()),
        Err(panic) => Err(format!(
            "the tokenizer library gave up ({panic}); the tokenizer's file is damaged or asks for something \
             that makes no sense"
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A tokenizer that knows `a` and `b`, with one part of its own.
    fn library(part: &str, value: Value) -> Result<Library, String> {
        let mut file = json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
            "normalizer": null, "pre_tokenizer": null, "post_processor": null, "decoder": null,
            "model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "[UNK]": 2}, "unk_token": "[UNK]"},
        });
        file[part] = value;
        Library::from_json(file.to_string().as_bytes())
    }

    #[test]
    fn what_the_library_panics_at_is_an_error() {
        let replace =
            |pattern: Value| json!({"type": "Replace", "pattern": pattern, "content": "b"});
        let refusal =
            library("normalizer", replace(json!({"String": ""}))).map(|_| ()).unwrap_err();
        assert!(refusal.contains("Replace with an empty pattern"), "{refusal}");
        let refusal = library("decoder", replace(json!({"String": ""}))).map(|_| ()).unwrap_err();
        assert!(refusal.contains("`decoder`"), "{refusal}");
        let odd = call(|| -> Result<(), String> { panic!("odd") }).unwrap_err();
        assert!(odd.contains("gave up (odd)"), "{odd}");
        let damaged = json!({"type": "Precompiled", "precompiled_charsmap": "AAAA"});
        assert!(library("normalizer", damaged).is_err());
    }

    #[test]
    fn stages_that_eat_memory_are_refused() {
        let double = json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"});
        let chain = |count: usize, stage: &Value| json!({"type": "Sequence", "normalizers": vec![stage.clone(); count]});
        let refusal = library("normalizer", chain(40, &double)).map(|_| ()).unwrap_err();
        assert!(refusal.contains("1e12 times as long"), "{refusal}");
        let prepend = json!({"type": "Prepend", "prepend": "a".repeat(1 << 20)});
        let refusal = library("normalizer", chain(30, &prepend)).map(|_| ()).unwrap_err();
        assert!(refusal.contains("a Prepend of"), "{refusal}");
        let some = library("normalizer", chain(14, &double)).unwrap();
        assert!(some.encode("a", false).is_ok());
        let refusal = some.encode(&"a".repeat(1 << 16), false).map(|_| ()).unwrap_err();
        assert!(refusal.contains("MB of a part of this text"), "{refusal}");
    }
}
