//! Tables that fit: every line of them has at most the columns of the terminal.
//!
//! A column says what may happen to it: text may be shortened or folded into several lines, a column
//! may go. Numbers are never cut. What went is told, so that a table never says less in silence.

mod column;
mod layout;

pub(super) use self::column::Column;
use self::layout::Layout;
use super::{visible::visible_line, width::folded};

/// Rows under headings.
pub(super) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// A table that was laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FittedTable {
    /// Its lines, without a final newline.
    pub(super) text: String,
    /// Columns that are left out because all rows say the same: their names and what they say.
    pub(super) same: Vec<(&'static str, String)>,
    /// Columns that are left out although rows differ.
    pub(super) left_out: Vec<&'static str>,
}

impl Table {
    /// A table without rows.
    pub(super) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row with a cell for each column.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter().map(|cell| visible_line(&cell).into_owned());
        self.rows.push(cells.collect());
    }

    /// The table in lines of at most `columns`, as long as that is possible without cutting numbers.
    pub(super) fn fitted(&self, columns: usize) -> FittedTable {
        let layout = Layout::new(&self.columns, &self.rows, columns);
        let mut lines = vec![layout.heading(), layout.rule()];
        lines.extend(layout.lines());
        let is_gone = |column: &usize| !layout.holds(*column);
        let (same, left_out): (Vec<usize>, Vec<usize>) =
            (0..self.columns.len()).filter(is_gone).partition(|&column| self.is_same(column));
        let name = |column: &usize| self.columns[*column].name;
        FittedTable {
            text: lines.join("\n"),
            same: same.iter().map(|at| (name(at), self.first(*at))).collect(),
            left_out: left_out.iter().map(name).collect(),
        }
    }

    /// The table, and under it what was left out.
    pub(super) fn text(&self, columns: usize) -> String {
        let fitted = self.fitted(columns);
        let mut text = fitted.text.clone();
        for note in fitted.notes() {
            text += "\n\n";
            text += &folded(&note, columns, 2).join("\n");
        }
        text
    }

    fn is_same(&self, column: usize) -> bool {
        is_same(&self.rows, column)
    }

    fn first(&self, column: usize) -> String {
        self.rows.first().and_then(|row| row.get(column)).cloned().unwrap_or_default()
    }
}

impl FittedTable {
    /// What the table does not show, in words; nothing if it shows all.
    pub(super) fn notes(&self) -> Vec<String> {
        let same = self.same.iter().map(|(name, value)| match value.as_str() {
            "" => format!("no {name}"),
            value => format!("{name} {value}"),
        });
        let same: Vec<String> = same.collect();
        let same = (!same.is_empty()).then(|| format!("in all rows: {}", same.join(", ")));
        let left_out = (!self.left_out.is_empty())
            .then(|| format!("too narrow for: {}; --json shows all", self.left_out.join(", ")));
        same.into_iter().chain(left_out).collect()
    }
}

/// Whether all rows say the same in a column.
fn is_same(rows: &[Vec<String>], column: usize) -> bool {
    let first = rows.first().and_then(|row| row.get(column));
    rows.iter().all(|row| row.get(column) == first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cli::width::width;

    fn table(rows: &[[&str; 4]]) -> Table {
        let mut table = Table::new([
            Column::text("dataset").shortest(6),
            Column::text("model").optional(2).only_if_same(),
            Column::text("mode").optional(1),
            Column::number("value"),
        ]);
        for row in rows {
            table.row(row.map(str::to_owned));
        }
        table
    }

    const ROWS: &[[&str; 4]] =
        &[["choices_a_long_name", "pocket", "ppl", "99.50"], ["sums", "pocket", "gen", "100.00"]];

    #[test]
    fn what_fits_is_shown_whole() {
        let fitted = table(ROWS).fitted(80);
        let expected = "\
dataset              model   mode   value
-------------------  ------  ----  ------
choices_a_long_name  pocket  ppl    99.50
sums                 pocket  gen   100.00";
        assert_eq!(fitted.text, expected);
        assert!(fitted.notes().is_empty());
    }

    #[test]
    fn what_says_nothing_goes_first_and_is_told() {
        let fitted = table(ROWS).fitted(36);
        let expected = "\
dataset              mode   value
-------------------  ----  ------
choices_a_long_name  ppl    99.50
sums                 gen   100.00";
        assert_eq!(fitted.text, expected);
        assert_eq!(fitted.notes(), ["in all rows: model pocket"]);
        let fitted = table(ROWS).fitted(30);
        assert_eq!(fitted.left_out, ["mode"]);
        assert_eq!(fitted.text.lines().last(), Some("sums                 100.00"));
        let fitted = table(ROWS).fitted(20);
        let expected = "\
dataset        value
------------  ------
choices_a_l…   99.50
sums          100.00";
        assert_eq!(fitted.text, expected);
    }

    #[test]
    fn models_that_differ_stay() {
        let rows = [["a", "first", "ppl", "1"], ["a", "second", "ppl", "2"]];
        let fitted = table(&rows).fitted(20);
        assert!(fitted.text.contains("second"), "{}", fitted.text);
        assert_eq!(fitted.same, [("mode", "ppl".to_owned())]);
    }

    #[test]
    fn folded_text_stays_in_its_column() {
        let mut table = Table::new([Column::text("name"), Column::text("what it is").folds()]);
        table.row(["llama".to_owned(), "rotary positions and a gated feed-forward".to_owned()]);
        let expected = "\
name   what it is
-----  ---------------------
llama  rotary positions and
       a gated feed-forward";
        assert_eq!(table.text(28), expected);
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal(
            columns in 40_usize..140,
            cells in proptest::collection::vec(
                ("\\PC{0,60}", "[a-z根]{0,40}", "\\PC{0,50}", "[0-9]{1,10}"), 0..6),
        ) {
            let mut table = Table::new([
                Column::text("dataset").shortest(6),
                Column::text("model").optional(2).only_if_same().shortest(6),
                Column::text("problem").folds(),
                Column::number("value"),
            ]);
            for (name, model, problem, value) in cells {
                table.row([name, model, problem, value]);
            }
            let text = table.text(columns);
            for line in table.fitted(columns).text.lines() {
                prop_assert!(width(line) <= columns, "{} columns in\n{text}", width(line));
            }
        }
    }
}
