//! What answers of the second edition give, and their golds, which are records or texts of such.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::super::{EvaluateError, by_row::Asked};
use crate::{
    postprocess::{PatternError, PythonRegex, escaped},
    python::{blank::strip, parse_float},
};

/// How many unreadable answers a results file shows.
pub(super) const MOST_EXAMPLES: usize = 20;

/// A number, as a pattern.
const NUMBER: &str = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?";

/// The gold as a record; anything else is its `value`.
pub(super) fn gold(reference: &Value) -> Map<String, Value> {
    let read = match reference {
        Value::Object(record) => return record.clone(),
        Value::String(text) => serde_json::from_str(text).ok(),
        _ => None,
    };
    read.unwrap_or_else(|| Map::from_iter([("value".to_owned(), reference.clone())]))
}

/// The gold's `value` as a number.
pub(super) fn gold_number(asked: &Asked<'_>) -> Result<f64, EvaluateError> {
    let number = match gold(&asked.row.reference).get("value") {
        Some(Value::String(text)) => parse_float(text),
        Some(Value::Bool(flag)) => Some(f64::from(u8::from(*flag))),
        Some(other) => other.as_f64(),
        None => None,
    };
    number.ok_or_else(|| asked.unreadable_reference("a number, or a record with one as value"))
}

/// The answer without thoughts and fences; empty if it is no text.
pub(super) fn spoken(value: &Value) -> Result<String, PatternError> {
    static THOUGHT: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?is)<think>.*?</think>"));
    static FENCE: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?im)^```(?:json)?\s*|\s*```$"));
    let text = THOUGHT.replace(value.as_str().unwrap_or_default(), "")?;
    Ok(strip(&FENCE.replace(strip(&text), "")?).to_owned())
}

/// The first number of an answer, if it is finite.
pub(super) fn number(text: &str) -> Result<Option<f64>, PatternError> {
    static FIRST: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(NUMBER));
    Ok(FIRST.first(text)?.and_then(parse_float).filter(|number| number.is_finite()))
}

/// The number of a property in JSON or something like it, else the first of all.
pub(super) fn property(text: &str, name: &str) -> Result<Option<f64>, PatternError> {
    let read = serde_json::from_str::<Value>(text).ok();
    let own =
        read.as_ref().and_then(|read| read.as_object()?.get(name)).and_then(|own| match own {
            Value::String(text) => parse_float(text),
            Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
            other => other.as_f64(),
        });
    if own.is_some() {
        return Ok(own.filter(|number| number.is_finite()));
    }
    let named = format!(r#"(?is)\{{[^{{}}]*["']?{}["']?\s*:\s*["']?({NUMBER})"#, escaped(name));
    match PythonRegex::new(&named)?.first(text)? {
        Some(found) => Ok(parse_float(found).filter(|number| number.is_finite())),
        None => number(text),
    }
}

/// The text of a value, or of the first of a list.
pub(super) fn first_text<'r>(
    asked: &Asked<'r>,
    what: &'static str,
    value: &'r Value,
) -> Result<&'r str, EvaluateError> {
    asked.text(what, value.get(0).unwrap_or(value))
}

/// What a results file says of an answer that could not be read.
pub(super) fn example(index: usize, prediction: &Value, gold: f64) -> Value {
    json!({ "index": index, "prediction": prediction, "answer": gold })
}
