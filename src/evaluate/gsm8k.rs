//! `gsm8k`: the same number, however it is written.

use serde_json::Value;

use super::{
    EvaluateError,
    acc_with_details::are_equal,
    by_row::{Asked, Grade},
};
use crate::python::{parse_float, parse_integer};

/// How far apart two numbers may be that count as equal.
const TOLERANCE: f64 = 1e-6;

/// Equal as they are, or as a number and a whole number. A reference with a fraction or thousands
/// separators is no whole number, and then the texts decide.
pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (&asked.row.prediction, &asked.row.reference);
    let is_correct = are_equal(prediction, answer) || are_near(prediction, answer);
    Ok(Grade::compared(prediction.clone(), answer.clone(), is_correct))
}

/// Whether a number is near a whole one.
pub(super) fn are_near(prediction: &Value, answer: &Value) -> bool {
    let number = match prediction {
        Value::String(text) => parse_float(text),
        other => other.as_f64(),
    };
    let whole = match answer {
        Value::String(text) => parse_integer(text).and_then(|digits| digits.parse::<f64>().ok()),
        other => other.as_f64().map(f64::trunc),
    };
    number.zip(whole).is_some_and(|(a, b)| (a - b).abs() < TOLERANCE)
}
