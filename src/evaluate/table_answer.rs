//! `s3eval`: answers about tables, which are a table, a list or a text.
//!
//! The reference says which: one with `|` is a table whose rows are compared, one with a comma a list whose
//! items are, and of any other the words or the number.

use std::collections::{HashMap, HashSet};

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
    token_f1::{english_words, f1},
};
use crate::python::{blank::strip, parse_float};

/// F1 of what both sides have.
pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, reference) = (asked.prediction()?, asked.reference()?);
    let words = |text: &str| english_words(text).map_err(|error| asked.failed(error));
    let share = if reference.contains('|') {
        shared_rows(&rows(prediction), &rows(reference))
    } else if reference.contains(',') {
        shared_items(prediction, reference)
    } else {
        match (parse_float(prediction), parse_float(reference)) {
            (Some(left), Some(right)) => f64::from(u8::from(is_same(left, right))),
            _ => f1(&words(prediction)?, &words(reference)?),
        }
    };
    Ok(Grade::share(share))
}

/// Whether two numbers are the same one.
fn is_same(left: f64, right: f64) -> bool {
    left.partial_cmp(&right) == Some(std::cmp::Ordering::Equal)
}

/// The cells of each row of a table in Markdown, which begins with two lines of a head.
fn rows(table: &str) -> Vec<Vec<&str>> {
    let lines = table.split('\n').skip(2).filter(|line| !strip(line).is_empty());
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(strip).collect();
            let last = cells.len().saturating_sub(1);
            cells.get(1..last).unwrap_or_default().to_vec()
        })
        .collect()
}

/// F1 of rows, each counted as often as both tables have it.
fn shared_rows(own: &[Vec<&str>], other: &[Vec<&str>]) -> f64 {
    let mut left: HashMap<&[&str], usize> = HashMap::new();
    for row in other {
        *left.entry(row).or_default() += 1;
    }
    let mut common = 0;
    for row in own {
        if let Some(count) = left.get_mut(row.as_slice()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    f_measure(common, own.len(), other.len())
}

/// F1 of the items between commas, each counted once.
fn shared_items(own: &str, other: &str) -> f64 {
    let items = |text| -> HashSet<&str> { str::split(text, ',').map(strip).collect() };
    let (own, other) = (items(own), items(other));
    f_measure(own.intersection(&other).count(), own.len(), other.len())
}

fn f_measure(common: usize, own: usize, other: usize) -> f64 {
    if common == 0 {
        return 0.0;
    }
    let (precision, recall) = (common as f64 / own as f64, common as f64 / other as f64);
    2.0 * (precision * recall) / (precision + recall)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_says_what_is_compared() {
        let share = |prediction: &str, reference: &str| {
            let row = super::super::Row {
                prediction: prediction.into(),
                reference: reference.into(),
                ..super::super::Row::default()
            };
            let scores = super::super::by_row::ByRow::new("s3eval", grade);
            super::super::Evaluator::evaluate(&scores, &[row]).unwrap().metrics[0].value
        };
        // Each row was run in OpenCompass 0.5.4.
        let rows = [
            (
                "| a | b |\n|---|---|\n| 1 | x |\n| 2 | y |",
                "| h |\n|---|\n| 1 | x |\n",
                200.0 / 3.0,
            ),
            ("a, b ,c", "b,c", 80.0),
            ("3.0", "3", 100.0),
            ("the red kiln", "red", 200.0 / 3.0),
            ("x", "a|b", 0.0),
        ];
        for (prediction, reference, expected) in rows {
            let found = share(prediction, reference);
            assert!((found - expected).abs() < 1e-9, "{prediction}: {found}");
        }
    }
}
