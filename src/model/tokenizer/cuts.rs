//! Where a text may be cut so that its parts have the ids of the whole.
//!
//! A cut stands between the end of a word and the white space behind it: after a visible ASCII
//! character or an ideograph, before a space; after an ASCII letter or an ideograph, before a line
//! feed. It is exact if no stage of the tokenizer lets the text on one side change what becomes of the
//! other:
//!
//! - no added token reaches over it or ends at it;
//! - the normalizer leaves its two neighbours apart;
//! - the pre-tokenizer always divides the text there, looking no further; or, where it does not, every
//!   token of the byte-pair model that holds the white space has it in front, so that no merge reaches
//!   over the cut.
//!
//! All of this is read off the tokenizer's own components. A tokenizer of another kind (Unigram,
//! `WordPiece`, or with a stage that is not listed in [`stages`](super::stages)) has no cuts,
//! and its texts are encoded whole.

use serde::de::DeserializeOwned;
use tokenizers::{
    AddedToken, ModelWrapper, NormalizedString, Normalizer as _, NormalizerWrapper,
    models::bpe::BPE,
};

use super::stages::{Effect, Normalizer, PreTokenizer};

/// Where the texts of a tokenizer may be cut.
#[derive(Debug)]
pub(super) struct Cuts {
    /// By code: ASCII characters that a cut may follow.
    after: [bool; 128],
    after_ideographs: bool,
    before_spaces: bool,
    before_line_feeds: bool,
    /// A letter that a cut may follow.
    stand_in: char,
}

impl Cuts {
    /// The cuts of a tokenizer, if it has any.
    pub(super) fn of(tokenizer: &tokenizers::Tokenizer) -> Option<Self> {
        let ModelWrapper::BPE(model) = tokenizer.get_model() else { return None };
        let is_empty = |affix: &Option<String>| affix.as_ref().is_none_or(String::is_empty);
        let is_plain = model.dropout.is_none()
            && is_empty(&model.continuing_subword_prefix)
            && is_empty(&model.end_of_word_suffix);
        if !is_plain {
            return None;
        }
        let normalized_space = match tokenizer.get_normalizer() {
            Some(normalizer) => component::<Normalizer>(normalizer)?.space()?,
            None => ' ',
        };
        let pre_tokenizer = match tokenizer.get_pre_tokenizer() {
            Some(stages) => Some(component::<PreTokenizer>(stages)?),
            None => None,
        };
        let stages = pre_tokenizer.as_ref().map(PreTokenizer::stages).unwrap_or_default();
        let space = stages.iter().find_map(|stage| stage.space()).unwrap_or(normalized_space);
        let (spaces, line_feeds) =
            (exactness(&stages, ' ', model, space), exactness(&stages, '\n', model, '\n'));
        let may_precede = |code: u8| match spaces {
            // Before line feeds, letters are all that counts.
            Exactness::BehindWords => code.is_ascii_alphanumeric(),
            _ => code.is_ascii_graphic(),
        };
        let mut cuts = Self {
            after: std::array::from_fn(|code| may_precede(code as u8)),
            after_ideographs: true,
            before_spaces: spaces != Exactness::No,
            before_line_feeds: line_feeds != Exactness::No,
            stand_in: 'x',
        };
        let added = tokenizer.get_added_vocabulary().get_added_tokens_decoder();
        let normalizer = tokenizer.get_normalizer();
        added.values().try_for_each(|token| cuts.avoid(token, normalizer, normalized_space))?;
        cuts.stand_in = ('a'..='z').find(|letter| cuts.after[*letter as usize])?;
        (cuts.before_spaces || cuts.before_line_feeds).then_some(cuts)
    }

    /// Gives up the cuts that an added token could come too close to; all of them where it is a token
    /// that looks at its neighbours or holds such a place itself.
    fn avoid(
        &mut self,
        token: &AddedToken,
        normalizer: Option<&NormalizerWrapper>,
        normalized_space: char,
    ) -> Option<()> {
        let mut written = NormalizedString::from(token.content.as_str());
        let mut space = ' ';
        if let Some(normalizer) = normalizer.filter(|_| token.normalized) {
            normalizer.normalize(&mut written).ok()?;
            space = normalized_space;
        }
        let written = written.get();
        let is_blank = |letter: char| letter == space || letter.is_whitespace();
        let mut pairs = written.chars().zip(written.chars().skip(1));
        let holds_a_cut =
            pairs.any(|(left, right)| !is_blank(left) && (right == space || right == '\n'));
        if holds_a_cut || token.single_word {
            return None;
        }
        match written.chars().next_back() {
            Some(last) if is_ideograph(last) => self.after_ideographs = false,
            Some(last) if last.is_ascii() => self.after[last as usize] = false,
            _ => {}
        }
        Some(())
    }

    /// A letter that may stand for all text before a cut: what follows it has the same ids.
    pub(super) fn stand_in(&self) -> char {
        self.stand_in
    }

    /// The first cut of `text` behind `from`, or its end.
    pub(super) fn next(&self, text: &str, from: usize) -> usize {
        let bytes = text.as_bytes();
        let behind = bytes.iter().enumerate().skip(from + 1);
        behind
            .filter(|(_, byte)| matches!(byte, b' ' | b'\n'))
            .map(|(at, _)| at)
            .find(|at| self.is_cut(text, *at))
            .unwrap_or(bytes.len())
    }

    /// The last cut of `text` at or before its byte `at`, or its beginning.
    pub(super) fn last(&self, text: &str, at: usize) -> usize {
        let bytes = text.as_bytes();
        let before = (1..=at).rev().filter(|at| matches!(bytes.get(*at), Some(b' ' | b'\n')));
        before.into_iter().find(|at| self.is_cut(text, *at)).unwrap_or(0)
    }

    /// Whether `text` may be cut before its byte `at`, which is a space or a line feed.
    fn is_cut(&self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        let follows_ideograph =
            || self.after_ideographs && text[..at].chars().next_back().is_some_and(is_ideograph);
        match (bytes[at - 1], bytes[at]) {
            (last @ 0..=127, b' ') => self.before_spaces && self.after[usize::from(last)],
            (last @ 0..=127, _) => {
                self.before_line_feeds
                    && last.is_ascii_alphabetic()
                    && self.after[usize::from(last)]
            }
            (_, b' ') => self.before_spaces && follows_ideograph(),
            _ => self.before_line_feeds && follows_ideograph(),
        }
    }
}

/// Unified ideographs: letters that no normal form changes.
fn is_ideograph(letter: char) -> bool {
    ('一'..='龥').contains(&letter)
}

/// A component of a tokenizer as its file describes it.
fn component<T: DeserializeOwned>(component: &impl serde::Serialize) -> Option<T> {
    serde_json::from_value(serde_json::to_value(component).ok()?).ok()
}

/// Behind what a cut leaves both sides alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exactness {
    Always,
    BehindWords,
    No,
}

/// Whether a cut before `next`, which the model is given as `symbol`, leaves both sides alone.
fn exactness(stages: &[&PreTokenizer], next: char, model: &BPE, symbol: char) -> Exactness {
    for (index, stage) in stages.iter().enumerate() {
        match stage.effect(next, index == 0) {
            Effect::Divides => return Exactness::Always,
            Effect::DividesWords => return Exactness::BehindWords,
            Effect::Independent => {}
            Effect::Unknown => return Exactness::No,
        }
    }
    if never_joined(model, symbol) { Exactness::Always } else { Exactness::No }
}

/// Whether no token of `model` holds `symbol` behind anything else, so that merges on either side of a
/// cut before it are made as if the other side were not there.
fn never_joined(model: &BPE, symbol: char) -> bool {
    let vocabulary = model.get_vocab();
    let has_all_bytes =
        || (0..=255_u8).all(|byte| vocabulary.contains_key(&format!("<0x{byte:02X}>")));
    // Neighbouring unknown characters may become one token.
    let knows_everything = model.unk_token.is_none() || (model.byte_fallback && has_all_bytes());
    let joins = |token: &String| {
        let behind = token.trim_start_matches(symbol);
        behind.contains(symbol)
    };
    knows_everything
        && !model.ignore_merges
        && vocabulary.contains_key(symbol.encode_utf8(&mut [0; 4]) as &str)
        && !vocabulary.keys().any(joins)
}
