//! `sci_reasoner_15_go`: lists of terms, by how many of them are right.

use std::{collections::HashSet, sync::LazyLock};

use serde_json::Value;

use super::{
    super::{EvaluateError, Metric, Row, Scores, Unit, by_row::Asked, confusion::ratio},
    answer::{gold, spoken},
};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::blank::strip,
};

/// Means over rows of precision, recall and F1.
pub(in super::super) fn scores(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let [mut precisions, mut recalls, mut f1s, mut shared, mut given_counts, mut meant_counts] =
        <[Vec<f64>; 6]>::default();
    let (mut exact, mut empty) = (Vec::new(), Vec::new());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "sci_reasoner_15_go");
        let record = gold(&row.reference);
        let value = record.get("value");
        let value = value.ok_or_else(|| asked.unreadable_reference("a record with a value"))?;
        let labels = |of: &Value| labels(of).map_err(|error| asked.failed(error));
        let (given, meant) = (labels(&row.prediction)?, labels(value)?);
        let overlap = given.intersection(&meant).count() as f64;
        let precision = ratio(overlap, given.len() as f64);
        let recall = ratio(overlap, meant.len() as f64);
        precisions.push(precision);
        recalls.push(recall);
        f1s.push(ratio(2.0 * precision * recall, precision + recall));
        shared.push(overlap);
        given_counts.push(given.len() as f64);
        meant_counts.push(meant.len() as f64);
        exact.push(given == meant);
        empty.push(given.is_empty());
    }
    let number = |name, scores| Metric::of_numbers(name, Unit::Number, scores);
    let metrics = vec![
        Metric::count("total", rows.len()),
        number("Precision", precisions),
        number("Recall", recalls),
        number("F1 Score", f1s.clone()),
        Metric::of_grades("score", f1s),
        Metric::of_shares("exact_match", &exact),
        number("avg_correct_attributes", shared),
        number("avg_pred_labels", given_counts),
        number("avg_gold_labels", meant_counts),
        Metric::of_shares("empty_prediction_rate", &empty),
    ];
    Ok(Scores { metrics, samples: rows.len(), details: None })
}

/// Terms between semicolons, or where there is none between commas and line ends; in lower case.
fn labels(value: &Value) -> Result<HashSet<String>, PatternError> {
    static SEMICOLON: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"[;；]\s*"));
    static COMMA: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"[\n,，]\s*"));
    let text = spoken(value)?;
    let parts =
        if text.contains([';', '；']) { SEMICOLON.split(&text)? } else { COMMA.split(&text)? };
    Ok(parts
        .into_iter()
        .map(strip)
        .filter(|part| !part.is_empty())
        .map(str::to_lowercase)
        .collect())
}
