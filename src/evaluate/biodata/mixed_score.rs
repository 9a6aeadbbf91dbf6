//! `biodata_mixed_score`: how near numbers are, and whether the small ones are found.

use serde_json::{Map, json};

use super::{
    super::{
        EvaluateError, Metric, Row, Scores, Unit,
        by_row::Asked,
        confusion::{Confusion, ratio},
    },
    answer::{number, spoken},
};

/// Smaller numbers are small.
const SMALL: f64 = 30.0;

/// Greater ones count nothing.
const GREATEST: f64 = 1000.0;

/// An error counts no more than this.
const WORST: f64 = 100.0;

/// The mixed score of all rows, in per cent. An answer without a number is 0.
pub(in super::super) fn scores(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let mut pairs = Vec::with_capacity(rows.len());
    let mut details = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "biodata_mixed_score");
        let given = number(spoken(&asked)?).map_err(|error| asked.failed(error))?;
        let gold = row.reference.as_f64().ok_or_else(|| asked.unreadable_reference("a number"))?;
        let pair = (gold, given.unwrap_or(0.0));
        pairs.push(pair);
        details.push(Map::from_iter([
            ("pred".to_owned(), json!(given)),
            ("answer".to_owned(), row.reference.clone()),
            ("score".to_owned(), json!(mixed_score(&[pair]) * 100.0)),
        ]));
    }
    let metrics = vec![Metric::of_all("Mixed", Unit::Percent, mixed_score(&pairs) * 100.0)];
    Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
}

/// Half for the error of all numbers, half for that of answers that are small times the F1 of finding them.
fn mixed_score(pairs: &[(f64, f64)]) -> f64 {
    let is_kept = |(_, given): &&(f64, f64)| given.abs() <= GREATEST;
    let kept: Vec<(f64, f64)> = pairs.iter().filter(is_kept).copied().collect();
    let counts = Confusion::of(kept.iter().map(|(gold, given)| (*gold < SMALL, *given < SMALL)));
    let (precision, recall) = (counts.precision(), counts.recall());
    let f1 = ratio(2.0 * precision * recall, precision + recall);
    let error = |pairs: &[(f64, f64)]| {
        let sum: f64 = pairs.iter().map(|(gold, given)| (gold - given).abs()).sum();
        if pairs.is_empty() { WORST } else { (sum / pairs.len() as f64).min(WORST) }
    };
    let is_small = |(_, given): &&(f64, f64)| (0.0..=SMALL).contains(given);
    let small: Vec<(f64, f64)> = kept.iter().filter(is_small).copied().collect();
    let own = (1.0 - error(&kept) / WORST) * 0.5 + (1.0 - error(&small) / WORST) * f1 * 0.5;
    if kept.len() < pairs.len() { own * kept.len() as f64 / pairs.len() as f64 } else { own }
}
