//! The parts of a prompt, each from one place.

use serde::{Deserialize, Serialize};

use super::origin_marks::Mark;
use crate::prompt::{PromptPlace, Section};

/// A stretch of a prompt that comes from one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedPiece {
    /// Its text, a stretch of the prompt's.
    pub text: String,
    /// `begin`, `ice`, `round` or `end`; none between sections and where it is not known.
    pub section: Option<Section>,
    /// Which in-context example it is part of, from 0.
    pub example: Option<usize>,
    /// Whose words it is or stands around.
    pub role: Option<String>,
    /// What put it there.
    pub kind: PieceKind,
    /// The column whose value it is, or that is hidden here.
    pub column: Option<String>,
}

/// What puts a stretch of text into a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PieceKind {
    /// The data set's template.
    Template,
    /// A column of the row.
    Field,
    /// The stand-in of the hidden column; often empty.
    Mask,
    /// The model's meta template or the checkpoint's chat template.
    Markup,
    /// Not known.
    #[default]
    Unknown,
}

impl TracedPiece {
    /// A text between `marks`, said by `role` at `place`.
    pub(super) fn new(
        text: &str,
        place: PromptPlace,
        role: Option<&str>,
        is_markup: bool,
        marks: &[Mark],
    ) -> Self {
        let mut place = place;
        let mut kind = if is_markup { PieceKind::Markup } else { PieceKind::Template };
        let mut column = None;
        for mark in marks {
            match mark {
                Mark::Place(own) => place = *own,
                Mark::Example(number) => {
                    place = PromptPlace { section: Some(Section::Ice), example: Some(*number) };
                }
                Mark::Separator => place.section = Some(Section::Ice),
                Mark::Field(name) => (kind, column) = (PieceKind::Field, Some(name.clone())),
                Mark::Mask(name) => (kind, column) = (PieceKind::Mask, Some(name.clone())),
            }
        }
        Self {
            text: text.to_owned(),
            section: place.section,
            example: place.example,
            role: role.map(str::to_owned),
            kind,
            column,
        }
    }

    /// A text of which nothing is known.
    pub(super) fn unknown(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            section: None,
            example: None,
            role: None,
            kind: PieceKind::Unknown,
            column: None,
        }
    }
}
