//! Where each piece of a prompt comes from.
//!
//! Markup is written piece by piece, and every piece says which section and role it stands in. A
//! model's text is the pieces one after another, whether somebody keeps their [`Source`]s or not: both
//! come from the same writing function, so they cannot disagree.

use super::{PromptItem, PromptList, Section};

/// The part of a prompt that a text stands in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PromptPlace {
    /// The section; none between sections.
    pub section: Option<Section>,
    /// Which in-context example it is, from 0, if it is one.
    pub example: Option<usize>,
}

/// What is known about a piece while it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Source<'a> {
    /// Where it stands.
    pub place: PromptPlace,
    /// Whose words it belongs to.
    pub role: Option<&'a str>,
    /// Whether the model's markup adds it to what the data set's template says.
    pub is_markup: bool,
}

/// A piece of a prompt's text, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its text.
    pub text: String,
    /// Where it stands.
    pub place: PromptPlace,
    /// Whose words it belongs to.
    pub role: Option<String>,
    /// Whether the model's markup adds it to what the data set's template says.
    pub is_markup: bool,
}

impl PromptPlace {
    /// In the dialogue itself.
    pub(super) const ROUND: Self = Self { section: Some(Section::Round), example: None };
}

impl Source<'_> {
    /// A text at a place, that nobody says.
    pub(super) fn at(place: PromptPlace) -> Self {
        Self { place, ..Self::default() }
    }
}

impl Piece {
    /// Keeps a text and where it comes from.
    pub(super) fn new(text: &str, source: Source<'_>) -> Self {
        Self {
            text: text.to_owned(),
            place: source.place,
            role: source.role.map(str::to_owned),
            is_markup: source.is_markup,
        }
    }
}

impl PromptList {
    /// Its texts and turns, each with the part of the prompt it stands in.
    pub fn placed(&self) -> impl Iterator<Item = (PromptPlace, &PromptItem)> {
        let mut open = OpenSections::default();
        self.0.iter().filter_map(move |item| {
            match item {
                PromptItem::Open(section) => open.open(*section),
                PromptItem::Close(_) => open.close(),
                PromptItem::Text(_) | PromptItem::Turn(_) => return Some((open.place(), item)),
            }
            None
        })
    }
}

/// The sections that are open while a list is read.
#[derive(Debug, Default)]
pub(super) struct OpenSections {
    open: Vec<Section>,
    examples: usize,
}

impl OpenSections {
    /// A section opens.
    pub(super) fn open(&mut self, section: Section) {
        self.examples += usize::from(section == Section::Ice);
        self.open.push(section);
    }

    /// The innermost section closes.
    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// Where a text stands now.
    pub(super) fn place(&self) -> PromptPlace {
        let section = self.open.last().copied();
        let example = match section {
            Some(Section::Ice) => self.examples.checked_sub(1),
            _ => None,
        };
        PromptPlace { section, example }
    }
}
