//! Where everything is written that a command says: data to stdout, talk to stderr.
//!
//! Foreign text is made [`visible`](super::visible) here, whatever it is part of.

use std::{
    borrow::Cow,
    io::{self, IsTerminal as _, Write as _},
};

use serde::Serialize;

use super::{
    visible::{visible, visible_json, visible_styled},
    width::folded,
};

/// Columns where nobody says how many there are.
const USUAL_COLUMNS: usize = 80;

/// Fewer columns than this are taken as this many: no table fits into less.
const LEAST_COLUMNS: usize = 40;

/// Columns that data on stdout may take: `COLUMNS`, or those of the terminal, or else 80.
pub(super) fn stdout_columns() -> usize {
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let of_terminal = || {
        let size = terminal_size::terminal_size_of(io::stdout())?;
        Some(usize::from(size.0.0))
    };
    let columns = named.or_else(of_terminal).filter(|columns| *columns > 0);
    columns.unwrap_or(USUAL_COLUMNS).max(LEAST_COLUMNS)
}

/// Columns of the terminal that talk goes to; nothing if it goes elsewhere.
pub(super) fn stderr_columns() -> Option<usize> {
    let is_terminal = io::stderr().is_terminal();
    let size = is_terminal.then(|| terminal_size::terminal_size_of(io::stderr()));
    let columns = size?.map_or(USUAL_COLUMNS, |size| usize::from(size.0.0));
    Some(columns.max(LEAST_COLUMNS))
}

/// Writes text to stdout.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    write_line(&visible(text))
}

/// Writes text with colours of our own to stdout.
pub(super) fn print_styled(text: &str) -> anyhow::Result<()> {
    write_line(&visible_styled(text))
}

/// Writes a value to stdout as JSON.
pub(super) fn print_json<T: Serialize + ?Sized>(value: &T) -> anyhow::Result<()> {
    write_line(&visible_json(&serde_json::to_string_pretty(value)?))
}

fn write_line(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes a line to stderr, folded between words where that is a terminal. Nobody who listens is no
/// reason to end.
pub(super) fn talk(text: &str) {
    let text = visible(text);
    let text = match stderr_columns() {
        Some(columns) => Cow::Owned(folded(&text, columns, 2).join("\n")),
        None => text,
    };
    _ = writeln!(io::stderr().lock(), "{text}");
}
