//! What an answer gives: the text of a box, a number, a record.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::super::{EvaluateError, by_row::Asked};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::{blank::strip, parse_float, python_literal},
};

/// The prediction behind its last closed thought.
pub(super) fn spoken<'a>(asked: &'a Asked<'_>) -> Result<&'a str, EvaluateError> {
    Ok(asked.prediction()?.rsplit("</think>").next().unwrap_or_default())
}

/// The content of the last box without `\text` and escapes; nothing without a box.
pub(super) fn boxed(text: &str) -> Result<Option<String>, PatternError> {
    static BOXED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?s)\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}"));
    static TEXT: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\\text\{([^}]*)\}"));
    static ESCAPED: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\\(.)"));
    let Some(content) = BOXED.last(text)? else { return Ok(None) };
    Ok(Some(ESCAPED.keep_group(&TEXT.keep_group(strip(content))?)?))
}

/// The last number in a box or between `<NUMBER>` marks.
pub(super) fn number(text: &str) -> Result<Option<f64>, PatternError> {
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(r"(?:<NUMBER>\s*|\\boxed\{)\s*(-?\d*\.?\d+)\s*(?:</NUMBER>|\})")
    });
    Ok(NUMBER.last(text)?.and_then(parse_float))
}

/// The last record without a record in it, as JSON or as Python writes it. Null where there is none, and the
/// text's own value where it reads as something else.
pub(super) fn record(text: &str) -> Result<Value, PatternError> {
    static RECORD: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?s)\{[^{}]*\}"));
    let found = RECORD.last(text)?.filter(|record| !record.contains("..."));
    let read = found
        .and_then(|record| serde_json::from_str(record).ok().or_else(|| python_literal(record)));
    Ok(read.unwrap_or_default())
}

/// The record of an answer if it names exactly what the gold names.
pub(super) fn fitting<'v>(
    given: &'v Value,
    gold: &Map<String, Value>,
) -> Option<&'v Map<String, Value>> {
    let given = given.as_object().filter(|given| !given.is_empty() && given.len() == gold.len())?;
    gold.keys().all(|key| given.contains_key(key)).then_some(given)
}

/// `float(value)`.
pub(super) fn float(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => parse_float(text),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        other => other.as_f64(),
    }
}
