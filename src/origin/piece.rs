//! The parts of a prompt, each from one place.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::origin_marks::Mark;
use crate::{
    model::media::Sight,
    prompt::{PromptPlace, Section},
};

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
    /// The name of an image that is shown here.
    Image,
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

/// The same pieces with the names of images as pieces of their own, where the text names any.
pub(super) fn with_images(pieces: Vec<TracedPiece>, text: &str) -> Vec<TracedPiece> {
    let marks = Sight::marks(text);
    if marks.is_empty() {
        return pieces;
    }
    let mut parted = Vec::with_capacity(pieces.len() + 2 * marks.len());
    let mut start = 0;
    for piece in pieces {
        let end = start + piece.text.len();
        let mut from = start;
        let mut push = |range: Range<usize>, kind: Option<PieceKind>| {
            let Some(part) = text.get(range).filter(|part| !part.is_empty()) else { return };
            let column = piece.column.clone().filter(|_| kind.is_none());
            let kind = kind.unwrap_or(piece.kind);
            parted.push(TracedPiece { text: part.to_owned(), kind, column, ..piece.clone() });
        };
        for (mark, _) in marks.iter().filter(|(mark, _)| mark.end > start && mark.start < end) {
            push(from..mark.start.max(from), None);
            // A name is one piece, that of where it begins.
            if mark.start >= start {
                push(mark.clone(), Some(PieceKind::Image));
            }
            from = mark.end;
        }
        if piece.text.is_empty() {
            parted.push(piece);
        } else {
            push(from.min(end)..end, None);
        }
        start = end;
    }
    parted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_an_image_is_one_piece() {
        let image = "\u{f8e0}file://a.png\u{f8e1}";
        let text = format!("user {image}{image}: a.png?");
        let piece =
            |text: &str| TracedPiece { kind: PieceKind::Markup, ..TracedPiece::unknown(text) };
        let parted = |cuts: &[usize]| {
            let mut pieces = Vec::new();
            let mut from = 0;
            for &cut in cuts.iter().chain([&text.len()]) {
                pieces.push(piece(&text[from..cut]));
                from = cut;
            }
            let found = with_images(pieces, &text).into_iter();
            found.map(|own| (own.text, own.kind)).collect::<Vec<_>>()
        };
        let (image, markup) = ((image.to_owned(), PieceKind::Image), PieceKind::Markup);
        let expected = [
            ("user ".to_owned(), markup),
            image.clone(),
            image.clone(),
            (": a.png?".to_owned(), markup),
        ];
        assert_eq!(parted(&[]), expected);
        // Also where pieces end inside of names.
        assert_eq!(parted(&[5, 12, 14, 30]), expected);
    }
}
