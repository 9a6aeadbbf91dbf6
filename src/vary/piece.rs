//! A template's text in pieces: those that a format may change, and the text between them.

use super::grammar::{Brackets, Casing, Numerals, Role, Separator, Words};

/// A stretch of a template's text. All of them in order, as they are written, are the text byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// What no format changes.
    Literal(String),
    /// `Question`.
    Descriptor { words: String, role: Option<Role> },
    /// `: ` behind a descriptor.
    Separator { mark: String, tail: String, follow: Follow },
    /// What stands before a descriptor or the first option.
    Spacing(String),
    /// `A.` before an option.
    Numeral { index: usize, written: String },
    /// What stands between two options.
    OptionJoint(String),
    /// The answer of a label, which is the numeral of an option, with or without its brackets.
    Answer { index: usize, written: String, has_brackets: bool },
}

/// What follows a separator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    /// A field or an answer: the white space between is the separator's.
    Text,
    /// Options or examples, or nothing: the white space is the template's own, because a blank at the end of a prompt
    /// is a mistake of its own and options begin where they begin.
    Apart,
}

/// How pieces are written; what is missing stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wording {
    pub(super) separator: Option<Separator>,
    pub(super) spacing: Option<&'static str>,
    pub(super) casing: Option<Casing>,
    pub(super) words: Option<Words>,
    /// The casing that descriptors have, for words that take their place.
    pub(super) own_casing: Option<Casing>,
    /// What options are counted with, in what brackets.
    pub(super) enumeration: Option<(Numerals, Brackets)>,
    pub(super) options: Option<&'static str>,
}

impl Piece {
    /// The piece as it stands in the template.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Literal(text) | Self::Spacing(text) | Self::OptionJoint(text) => text.clone(),
            Self::Descriptor { words, .. } => words.clone(),
            Self::Separator { mark, tail, .. } => format!("{mark}{tail}"),
            Self::Numeral { written, .. } | Self::Answer { written, .. } => written.clone(),
        }
    }

    /// The piece in another wording.
    pub(super) fn reworded(&self, wording: &Wording) -> String {
        match self {
            Self::Descriptor { words, role } => wording.descriptor(words, *role),
            Self::Separator { tail, follow, .. } => match (wording.separator, follow) {
                (None, _) => self.written(),
                (Some(separator), Follow::Text) => format!("{}{}", separator.mark, separator.tail),
                (Some(separator), Follow::Apart) => format!("{}{tail}", separator.mark),
            },
            Self::Spacing(_) => wording.spacing.map_or_else(|| self.written(), str::to_owned),
            Self::OptionJoint(_) => wording.options.map_or_else(|| self.written(), str::to_owned),
            Self::Numeral { index, .. } => wording.numeral(*index, true, self),
            Self::Answer { index, has_brackets, .. } => {
                wording.numeral(*index, *has_brackets, self)
            }
            Self::Literal(text) => text.clone(),
        }
    }
}

impl Wording {
    fn descriptor(&self, written: &str, role: Option<Role>) -> String {
        let replaced = self.words.zip(role).map(|(words, role)| words.of(role));
        let words = replaced.unwrap_or(written);
        match self.casing.or(self.own_casing.filter(|_| replaced.is_some())) {
            Some(casing) => casing.written(words),
            None => words.to_owned(),
        }
    }

    fn numeral(&self, index: usize, has_brackets: bool, piece: &Piece) -> String {
        let symbol = self.enumeration.and_then(|(numerals, _)| numerals.symbol(index));
        match (self.enumeration, symbol) {
            (Some((_, brackets)), Some(symbol)) if has_brackets => brackets.around(&symbol),
            (Some(_), Some(symbol)) => symbol,
            _ => piece.written(),
        }
    }
}
