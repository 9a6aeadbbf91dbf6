//! The table at the end of a run: every figure with its uncertainty.

use std::collections::BTreeSet;

use super::{
    table::{Column, Table},
    width::{folded, width},
};
use crate::{
    evaluate::Unit,
    kept_run::RunOutcome,
    report::{FamilyFigure, FamilyRow, ResultRow},
};

/// Data sets of larger families are only shown if they are asked for.
const LARGE_FAMILY: usize = 20;

/// Numbers below this are written out.
const MOST_WRITTEN_OUT: f64 = 1e10;

/// A line of the table, of a data set or a family.
struct Line<'a> {
    name: String,
    model: &'a str,
    mode: &'a str,
    metric: &'a str,
    unit: Unit,
    figure: FamilyFigure,
    samples: usize,
    failed: usize,
}

/// The table in lines of at most `columns`, and under it what has to be known about it. Data sets of
/// large families, and those that `is_elsewhere` says are told of below, are left out unless `all` are wanted.
pub(super) fn text(
    outcome: &RunOutcome,
    columns: usize,
    all: bool,
    is_elsewhere: &dyn Fn(&str) -> bool,
) -> String {
    let hidden: BTreeSet<&str> = outcome
        .families
        .iter()
        .filter(|family| !all && family.datasets.len() > LARGE_FAMILY)
        .flat_map(|family| family.datasets.iter().map(String::as_str))
        .collect();
    let is_shown = |row: &&ResultRow| {
        !hidden.contains(row.dataset.as_str()) && (all || !is_elsewhere(&row.dataset))
    };
    let shown = outcome.results.iter().filter(is_shown);
    let lines: Vec<Line> =
        shown.map(Line::of).chain(outcome.families.iter().flat_map(Line::of_family)).collect();
    let mut text = table(&lines).text(columns);
    for note in notes(outcome, &lines, hidden.len()) {
        text += "\n\n";
        text += &folded(&note, columns, 2).join("\n");
    }
    text
}

impl<'a> Line<'a> {
    fn of(row: &'a ResultRow) -> Self {
        let figure = FamilyFigure {
            value: row.value,
            standard_error: row.standard_error,
            interval_low: row.interval_low,
            interval_high: row.interval_high,
            perplexity: row.perplexity,
        };
        Self {
            name: row.dataset.clone(),
            model: &row.model,
            mode: &row.mode,
            metric: &row.metric,
            unit: row.unit,
            figure,
            samples: row.samples,
            failed: row.failed,
        }
    }

    fn of_family(row: &'a FamilyRow) -> [Self; 2] {
        [("weighted", row.weighted), ("plain", row.plain)].map(|(kind, figure)| Self {
            name: format!("{} ({kind})", row.family),
            model: &row.model,
            mode: &row.mode,
            metric: &row.metric,
            unit: row.unit,
            figure,
            samples: row.samples,
            failed: row.failed,
        })
    }

    /// The figure and, of a share, its interval.
    fn value(&self) -> (String, String) {
        let FamilyFigure { value, interval_low, interval_high, .. } = self.figure;
        shown(self.unit, value, interval_low.zip(interval_high))
    }
}

/// A figure and, of a share, its interval.
pub(super) fn shown(unit: Unit, value: f64, interval: Option<(f64, f64)>) -> (String, String) {
    let interval = match (unit, interval) {
        (Unit::Percent, Some((low, high))) => format!("({low:.1}–{high:.1})"),
        _ => String::new(),
    };
    (written(unit, value), interval)
}

/// A number of a unit; one that would take the place of other columns by its power of ten.
fn written(unit: Unit, value: f64) -> String {
    if value.abs() < MOST_WRITTEN_OUT || !value.is_finite() {
        format!("{value:.*}", decimals(unit))
    } else {
        format!("{value:.4e}")
    }
}

fn decimals(unit: Unit) -> usize {
    match unit {
        Unit::Percent => 2,
        Unit::NatsPerToken | Unit::Number | Unit::Error => 4,
    }
}

fn table(lines: &[Line]) -> Table {
    let mut table = Table::new([
        Column::text("dataset").shortest(12),
        Column::text("model").shortest(8).optional(3).only_if_same(),
        Column::text("mode").optional(1),
        Column::text("metric").shortest(8),
        Column::text("value (95 % CI)"),
        Column::number("std. error").optional(4),
        Column::text("unit").optional(2),
        Column::number("n").optional(5),
        Column::number("failed").optional(0).only_if_same(),
    ]);
    let values: Vec<(String, String)> = lines.iter().map(Line::value).collect();
    let value_columns = values.iter().map(|(value, _)| width(value)).max().unwrap_or(0);
    for (line, (value, interval)) in lines.iter().zip(&values) {
        let error = line.figure.standard_error;
        let error = error.map(|error| format!("± {}", written(line.unit, error)));
        table.row([
            line.name.clone(),
            line.model.to_owned(),
            line.mode.to_owned(),
            line.metric.to_owned(),
            format!("{value:>value_columns$} {interval}").trim_end().to_owned(),
            error.unwrap_or_default(),
            line.unit.to_string(),
            line.samples.to_string(),
            line.failed.to_string(),
        ]);
    }
    table
}

/// What the figures mean that their names do not say, and where the rest of them is.
fn notes(outcome: &RunOutcome, lines: &[Line], hidden: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if !outcome.families.is_empty() {
        notes.push("weighted: every sample counts the same; plain: every data set does".to_owned());
    }
    if hidden > 0 {
        notes.push(format!(
            "{hidden} data sets of these families: with --all, and in summary/details.csv"
        ));
    }
    if lines.iter().any(|line| line.unit == Unit::NatsPerToken) {
        notes.push(
            "nats/token: mean surprisal of a token, which OpenCompass calls PPL; the perplexity, e to its \
             power, is in summary/details.csv"
                .to_owned(),
        );
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        evaluate::{Metric, Scores},
        report::Family,
        statistics::Mean,
    };

    fn rows(
        dataset: &str,
        metric: &str,
        value: f64,
        error: f64,
        unit: Unit,
        n: usize,
    ) -> Vec<ResultRow> {
        let mean = Mean { value, standard_error: Some(error) };
        let metrics = vec![Metric::from_mean(metric, mean, unit)];
        let scores = Scores { metrics, samples: n, details: None };
        ResultRow::of(dataset, "pocket", "ppl", &scores, 0)
    }

    fn outcome(results: Vec<ResultRow>) -> RunOutcome {
        let datasets: Vec<&str> = results.iter().map(|row| row.dataset.as_str()).collect();
        let families = Family::find(&datasets, &indexmap::IndexSet::new(), &[]);
        let families = families.iter().flat_map(|family| family.rows(&results)).collect();
        RunOutcome {
            name: "run".to_owned(),
            errors: Vec::new(),
            folder: "out".into(),
            page: None,
            results,
            families,
            posix: Vec::new(),
            failed_samples: 0,
            work: crate::kept_run::WorkDone::default(),
            is_from_store: false,
            unscored: Vec::new(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn every_figure_shows_interval_error_and_counts() {
        let mut results = rows("mcq", "accuracy", 76.67, 7.85, Unit::Percent, 30);
        results.extend(rows("all", "accuracy", 100.0, 0.0, Unit::Percent, 200));
        results.extend(rows("text", "average_ppl", 2.25, 0.125, Unit::NatsPerToken, 12));
        let expected = "\
dataset  model   metric       value (95 % CI)      std. error  unit          n
-------  ------  -----------  -------------------  ----------  ----------  ---
mcq      pocket  accuracy      76.67 (59.1–88.2)       ± 7.85  %            30
all      pocket  accuracy     100.00 (98.1–100.0)      ± 0.00  %           200
text     pocket  average_ppl  2.2500                 ± 0.1250  nats/token   12

in all rows: mode ppl, failed 0

nats/token: mean surprisal of a token, which OpenCompass calls PPL; the
  perplexity, e to its power, is in summary/details.csv";
        assert_eq!(text(&outcome(results), 80, false, &|_| false), expected);
    }

    #[test]
    fn a_large_family_is_two_lines() {
        let results: Vec<ResultRow> = (0..57)
            .flat_map(|index| {
                let name = format!("lukaemon_mmlu_subject_{index}");
                rows(&name, "accuracy", 25.0, 4.0, Unit::Percent, 100 + index)
            })
            .collect();
        let outcome = outcome(results);
        let short = text(&outcome, 80, false, &|_| false);
        assert!(short.lines().all(|line| width(line) <= 80), "{short}");
        let starts = |line: &str| short.lines().any(|own| own.starts_with(line));
        assert!(starts("lukaemon_mmlu_subject (weighted)"), "{short}");
        assert!(starts("lukaemon_mmlu_subject (plain)"), "{short}");
        assert!(!short.contains("subject_3") && short.contains("57 data sets"), "{short}");
        let long = text(&outcome, 80, true, &|_| false);
        assert!(long.contains("subject_33 "), "{long}");
        assert!(long.lines().all(|line| width(line) <= 80), "{long}");
    }

    #[test]
    fn models_are_told_apart_in_60_columns() {
        let mut results = rows("choices_of_words", "accuracy", 50.0, 1.0, Unit::Percent, 12_345);
        results.extend(rows("choices_of_words", "accuracy", 60.0, 1.0, Unit::Percent, 12_345));
        results[1].model = "another-model-7b-instruct".to_owned();
        let shown = text(&outcome(results), 60, false, &|_| false);
        assert!(shown.contains(" pocket ") && shown.contains(" another-"), "{shown}");
        assert!(shown.contains("60.00 (59.1–60.9)"), "{shown}");
        assert!(shown.lines().all(|line| width(line) <= 60), "{shown}");
    }
}
