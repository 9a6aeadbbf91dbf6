//! A call that was asked for, with all that the data set says of it.

use serde_json::Value;

use super::super::{EvaluateError, Row, by_row::Asked};
use crate::postprocess::PostprocessError;

/// A prediction and the entry of the data set, which is its reference as JSON.
pub(super) struct Case<'r> {
    entry: Value,
    asked: Asked<'r>,
}

impl<'r> Case<'r> {
    pub(super) fn of(row: &'r Row<'r>, index: usize) -> Result<Self, EvaluateError> {
        let asked = Asked::new(row, index, "t_eval");
        let entry = serde_json::from_str(asked.reference()?)
            .map_err(|_| asked.unreadable_reference("JSON of a call"))?;
        Ok(Self { entry, asked })
    }

    pub(super) fn prediction(&self) -> &'r Value {
        &self.asked.row.prediction
    }

    /// What the entry has at a JSON pointer.
    pub(super) fn value(&self, pointer: &str) -> Option<&Value> {
        self.entry.pointer(pointer)
    }

    /// The text at a JSON pointer, which has to be there.
    pub(super) fn text(&self, pointer: &str) -> Result<&str, EvaluateError> {
        let found = self.value(pointer).and_then(Value::as_str);
        found.ok_or_else(|| self.unreadable("a call with its template and meta_data"))
    }

    pub(super) fn unreadable(&self, expected: &'static str) -> EvaluateError {
        self.asked.unreadable_reference(expected)
    }

    pub(super) fn failed(&self, source: impl Into<PostprocessError>) -> EvaluateError {
        self.asked.failed(source)
    }
}

/// The cosine of the angle between two vectors, in single precision; 0 where it is blunt.
pub(super) fn likeness(one: &[f32], other: &[f32]) -> f64 {
    let dot = |one: &[f32], other: &[f32]| {
        one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
    };
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    let cosine = if lengths > 0.0 { dot(one, other) / lengths } else { 0.0 };
    f64::from(cosine as f32).max(0.0)
}
