//! `gue`: positive and negative answers about stretches of a genome.

use super::super::{EvaluateError, Metric, Row, Scores, Unit, by_row::Asked, confusion::Confusion};
use crate::python::blank::strip;

/// Matthews' correlation, in per cent, of all answers and of those that are one. In the first whatever is not
/// positive counts as negative.
pub(in super::super) fn scores(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let takes_first = rows.first().is_some_and(|row| row.prediction.is_array());
    let (mut all, mut labelled) = (Vec::new(), Vec::new());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "gue");
        let first = row.prediction.get(0).filter(|_| takes_first);
        let given = label(asked.text("the prediction", first.unwrap_or(&row.prediction))?);
        let meant = label(asked.reference()?);
        all.push((meant == Some(true), given == Some(true)));
        labelled.extend(meant.zip(given));
    }
    let (total, skipped) = (all.len(), all.len() - labelled.len());
    let of_all =
        |name, counts: Confusion| Metric::of_all(name, Unit::Number, counts.matthews() * 100.0);
    let metrics = vec![
        of_all("matthews_correlation_all", Confusion::of(all)),
        of_all("matthews_correlation_filtered", Confusion::of(labelled)),
        Metric::count("non_pos_neg_count", skipped),
        Metric::count("total_count", total),
    ];
    Ok(Scores { metrics, samples: rows.len(), details: None })
}

fn label(text: &str) -> Option<bool> {
    match strip(text).to_lowercase().as_str() {
        "positive" => Some(true),
        "negative" => Some(false),
        _ => None,
    }
}
