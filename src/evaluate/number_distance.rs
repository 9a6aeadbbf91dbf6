//! `rmse`, `mae`: how far the number of an answer is from the right one. Less is better.
//!
//! A number counts between number tags or in a box. The first metric of each row is the root of one square, which is the
//! distance; so both are the mean distance, and differ in which number of a text counts.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked};
use crate::{postprocess::PythonRegex, python::parse_float, statistics::Mean};

/// Which number of a prediction counts, and how the reference is written.
#[derive(Clone, Copy)]
pub(super) enum NumberDistance {
    /// The first number between tags, in both.
    Rmse,
    /// The last number between tags; the reference is a bare number.
    Mae,
}

impl NumberDistance {
    fn name(self) -> &'static str {
        match self {
            Self::Rmse => "rmse",
            Self::Mae => "mae",
        }
    }

    fn distance(self, asked: &Asked<'_>) -> Result<(f64, f64), EvaluateError> {
        let found = tagged(asked.prediction()?).map_err(|error| asked.failed(error))?;
        let (prediction, answer) = match self {
            Self::Rmse => {
                let answers = tagged(asked.reference()?).map_err(|error| asked.failed(error))?;
                (found.first(), answers.first().copied())
            }
            Self::Mae => (found.last(), number(&asked.row.reference)),
        };
        let expected = match self {
            Self::Rmse => "a number between number tags or in a box",
            Self::Mae => "a number",
        };
        let answer = answer.ok_or_else(|| asked.unreadable_reference(expected))?;
        // Without a number the answer is taken for 0.
        Ok((prediction.copied().unwrap_or(0.0), answer))
    }
}

impl Evaluator for NumberDistance {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut distances, mut details) = (Vec::new(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, self.name());
            let (prediction, answer) = self.distance(&asked)?;
            let distance = (prediction - answer).abs();
            distances.push(distance);
            details.push(Map::from_iter([
                ("pred".to_owned(), json!(prediction)),
                ("answer".to_owned(), json!(answer)),
                ("score".to_owned(), json!(distance)),
            ]));
        }
        // Rows have no scores of their own: of scores, more is better.
        let metrics = vec![Metric::from_mean("score", Mean::of(&distances), Unit::Number)];
        Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => parse_float(text),
        other => other.as_f64(),
    }
}

fn tagged(text: &str) -> Result<Vec<f64>, crate::postprocess::PatternError> {
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(r"(?:<NUMBER>\s*|\\boxed\{)\s*(-?\d*\.?\d+)\s*(?:</NUMBER>|\})")
    });
    Ok(NUMBER.all(text)?.into_iter().filter_map(parse_float).collect())
}
