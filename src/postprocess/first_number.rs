//! `first_number`: the first number in an answer.

use std::sync::LazyLock;

use serde_json::Value;

use super::{PostprocessError, python_regex::PythonRegex};
use crate::python::parse_float;

/// The number as a float, or `None` when there is none. Thousands separators end a number.
pub(super) fn process(text: &str) -> Result<Value, PostprocessError> {
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"-?\d*\.?\d+"));
    let number = NUMBER.first(text)?.and_then(parse_float);
    Ok(number.map_or(Value::Null, Value::from))
}
