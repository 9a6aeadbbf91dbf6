//! The images of a viewed prompt.

use std::ops::Range;

use serde::Serialize;

use crate::model::media::{MediaAddress, Medium, MediumKind, ShownMedium, Sight};

/// An image where a prompt shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewedImage {
    /// Its file, or how much there is of it where the prompt holds it itself.
    pub name: String,
    /// Index of the first character of its name in the prompt's text.
    pub start_char: usize,
    /// Index after the last one.
    pub end_char: usize,
    /// Its pixels and its tokens.
    #[serde(flatten)]
    pub shown: ShownMedium,
    /// Where it is.
    #[serde(skip)]
    pub address: MediaAddress,
}

impl ViewedImage {
    /// The characters of its name.
    pub fn chars(&self) -> Range<usize> {
        self.start_char..self.end_char
    }

    /// `cat.jpg · 448 × 336 px · 576 tokens`.
    pub fn words(&self) -> String {
        let ShownMedium { kind, width, height, tokens, .. } = self.shown;
        let unit = if tokens == 1 { "token" } else { "tokens" };
        match kind {
            MediumKind::Image => {
                format!("{} · {width} × {height} px · {tokens} {unit}", self.name)
            }
            MediumKind::Video | MediumKind::Sound => format!("{} · {tokens} {unit}", self.name),
        }
    }
}

/// The images that a text names, of which it is known what was looked at.
pub(super) fn images(text: &str, shown: Vec<ShownMedium>) -> Vec<ViewedImage> {
    let marks = Sight::marks(text);
    let mut from = 0;
    let mut chars = 0;
    let placed = marks.into_iter().zip(shown).filter_map(|((mark, address), shown)| {
        let count = |range: Range<usize>| text.get(range).map_or(0, |own| own.chars().count());
        let start_char = chars + count(from..mark.start);
        let end_char = start_char + count(mark.clone());
        (from, chars) = (mark.end, end_char);
        let medium = Medium::parse(address).ok()?;
        let (name, address) = (medium.shown(), medium.address);
        Some(ViewedImage { name, start_char, end_char, shown, address })
    });
    placed.collect()
}
