//! Encoding many texts that have much in common.
//!
//! The prompts of a benchmark repeat each other: the same examples stand in front of every question,
//! and the same question in front of every candidate. Here a text is encoded passage by passage and
//! what is not known of a passage word by word; passages and words that were met before come from a
//! cache. Where a text may be cut is a matter of the tokenizer ([`Cuts`]), and the ids are those of
//! [`Tokenizer::encode`], which stays the definition: a tokenizer without cuts is simply asked.

use std::ops::Range;

use super::{TokenSpan, Tokenizer, TruncationSide, chunk_cache::ChunkCache, cuts::Cuts};
use crate::{model::error::ModelError, panic_guard::guarded};

/// A passage with a line break in it ends at the first cut behind so many bytes …
const LINES_BYTES: usize = 64;

/// … and any passage at the first cut behind so many. Where a passage ends depends on nothing but the
/// text since its beginning, so texts that begin alike are divided alike.
const PASSAGE_BYTES: usize = 512;

/// A tokenizer that remembers what it has encoded.
#[derive(Debug)]
pub struct SharedText<'a> {
    tokenizer: &'a Tokenizer,
    parts: Option<Parts>,
}

/// What encoding a text in parts needs.
#[derive(Debug)]
struct Parts {
    cuts: Cuts,
    /// Words that continue a text are encoded behind this letter, so that nothing is done to them that
    /// is only done to the beginning of a text.
    stand_in: String,
    stand_in_ids: Vec<u32>,
    /// Ids before and behind every text, if special tokens are added.
    around: (Vec<u32>, Vec<u32>),
    beginnings: ChunkCache,
    continuations: ChunkCache,
}

impl<'a> SharedText<'a> {
    /// An encoder that has seen nothing yet.
    pub fn new(tokenizer: &'a Tokenizer) -> Self {
        Self { tokenizer, parts: Parts::of(tokenizer) }
    }

    /// What it encodes with.
    pub fn tokenizer(&self) -> &'a Tokenizer {
        self.tokenizer
    }

    /// Whether anything is shared: texts of other tokenizers are encoded whole.
    pub fn shares(&self) -> bool {
        self.parts.is_some()
    }

    /// As [`Tokenizer::encode`].
    pub fn encode(&self, text: &str, add_special_tokens: bool) -> Result<Vec<u32>, ModelError> {
        let Some(parts) = &self.parts else {
            return self.tokenizer.encode(text, add_special_tokens);
        };
        let ids = parts.encode(self.tokenizer, text)?;
        Ok(if add_special_tokens { parts.surrounded(&ids) } else { ids })
    }

    /// As [`Tokenizer::encode_truncated`].
    pub fn encode_truncated(
        &self,
        text: &str,
        add_special_tokens: bool,
        most_tokens: usize,
        side: TruncationSide,
    ) -> Result<Vec<u32>, ModelError> {
        let Some(parts) = &self.parts else {
            return self.tokenizer.encode_truncated(text, add_special_tokens, most_tokens, side);
        };
        let ids = parts.encode(self.tokenizer, text)?;
        let added = match &parts.around {
            (first, last) if add_special_tokens => first.len() + last.len(),
            _ => 0,
        };
        let kept = ids.len().min(most_tokens.saturating_sub(added));
        let ids = match side {
            TruncationSide::Left => &ids[ids.len() - kept..],
            TruncationSide::Right => &ids[..kept],
        };
        let mut ids = if add_special_tokens { parts.surrounded(ids) } else { ids.to_vec() };
        ids.truncate(most_tokens);
        Ok(ids)
    }
}

impl SharedText<'_> {
    /// The shortest stretch between two cuts that holds byte `at` of `text`; all of it if nothing is
    /// shared.
    pub fn stretch(&self, text: &str, at: usize) -> Range<usize> {
        match &self.parts {
            Some(parts) => parts.cuts.last(text, at)..parts.cuts.next(text, at),
            None => 0..text.len(),
        }
    }

    /// The tokens of a stretch as they are in its whole text, of which it may be the beginning, with
    /// their places in the stretch and without special tokens.
    pub fn encode_stretch(
        &self,
        stretch: &str,
        begins: bool,
    ) -> Result<Vec<TokenSpan>, ModelError> {
        let Some(parts) = self.parts.as_ref().filter(|_| !begins) else {
            return self.tokenizer.encode_with_spans(stretch, false);
        };
        let behind = format!("{}{stretch}", parts.stand_in);
        let tokens = self.tokenizer.encode_with_spans(&behind, false)?;
        let before = parts.stand_in.len();
        let own =
            tokens.into_iter().skip(parts.stand_in_ids.len()).map(|TokenSpan { id, bytes }| {
                TokenSpan {
                    id,
                    bytes: bytes.start.saturating_sub(before)..bytes.end.saturating_sub(before),
                }
            });
        Ok(own.collect())
    }
}

impl Parts {
    fn of(tokenizer: &Tokenizer) -> Option<Self> {
        let cuts = guarded(|| Cuts::of(tokenizer.library.inner())).ok()??;
        let stand_in = cuts.stand_in().to_string();
        let stand_in_ids = tokenizer.encode(&stand_in, false).ok()?;
        let surrounded = tokenizer.encode(&stand_in, true).ok()?;
        let mut places = (0..=surrounded.len() - stand_in_ids.len().min(surrounded.len()))
            .filter(|at| surrounded[*at..].starts_with(&stand_in_ids));
        // More than one place leaves open which is the text's own.
        let (Some(at), None) = (places.next(), places.next()) else { return None };
        let around = (surrounded[..at].to_vec(), surrounded[at + stand_in_ids.len()..].to_vec());
        Some(Self {
            cuts,
            stand_in,
            stand_in_ids,
            around,
            beginnings: ChunkCache::new(),
            continuations: ChunkCache::new(),
        })
    }

    /// Between the special tokens that the tokenizer adds.
    fn surrounded(&self, ids: &[u32]) -> Vec<u32> {
        let (first, last) = &self.around;
        [first.as_slice(), ids, last.as_slice()].concat()
    }

    /// The ids of a text without added special tokens.
    fn encode(&self, tokenizer: &Tokenizer, text: &str) -> Result<Vec<u32>, ModelError> {
        // Ordinary text has a token per three or four bytes.
        let mut ids = Vec::with_capacity(text.len() / 3);
        let mut from = 0;
        while from < text.len() {
            let to = self.passage_end(text, from);
            self.append_passage(tokenizer, text, from..to, &mut ids)?;
            from = to;
        }
        Ok(ids)
    }

    fn passage_end(&self, text: &str, from: usize) -> usize {
        let mut to = from;
        let mut has_line_break = false;
        loop {
            let next = self.cuts.next(text, to);
            has_line_break |= text.as_bytes()[to..next].contains(&b'\n');
            to = next;
            let is_long = to - from >= if has_line_break { LINES_BYTES } else { PASSAGE_BYTES };
            if is_long || to == text.len() {
                return to;
            }
        }
    }

    fn append_passage(
        &self,
        tokenizer: &Tokenizer,
        text: &str,
        passage: std::ops::Range<usize>,
        ids: &mut Vec<u32>,
    ) -> Result<(), ModelError> {
        let cache = self.cache(passage.start);
        if cache.append(&text[passage.clone()], ids) {
            return Ok(());
        }
        let known = ids.len();
        let mut from = passage.start;
        while from < passage.end {
            let to = self.cuts.next(text, from).min(passage.end);
            self.append_word(tokenizer, &text[from..to], from, ids)?;
            from = to;
        }
        cache.insert(&text[passage], &ids[known..]);
        Ok(())
    }

    /// Appends the ids of a word that stands at byte `from` of its text.
    fn append_word(
        &self,
        tokenizer: &Tokenizer,
        word: &str,
        from: usize,
        ids: &mut Vec<u32>,
    ) -> Result<(), ModelError> {
        let cache = self.cache(from);
        if cache.append(word, ids) {
            return Ok(());
        }
        let word_ids = if from == 0 {
            tokenizer.encode(word, false)?
        } else {
            let behind = tokenizer.encode(&format!("{}{word}", self.stand_in), false)?;
            behind[self.stand_in_ids.len()..].to_vec()
        };
        cache.insert(word, &word_ids);
        ids.extend(word_ids);
        Ok(())
    }

    fn cache(&self, from: usize) -> &ChunkCache {
        if from == 0 { &self.beginnings } else { &self.continuations }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn stretches_have_the_tokens_and_places_of_the_whole() {
        let text = "Question: Which of  these is true?\n\nA. 12 cats\nB. 根 木\nAnswer: B ";
        for folder in [
            "tests/fixtures/models/llama",
            "tests/fixtures/e2e_models/tiny-llama-bos",
            "models/pocket",
        ] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            let tokenizer = Tokenizer::read(&folder).unwrap();
            let shared = SharedText::new(&tokenizer);
            let mut tokens = Vec::new();
            let mut from = 0;
            while from < text.len() {
                let stretch = shared.stretch(text, from);
                assert_eq!(stretch.start, from);
                let own = shared.encode_stretch(&text[stretch.clone()], from == 0).unwrap();
                tokens.extend(own.into_iter().map(|TokenSpan { id, bytes }| TokenSpan {
                    id,
                    bytes: bytes.start + from..bytes.end + from,
                }));
                from = stretch.end;
            }
            assert_eq!(tokens, tokenizer.encode_with_spans(text, false).unwrap(), "{folder:?}");
        }
    }
}
