//! `acc`: the share of answers that are the right one, as text.

use super::{EvaluateError, Evaluator, Row, Scores};
use crate::python::python_str;

/// Compares Python's `str()` of both sides: the reference 1 is matched by "1", and case and blanks
/// matter.
pub(super) struct Acc;

impl Evaluator for Acc {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let is_right = |row: &Row<'_>| python_str(&row.prediction) == python_str(&row.reference);
        let correct: Vec<bool> = rows.iter().map(is_right).collect();
        Ok(Scores::share("accuracy", &correct))
    }
}
