//! Where stretches of texts come from, as the page numbers it.

use indexmap::IndexSet;

use crate::{
    origin::{Origin, PieceKind},
    prompt::Section,
    report::page::Style,
};

/// The styles of a page, numbered as they come; 0 is what is not known.
#[derive(Debug, Default)]
pub(crate) struct Styles {
    found: IndexSet<Style>,
}

impl Styles {
    /// The number of an origin.
    pub(crate) fn number(&mut self, origin: &Origin) -> usize {
        let kind = match origin.kind {
            PieceKind::Template => Some("template"),
            PieceKind::Field => Some("field"),
            PieceKind::Mask => Some("mask"),
            PieceKind::Markup => Some("markup"),
            PieceKind::Image | PieceKind::Unknown => None,
        };
        let style = Style {
            section: origin.section.map(Section::name),
            example: origin.example,
            role: origin.role.clone(),
            kind,
            column: origin.column.clone(),
        };
        if style == Style::default() { 0 } else { self.found.insert_full(style).0 + 1 }
    }

    /// They, in the order of their numbers, without the first.
    pub(crate) fn into_styles(self) -> Vec<Style> {
        self.found.into_iter().collect()
    }
}
