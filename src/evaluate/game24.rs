//! `game24`: arithmetic that uses each of four numbers once and comes to 24.

use std::sync::LazyLock;

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked};
use crate::{
    algebra::comes_to,
    postprocess::{PatternError, PythonRegex},
    statistics::Mean,
};

/// What the numbers are to come to.
const GOAL: i64 = 24;

/// Checks the numbers and what they come to.
pub(super) struct Game24;

impl Evaluator for Game24 {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut scores = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "game24");
            let (prediction, reference) = (asked.prediction()?, asked.reference()?);
            let same = numbers(prediction).and_then(|used| Ok(used == numbers(reference)?));
            let is_right = same.map_err(|error| asked.failed(error))? && comes_to(prediction, GOAL);
            scores.push(f64::from(u8::from(is_right)));
        }
        let mean = Mean::of(&scores);
        let metric = Metric { scores, ..Metric::from_mean("acc score", mean, Unit::Number) };
        Ok(Scores { metrics: vec![metric], samples: rows.len(), details: None })
    }
}

/// The runs of digits, sorted.
fn numbers(text: &str) -> Result<Vec<&str>, PatternError> {
    static DIGITS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\d+"));
    let mut numbers = DIGITS.all(text)?;
    numbers.sort_unstable();
    Ok(numbers)
}
