//! Rows of styled characters that fit the terminal.

use anstyle::Style;
use unicode_width::UnicodeWidthChar as _;

use super::paint::painted;
use crate::cli::visible::visible_line;

/// A character as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) character: char,
    pub(super) style: Style,
}

/// The cells of a text in one style; what a terminal would obey is written out.
pub(super) fn cells(text: &str, style: Style) -> Vec<Cell> {
    visible_line(text).chars().map(|character| Cell { character, style }).collect()
}

/// A line broken into rows of at most `columns`, after a space where there is one.
pub(super) fn wrapped(line: &[Cell], columns: Option<usize>) -> Vec<&[Cell]> {
    let Some(columns) = columns else { return vec![line] };
    let mut rows = Vec::new();
    let mut rest = line;
    while let Some(most) = overflow(rest, columns) {
        let (row, _) = rest.split_at(most);
        let space = row.iter().rposition(|cell| cell.character == ' ').map(|at| at + 1);
        // A row that would be nearly empty is filled instead.
        let at = space.filter(|at| *at * 2 > most).unwrap_or(most);
        let (row, after) = rest.split_at(at);
        rows.push(row);
        rest = after;
    }
    rows.push(rest);
    rows
}

/// How many cells fit, if not all do; at least one.
fn overflow(cells: &[Cell], columns: usize) -> Option<usize> {
    let mut used = 0;
    let at = cells.iter().position(|cell| {
        used += cell.character.width().unwrap_or(0);
        used > columns
    })?;
    (at.max(1) < cells.len()).then_some(at.max(1))
}

/// A row with its styles.
pub(super) fn drawn(row: &[Cell]) -> String {
    row.chunk_by(|left, right| left.style == right.style)
        .map(|run| {
            let text: String = run.iter().map(|cell| cell.character).collect();
            run.first().map_or_else(String::new, |cell| painted(cell.style, &text))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_break_after_spaces_and_inside_long_words() {
        let rows = |text: &str, columns| -> Vec<String> {
            let line = cells(text, Style::new());
            wrapped(&line, columns).into_iter().map(drawn).collect()
        };
        assert_eq!(rows("one two three", Some(8)), ["one two ", "three"]);
        assert_eq!(rows("abcdefgh", Some(3)), ["abc", "def", "gh"]);
        assert_eq!(rows("根根根", Some(4)), ["根根", "根"]);
        assert_eq!(rows("根", Some(1)), ["根"]);
        assert_eq!(rows("a b", None), ["a b"]);
        assert_eq!(rows("", Some(3)), [""]);
    }
}
