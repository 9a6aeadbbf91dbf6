//! `mcc`: Matthews' correlation between predicted and right classes, of two classes or more.

use indexmap::IndexMap;

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit};
use crate::python::python_str;

/// The correlation, a hundred times; 0 where one side has a single class.
pub(super) struct Matthews;

impl Evaluator for Matthews {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut classes: IndexMap<String, [f64; 2]> = IndexMap::new();
        let mut correct = 0.0;
        for row in rows {
            let (own, other) = (python_str(&row.prediction), python_str(&row.reference));
            correct += f64::from(u8::from(own == other));
            classes.entry(own).or_default()[0] += 1.0;
            classes.entry(other).or_default()[1] += 1.0;
        }
        let samples = rows.len() as f64;
        let product = |left: usize, right: usize| -> f64 {
            classes.values().map(|counts| counts[left] * counts[right]).sum()
        };
        let covariance = correct * samples - product(0, 1);
        let spread = (samples * samples - product(0, 0)) * (samples * samples - product(1, 1));
        let value = match rows {
            [] => f64::NAN,
            _ if spread > 0.0 => 100.0 * covariance / spread.sqrt(),
            _ => 0.0,
        };
        Ok(Scores::new(
            vec![Metric::of_all("matthews_correlation", Unit::Number, value)],
            rows.len(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_scikit_learn() {
        // Each row was run in scikit-learn 1.5.0.
        let rows = [
            (["A", "B", "A", "C"], ["A", "B", "C", "C"], 70.0),
            (["A", "A", "A", "A"], ["A", "B", "A", "B"], 0.0),
        ];
        for (own, other, expected) in rows {
            let values = |texts: [&str; 4]| texts.map(Into::into).to_vec();
            let rows = Row::zip(values(own), values(other)).unwrap();
            let found = Matthews.evaluate(&rows).unwrap().metrics[0].value;
            assert!((found - expected).abs() < 1e-9, "{found}");
        }
    }
}
