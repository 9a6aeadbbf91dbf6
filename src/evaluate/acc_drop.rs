//! `acc_drop`: how much of the accuracy an attack on the questions takes away.
//!
//! The first half of the rows are the questions after the attack, the second half the same before it.

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit};
use crate::python::python_str;

const NAME: &str = "acc_drop";

/// One minus the ratio of both accuracies, and the accuracies.
pub(super) struct AccDrop;

impl Evaluator for AccDrop {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let undefined = |reason| Err(EvaluateError::Undefined { evaluator: NAME, reason });
        if !rows.len().is_multiple_of(2) {
            return undefined("half of the rows are before the attack, but their number is odd");
        }
        let part = |is_own: fn(usize, usize) -> bool| -> Vec<Option<bool>> {
            let is_right =
                |row: &Row<'_>| python_str(&row.prediction) == python_str(&row.reference);
            let own = |(index, row)| is_own(index, rows.len() / 2).then(|| is_right(row));
            rows.iter().enumerate().map(own).collect()
        };
        let after = Metric::of_part("acc_after", &part(|index, half| index < half));
        let before = Metric::of_part("acc_before", &part(|index, half| index >= half));
        if before.value <= 0.0 {
            return undefined("no answer before the attack is right, so nothing can be lost");
        }
        let drop = Metric::of_all(NAME, Unit::Number, 1.0 - after.value / before.value);
        Ok(Scores::new(vec![drop, after, before], rows.len()))
    }
}
