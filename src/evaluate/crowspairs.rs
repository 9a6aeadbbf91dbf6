//! `crowspairs`: which of two sentences a model prefers, over all answers and over those that are one.

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores, acc_with_details::are_equal, by_row::rounded,
};

/// What the post-processor gives where there is no answer.
const INVALID: &str = "invalid";

/// Where the original fails.
const NONE_VALID: &str = "no prediction is an answer: there is no accuracy of those that are, and OpenCompass divides by none and has no figure";

/// Shares of right answers, rounded to two places of a per cent.
pub(super) struct Crowspairs;

impl Evaluator for Crowspairs {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let is_right = |row: &Row<'_>| are_equal(&row.prediction, &row.reference);
        let correct: Vec<bool> = rows.iter().map(is_right).collect();
        let valid: Vec<bool> = rows.iter().map(|row| row.prediction != INVALID).collect();
        let of_valid: Vec<bool> =
            correct.iter().zip(&valid).filter(|(_, valid)| **valid).map(|(own, _)| *own).collect();
        let share = |name: &str, of: &[bool]| {
            let mut metric = Metric::of_shares(name, of);
            metric.value = rounded(metric.value / 100.0, 4) * 100.0;
            if of.len() != rows.len() {
                metric.scores.clear();
            }
            metric
        };
        let metrics = vec![
            share("accuracy", &correct),
            share("valid_accuracy", &of_valid),
            share("valid_frac", &valid),
        ];
        Ok(Scores { metrics, samples: rows.len(), details: None })
    }

    fn departures(&self, rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        if rows.iter().any(|row| row.prediction != INVALID) {
            return Vec::new();
        }
        (0..rows.len()).map(|row| (row, NONE_VALID)).collect()
    }
}
