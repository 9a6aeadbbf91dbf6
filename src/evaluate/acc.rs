//! `acc`: the share of answers that are the right one, as text.

use serde_json::Value;

use super::{EvaluateError, Evaluator, Row, Scores};
use crate::python::python_str;

/// Compares Python's `str()` of both sides: the reference 1 is matched by "1", and case and blanks
/// matter.
pub(super) struct Acc;

impl Evaluator for Acc {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let correct: Vec<bool> =
            rows.iter().map(|row| are_equal(&row.prediction, &row.reference)).collect();
        Ok(Scores::share("accuracy", &correct))
    }

    fn accepts(&self, prediction: &Value, reference: &Value) -> Option<bool> {
        Some(are_equal(prediction, reference))
    }
}

fn are_equal(prediction: &Value, reference: &Value) -> bool {
    python_str(prediction) == python_str(reference)
}
