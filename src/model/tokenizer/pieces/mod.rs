//! Tokenizers that are a list of pieces with scores, as sentencepiece makes them.
//!
//! A `tokenizer.model` and the metadata of a GGUF file both end in a [`PieceModel`], which becomes a
//! tokenizer of the crate `tokenizers`, converted as transformers' `SpmConverter` and `LlamaConverter`
//! do it. Where those two leave out what the file asks for (a table of characters, spaces that are
//! removed, no space in front), the file is followed. What the crate cannot do as sentencepiece does
//! is refused.

mod added;
pub(super) mod charsmap;
mod merges;
mod normalization;

use std::collections::HashMap;

use tokenizers::models::{
    bpe::{BPE, Vocab},
    unigram::Unigram,
};
use tokenizers::{AddedToken, ModelWrapper};

pub(super) use self::{
    added::{ADDED_TOKENS_FILE, AddedTokens},
    normalization::{Normalization, SpacePrefix},
};

/// What sentencepiece writes for a space.
const SPACE: char = '▁';

/// A list of pieces and how texts are taken apart with it.
#[derive(Clone, Debug)]
pub(super) struct PieceModel {
    /// The pieces by id.
    pub(super) pieces: Vec<Piece>,
    /// How a text is divided into them.
    pub(super) algorithm: Algorithm,
    /// What is done to a text before.
    pub(super) normalization: Normalization,
}

/// One entry of a vocabulary.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) text: String,
    /// A log-probability under Unigram, a rank below zero under BPE: the higher, the sooner.
    pub(super) score: f64,
    pub(super) kind: PieceKind,
}

/// What a piece is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// Text.
    Normal,
    /// Stands for text that no other piece covers.
    Unknown,
    /// A special token.
    Control,
    /// Text that is never divided.
    UserDefined,
    /// One byte of a character that no piece covers, written `<0x0A>`.
    Byte,
    /// Never given to a text.
    Unused,
}

/// How a text is divided into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// Neighbours are joined, those with the best result first.
    Bpe,
    /// The division with the highest sum of scores.
    Unigram,
}

impl Piece {
    /// The piece as a token that is cut out of a text before anything else is done to it, if it is one.
    pub(super) fn added_token(&self) -> Option<AddedToken> {
        let special = match self.kind {
            PieceKind::Control | PieceKind::Unknown => true,
            PieceKind::UserDefined => false,
            PieceKind::Normal | PieceKind::Byte | PieceKind::Unused => return None,
        };
        Some(AddedToken::from(self.text.as_str(), special).normalized(false))
    }
}

impl PieceModel {
    /// The tokenizer of these pieces; `added` are tokens that are cut out of a text before anything
    /// else is done to it, beside the special and undivided pieces. The error says what is wrong.
    pub(super) fn tokenizer(
        mut self,
        added: &AddedTokens,
    ) -> Result<tokenizers::Tokenizer, String> {
        let others = added.place(&mut self.pieces)?;
        self.check()?;
        let mut tokenizer = tokenizers::Tokenizer::new(self.model()?);
        self.normalization.install(&mut tokenizer, self.has(PieceKind::Byte))?;
        let own = self.pieces.iter().filter_map(Piece::added_token);
        let tokens: Vec<AddedToken> = own.chain(others).collect();
        tokenizer.add_tokens(tokens).map_err(|error| error.to_string())?;
        Ok(tokenizer)
    }

    /// The piece that stands for unknown text.
    fn unknown_id(&self) -> Option<usize> {
        self.pieces.iter().position(|piece| piece.kind == PieceKind::Unknown)
    }

    fn has(&self, kind: PieceKind) -> bool {
        self.pieces.iter().any(|piece| piece.kind == kind)
    }

    fn check(&self) -> Result<(), String> {
        let mut ids = HashMap::new();
        for (id, piece) in self.pieces.iter().enumerate() {
            if piece.text.is_empty() {
                return Err(format!("piece {id} is empty"));
            }
            if !piece.score.is_finite() {
                return Err(format!("the score of piece `{}` is {}", piece.text, piece.score));
            }
            if let Some(first) = ids.insert(piece.text.as_str(), id) {
                return Err(format!("pieces {first} and {id} are both `{}`", piece.text));
            }
        }
        let missing = |byte: &u8| !ids.contains_key(byte_piece(*byte).as_str());
        match (0..=u8::MAX).find(missing) {
            Some(byte) if self.has(PieceKind::Byte) => {
                Err(format!("has pieces for bytes, but none `{}`", byte_piece(byte)))
            }
            _ => Ok(()),
        }
    }

    fn model(&self) -> Result<ModelWrapper, String> {
        let byte_fallback = self.has(PieceKind::Byte);
        match self.algorithm {
            Algorithm::Bpe => {
                let ids = self.pieces.iter().zip(0..);
                let vocabulary: Vocab = ids.map(|(piece, id)| (piece.text.clone(), id)).collect();
                let mut builder = BPE::builder()
                    .vocab_and_merges(vocabulary, merges::of(&self.pieces))
                    .fuse_unk(true)
                    .byte_fallback(byte_fallback);
                if let Some(unknown) = self.unknown_id() {
                    builder = builder.unk_token(self.pieces[unknown].text.clone());
                } else if !byte_fallback {
                    return Err("has neither a piece for unknown text nor pieces for bytes".into());
                }
                Ok(builder.build().map_err(|error| error.to_string())?.into())
            }
            Algorithm::Unigram => {
                let unknown = self.unknown_id().ok_or("has no piece for unknown text")?;
                let scored = self.pieces.iter().map(|piece| (piece.text.clone(), piece.score));
                let model = Unigram::from(scored.collect(), Some(unknown), byte_fallback);
                Ok(model.map_err(|error| error.to_string())?.into())
            }
        }
    }
}

/// The piece of a byte.
fn byte_piece(byte: u8) -> String {
    format!("<0x{byte:02X}>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(texts: &[(&str, PieceKind)]) -> PieceModel {
        let piece = |(at, (text, kind)): (usize, &(&str, PieceKind))| Piece {
            text: (*text).to_owned(),
            score: -(at as f64),
            kind: *kind,
        };
        PieceModel {
            pieces: texts.iter().enumerate().map(piece).collect(),
            algorithm: Algorithm::Bpe,
            normalization: Normalization::default(),
        }
    }

    #[test]
    fn what_cannot_be_a_vocabulary_is_refused() {
        use PieceKind::{Byte, Normal, Unknown};
        let message = |model: PieceModel| {
            model.tokenizer(&AddedTokens::default()).map(|_| ()).expect_err("refused")
        };
        let unigram = |model| PieceModel { algorithm: Algorithm::Unigram, ..model };
        let unknown = ("<unk>", Unknown);
        let mut infinite = pieces(&[unknown, ("a", Normal)]);
        infinite.pieces[1].score = f64::NAN;
        for (message, expected) in [
            (message(pieces(&[unknown, ("", Normal)])), "piece 1 is empty"),
            (message(pieces(&[unknown, ("a", Normal), ("a", Normal)])), "pieces 1 and 2 are both"),
            (message(pieces(&[("a", Normal)])), "neither a piece for unknown text"),
            (message(unigram(pieces(&[("a", Normal)]))), "no piece for unknown text"),
            (message(pieces(&[unknown, ("<0x00>", Byte)])), "none `<0x01>`"),
            (message(infinite), "NaN"),
        ] {
            assert!(message.contains(expected), "{message:?} does not say {expected:?}");
        }
    }
}
