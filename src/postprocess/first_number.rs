//! `first_number`: the first number in an answer.

use std::sync::LazyLock;

use serde_json::Value;

use super::{PostprocessError, python_regex::PythonRegex};

/// The number as a float, or `None` when there is none. Thousands separators end a number.
pub(super) fn process(text: &str) -> Result<Value, PostprocessError> {
    static NUMBER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"-?[0-9]*\.?[0-9]+"));
    let found = NUMBER.search(text)?.and_then(|captures| captures.get(0));
    Ok(found
        .and_then(|number| number.as_str().parse::<f64>().ok())
        .map_or(Value::Null, Value::from))
}
