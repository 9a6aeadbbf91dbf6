//! `scibench`: the result of a calculation.

use std::sync::LazyLock;

use super::{
    Processed, blank::strip, mathbench::without_thousands_separators, python_regex::PythonRegex,
};

/// Behind the first "answer is" (or in the whole text): the content of the first `\boxed{…}` up to its
/// first brace, else the last number, else the text.
pub(super) fn process(text: &str) -> Processed {
    static BOXED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\\boxed\{(.+?)\}"));
    static NUMBER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"-?\d*\.?\d+|\d+"));
    let answer = text.split("answer is").nth(1).map_or(text, strip);
    if let Some(boxed) = BOXED.first(answer)? {
        return Ok(boxed.into());
    }
    let output = without_thousands_separators(answer)?;
    Ok(NUMBER.last(&output)?.unwrap_or(answer).into())
}
