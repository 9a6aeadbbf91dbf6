//! `gsm8k` and `gsm8k_dataset`: the number that a worked solution ends in.

use std::sync::LazyLock;

use serde_json::Value;

use super::{PostprocessError, python_regex::PythonRegex};

/// What stands before the answer in the solutions of the data set.
const ANSWER_MARK: &str = "#### ";

/// The last number before the model starts to make up a next question; `NULL` when there is none.
/// Thousands separators cut a number.
pub(super) fn process(text: &str) -> Result<Value, PostprocessError> {
    static NUMBER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"-?\d+\.\d+|-?\d+"));
    let solution = text.split("Question:").next().unwrap_or_default();
    Ok(Value::from(NUMBER.last(solution)?.unwrap_or("NULL")))
}

/// The reference answer of a row: what follows the mark, without thousands separators.
pub(super) fn process_reference(text: &str) -> Result<Value, PostprocessError> {
    let answer = text.split(ANSWER_MARK).nth(1).ok_or_else(|| PostprocessError::NothingFound {
        processor: "gsm8k_dataset",
        missing: format!("{ANSWER_MARK:?}"),
        text: text.to_owned(),
    })?;
    Ok(Value::String(answer.replace(',', "")))
}
