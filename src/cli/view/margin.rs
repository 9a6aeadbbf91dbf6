//! The margin beside a text: whose words it is, and whether a row begins a line.

use std::fmt::Write as _;

use super::{
    paint::{self, painted},
    stretch::{same_speaker, section_name},
    wrap::{Cell, drawn, wrapped},
};
use crate::{
    cli::{
        visible::visible_line,
        width::{Cut, shortened, width},
    },
    view::{TracedPiece, ViewedPrompt},
};

/// Columns of a section's name.
const SECTION_COLUMNS: usize = 6;

/// Most columns of a role's name.
const ROLE_COLUMNS: usize = 12;

/// The margin left of a text.
pub(super) struct Margin {
    role_columns: usize,
}

impl Margin {
    pub(super) fn of(prompt: &ViewedPrompt) -> Self {
        let roles = prompt.pieces.iter().filter_map(|piece| piece.role.as_deref());
        let widest = roles.map(|role| width(&shown_role(role))).max();
        Self { role_columns: widest.map_or(0, |most| most + 1) }
    }

    pub(super) fn columns(&self) -> usize {
        SECTION_COLUMNS + 1 + self.role_columns + 2
    }

    /// The border of a row; with names where they are new.
    pub(super) fn drawn(&self, piece: Option<&TracedPiece>, is_new: bool, goes_on: bool) -> String {
        let named = piece.filter(|_| is_new);
        let section = named.map(section_name).unwrap_or_default();
        let role = named.and_then(|piece| piece.role.as_deref()).unwrap_or_default();
        let style = paint::section(piece.and_then(|piece| piece.section));
        let gap = |columns: usize, text: &str| " ".repeat(columns.saturating_sub(width(text)));
        format!(
            "{}{} {}{}{} ",
            painted(style, &section),
            gap(SECTION_COLUMNS, &section),
            painted(paint::role(role), &shown_role(role)),
            gap(self.role_columns, &shown_role(role)),
            painted(style, if goes_on { "┆" } else { "│" }),
        )
    }
}

/// A role's name as it stands in the margin.
fn shown_role(role: &str) -> String {
    shortened(&visible_line(role), ROLE_COLUMNS, Cut::End)
}

/// Lines under way.
pub(super) struct Body<'a, 'p> {
    pub(super) margin: &'a Margin,
    pub(super) columns: Option<usize>,
    pub(super) out: &'a mut String,
    /// Whether the text's line began above.
    pub(super) goes_on: bool,
    pub(super) before: Option<&'p TracedPiece>,
}

impl<'p> Body<'_, 'p> {
    /// Writes a line and empties it; `breaks` when the text itself has no line break here.
    pub(super) fn line(&mut self, piece: &'p TracedPiece, line: &mut Vec<Cell>, breaks: bool) {
        for row in wrapped(line, self.columns) {
            let is_new = self.before.is_none_or(|before| !same_speaker(before, piece));
            let margin = self.margin.drawn(Some(piece), is_new, self.goes_on);
            let _ = writeln!(self.out, "{margin}{}", drawn(row));
            (self.goes_on, self.before) = (true, Some(piece));
        }
        self.goes_on = breaks;
        line.clear();
    }
}
