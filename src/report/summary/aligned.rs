//! The table in the text file: aligned columns in the "simple" form of Python's `tabulate`, as wide as they
//! come out. Tables for people are the command line's.

/// On which side a column is filled up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Columns are this much wider than their heading.
const HEADING_MARGIN: usize = 2;

/// The table without a final newline: heading, a rule of dashes per column, rows. Columns are two
/// blanks apart; lines carry no blanks at their end. Every character counts as one column wide.
pub(super) fn table(heading: &[String], rows: &[Vec<String>], alignments: &[Align]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        let heading = heading.get(column).map_or(0, |cell| cell.chars().count() + HEADING_MARGIN);
        cells.max().unwrap_or_default().max(heading)
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let line = |cells: &[String]| {
        let columns = cells.iter().zip(&widths).zip(alignments);
        let cells = columns.map(|((cell, &width), align)| match align {
            Align::Left => format!("{cell:<width$}"),
            Align::Right => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let rule = widths.iter().map(|&width| "-".repeat(width)).collect::<Vec<_>>().join("  ");
    let mut lines = vec![line(heading), rule];
    lines.extend(rows.iter().map(|row| line(row)));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows =
            [["a", "1.00"], ["longer name", "-12.50"]].map(|row| row.map(str::to_owned).to_vec());
        let heading = ["x", "score"].map(str::to_owned);
        let expected = "x              score\n-----------  -------\na               1.00\nlonger name   -12.50";
        assert_eq!(table(&heading, &rows, &[Align::Left, Align::Right]), expected);
    }
}
