//! What is done to a text before it is divided into pieces, and undone afterwards.
//!
//! The text between two added tokens is treated as sentencepiece treats a text of its own, in its order:
//! characters are replaced, superfluous spaces removed, a space is put in front, spaces become `▁`.
//! Characters are replaced by the crate `tokenizers`, which looks at whole graphemes and in rare cases
//! (a compatibility character with a combining mark) differs from sentencepiece, as transformers does.

use tokenizers::decoders::{
    DecoderWrapper, byte_fallback::ByteFallback, fuse::Fuse, sequence::Sequence as Decoders,
    strip::Strip,
};
use tokenizers::normalizers::{
    NormalizerWrapper, Prepend, Replace, Sequence as Normalizers, replace::ReplacePattern,
};
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};

use super::{SPACE, charsmap};

/// How a text is prepared.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Normalization {
    /// Sentencepiece's compiled table of characters and what replaces them; empty for none.
    pub(in super::super) charsmap: Vec<u8>,
    /// Whether spaces at both ends are removed, and runs of them made one.
    pub(in super::super) removes_extra_spaces: bool,
    /// Where a space is put in front.
    pub(in super::super) space_prefix: SpacePrefix,
}

/// Where a space is put in front of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum SpacePrefix {
    /// Nowhere.
    #[default]
    Nowhere,
    /// At the beginning of every stretch between added tokens.
    EveryStretch,
    /// At the beginning of the text, unless it has one there: Llama's tokenizers that say they are not
    /// `legacy`.
    Beginning,
}

impl Normalization {
    /// Gives the stages to a tokenizer, and those that undo them when ids become text.
    pub(super) fn install(
        &self,
        tokenizer: &mut tokenizers::Tokenizer,
        has_byte_fallback: bool,
    ) -> Result<(), String> {
        let space = SPACE.to_string();
        let mut stages: Vec<NormalizerWrapper> = Vec::new();
        if !self.charsmap.is_empty() {
            stages.push(charsmap::parse(&self.charsmap)?.into());
        }
        if self.removes_extra_spaces {
            stages.push(replace_pattern(r"\A +|[ ▁]+\z", "")?);
            stages.push(replace_pattern(" {2,}", " ")?);
        }
        if self.space_prefix == SpacePrefix::EveryStretch {
            stages.push(Prepend::new(space.clone()).into());
        }
        if self.space_prefix == SpacePrefix::Beginning {
            let metaspace = Metaspace::new(SPACE, PrependScheme::First, false);
            tokenizer.with_pre_tokenizer(Some(metaspace));
        } else {
            stages.push(Replace::new(" ", &*space).map_err(|error| error.to_string())?.into());
        }
        let normalizer = match stages.len() {
            0 => None,
            1 => stages.pop(),
            _ => Some(Normalizers::new(stages).into()),
        };
        tokenizer.with_normalizer(normalizer).map_err(|error| error.to_string())?;

        let spaces = Replace::new(&*space, " ").map_err(|error| error.to_string())?;
        let mut decoders: Vec<DecoderWrapper> = vec![spaces.into()];
        if has_byte_fallback {
            decoders.push(ByteFallback::new().into());
        }
        decoders.push(Fuse::new().into());
        if self.space_prefix != SpacePrefix::Nowhere || self.removes_extra_spaces {
            decoders.push(Strip::new(' ', 1, 0).into());
        }
        tokenizer.with_decoder(Some(Decoders::new(decoders)));
        Ok(())
    }
}

fn replace_pattern(pattern: &str, content: &str) -> Result<NormalizerWrapper, String> {
    let pattern = ReplacePattern::Regex(pattern.to_owned());
    Ok(Replace::new(pattern, content).map_err(|error| error.to_string())?.into())
}
