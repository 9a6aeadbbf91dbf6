//! `mathbench`: the number of an answer, in English or Chinese.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Processed, blank::strip, python_regex::PythonRegex};

/// The parameters of `mathbench_postprocess`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    /// The name of the subset: `_cn` in it says that answers are Chinese.
    name: String,
}

/// The first number (a fraction such as `3/4` is one) behind "The answer is" or `答案是`, up to the next
/// of these; without it, the last number of the text. Without a number, the text that was looked at.
pub(super) fn process(parameters: &Parameters, text: &str) -> Processed {
    static NUMBER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"-?\d*\.?/?\d+|\d+"));
    let is_chinese = parameters.name.contains("_cn");
    let introduction = if is_chinese { "答案是" } else { "The answer is" };
    let introduced = text.split(introduction).nth(1).map(strip);
    let answer = introduced.unwrap_or(text);
    let output = without_thousands_separators(answer)?;
    let numbers = NUMBER.all(&output)?;
    let number = if introduced.is_some() { numbers.first() } else { numbers.last() };
    Ok((*number.unwrap_or(&answer)).into())
}

/// Takes out commas that stand between digits; of `1,2,3` only the first, because digits that were
/// looked at once are not looked at again.
pub(super) fn without_thousands_separators(text: &str) -> Result<String, super::PatternError> {
    static SEPARATOR: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"(\d),(\d)"));
    SEPARATOR.replace_by(text, |found| format!("{}{}", &found[1], &found[2]))
}
