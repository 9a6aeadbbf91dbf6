//! The files of a summary: `.txt`, `.csv` and `.md`.

use serde_json::Value;

use super::{
    Summary, SummaryRow,
    aligned::{self, Align},
};
use crate::python::python_repr;

/// The length of every rule in the text file.
const RULE: usize = 128;

impl Summary {
    /// `summary_<time>.txt`: the table four times, the last time as raw results.
    pub fn to_txt(&self, time_stamp: &str) -> String {
        let dashes = "-".repeat(RULE);
        let divider = format!("{dashes} THIS IS A DIVIDER {dashes}\n\n");
        let block = |title: &str, body: &str| {
            format!("{title} format\n{}\n{body}\n{}\n", "^".repeat(RULE), "$".repeat(RULE))
        };
        let lines = std::iter::once(self.heading()).chain(self.cells());
        let csv: Vec<String> = lines.map(|cells| cells.join(",")).collect();
        [
            format!("{time_stamp}\n"),
            block("tabulate", &self.to_table()),
            format!("\n{divider}"),
            block("csv", &csv.join("\n")),
            "\n".to_owned(),
            block("markdown", &self.to_md()),
            divider,
            block("raw", &self.raw_text()),
        ]
        .concat()
    }

    /// `summary_<time>.csv`. Commas within cells become blanks.
    pub fn to_csv(&self) -> String {
        let lines = std::iter::once(self.heading()).chain(self.cells());
        let line = |cells: Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace(',', " ")).collect();
            cells.join(",") + "\n"
        };
        lines.map(line).collect()
    }

    /// `summary_<time>.md`.
    pub fn to_md(&self) -> String {
        let heading = self.heading();
        let rule = vec!["-----"; heading.len()].join(" | ");
        let rows = self.cells().map(|cells| format!("| {} |\n", cells.join(" | ")));
        format!("| {} |\n|{rule}|\n{}", heading.join(" | "), rows.collect::<String>())
    }

    /// The table with aligned columns, without a final newline. Columns of numbers go to the right.
    pub fn to_table(&self) -> String {
        let rows: Vec<Vec<String>> = self.cells().collect();
        let heading = self.heading();
        let is_numeric = |column: usize| {
            let mut cells = rows.iter().filter_map(|row| row.get(column));
            !rows.is_empty() && cells.all(|cell| is_number(cell))
        };
        let align = |column| if is_numeric(column) { Align::Right } else { Align::Left };
        let alignments: Vec<Align> = (0..heading.len()).map(align).collect();
        aligned::table(&heading, &rows, &alignments)
    }

    fn heading(&self) -> Vec<String> {
        let fixed = ["dataset", "version", "metric", "mode"].map(str::to_owned);
        fixed.into_iter().chain(self.models.iter().cloned()).collect()
    }

    fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        self.rows.iter().map(SummaryRow::cells)
    }

    fn raw_text(&self) -> String {
        let mut lines = Vec::new();
        for (model, results) in self.models.iter().zip(&self.raw) {
            lines.push("-".repeat(31));
            lines.push(format!("Model: {model}"));
            for (dataset, results) in results {
                lines.push(format!("{dataset}: {}", python_repr(&Value::Object(results.clone()))));
            }
        }
        lines.join("\n")
    }
}

impl SummaryRow {
    fn cells(&self) -> Vec<String> {
        let dash = || "-".to_owned();
        let fixed = [&self.version, &self.metric, &self.mode];
        let fixed = fixed.map(|cell| cell.clone().unwrap_or_else(dash));
        let values =
            self.values.iter().map(|value| value.map_or_else(dash, |value| format!("{value:.2}")));
        std::iter::once(self.dataset.clone()).chain(fixed).chain(values).collect()
    }
}

/// Whether a cell is a plain decimal number.
fn is_number(cell: &str) -> bool {
    let unsigned = cell.strip_prefix('-').unwrap_or(cell);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(fraction)
}
