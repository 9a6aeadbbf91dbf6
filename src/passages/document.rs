//! A document before it is cut.

use std::ops::Range;

use super::{PassageError, cutting::Cutting, markdown::sections};

/// How the text of a document is divided before it is cut to length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Markup {
    /// Not at all.
    Plain,
    /// By its headings.
    Markdown,
}

/// A row of a table, or a file.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// What it is known by.
    pub(super) id: String,
    /// Where it was found, for messages.
    pub(super) place: String,
    /// What it is called, if anything is said.
    pub(super) title: Option<String>,
    pub(super) text: String,
    pub(super) markup: Markup,
}

/// A part of a document: its bytes, and the headings above it.
pub(super) struct Part {
    pub(super) headings: Vec<String>,
    pub(super) bytes: Range<usize>,
}

impl Document {
    /// What it is divided into, in order. Without a cutting that is one part for each section.
    pub(super) fn parts(&self, cutting: Option<Cutting>) -> Result<Vec<Part>, PassageError> {
        let sections = match self.markup {
            Markup::Plain => vec![(Vec::new(), 0..self.text.len())],
            Markup::Markdown => {
                let sections = sections(&self.text).into_iter();
                sections.map(|section| (section.headings, section.body)).collect()
            }
        };
        let Some(cutting) = cutting else {
            let part = |(headings, bytes)| Part { headings, bytes };
            return Ok(sections.into_iter().map(part).collect());
        };
        let mut parts = Vec::new();
        for (headings, body) in sections {
            let text = self.text.get(body.clone()).unwrap_or_default();
            parts.extend(cutting.passages(text)?.into_iter().map(|range| Part {
                headings: headings.clone(),
                bytes: body.start + range.start..body.start + range.end,
            }));
        }
        Ok(parts)
    }
}
