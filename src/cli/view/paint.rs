//! What is drawn how: one place for the colours of the terminal.

use anstyle::{AnsiColor, Effects, Style};

use crate::{
    cli::visible::visible_line,
    prompt::Section,
    view::{PieceKind, TracedPiece},
    warn::Severity,
};

/// Titles.
pub(super) const TITLE: Style = Style::new().bold();
/// What is not the matter.
pub(super) const QUIET: Style = Style::new().effects(Effects::DIMMED);
/// Where the model goes on.
pub(super) const CUE: Style = AnsiColor::Green.on_default().bold();
/// The value of a column.
pub(super) const FIELD: Style = AnsiColor::Cyan.on_default();
/// What is hidden, and where.
pub(super) const MASK: Style = AnsiColor::Yellow.on_default().effects(Effects::INVERT);
/// An image.
pub(super) const IMAGE: Style = AnsiColor::Cyan.on_default().effects(Effects::INVERT);
/// What is cut off.
const CUT: Style = AnsiColor::Red.on_default().effects(Effects::STRIKETHROUGH);

/// A section's name and border.
pub(super) fn section(section: Option<Section>) -> Style {
    let colour = match section {
        Some(Section::Begin) => AnsiColor::Magenta,
        Some(Section::Ice) => AnsiColor::BrightBlue,
        Some(Section::Round) => AnsiColor::Green,
        Some(Section::End) => AnsiColor::Yellow,
        None => return QUIET,
    };
    colour.on_default()
}

/// A role's name.
pub(super) fn role(name: &str) -> Style {
    let colour = match name {
        "HUMAN" | "user" => AnsiColor::Cyan,
        "BOT" | "assistant" => AnsiColor::Green,
        "SYSTEM" | "system" => AnsiColor::Magenta,
        _ => AnsiColor::Yellow,
    };
    colour.on_default()
}

/// A piece's text.
pub(super) fn text(piece: &TracedPiece, is_cut: bool) -> Style {
    match piece.kind {
        _ if is_cut => CUT,
        PieceKind::Markup => QUIET,
        PieceKind::Field => FIELD,
        PieceKind::Mask => MASK,
        PieceKind::Image => IMAGE,
        PieceKind::Template | PieceKind::Unknown => Style::new(),
    }
}

/// A warning's sign.
pub(super) fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Warning => AnsiColor::Red.on_default().bold(),
        Severity::Note => AnsiColor::Yellow.on_default(),
    }
}

/// `text`, which is of one line, in a style; what a terminal would obey in it is written out.
pub(super) fn painted(style: Style, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = visible_line(text);
    format!("{style}{text}{style:#}")
}
