//! `charm_reason`: the option behind "answer is ".

use std::sync::LazyLock;

use super::{Processed, blank::strip, python_regex::PythonRegex};

/// Behind the first "answer is " (or in the whole text): the first capital A to Z after an opening
/// parenthesis, else the first capital, else the text.
pub(super) fn process(text: &str) -> Processed {
    static IN_PARENTHESES: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\(([A-Z])"));
    static CAPITAL: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant("[A-Z]"));
    let answer = text.split("answer is ").nth(1).map_or(text, strip);
    let option = match IN_PARENTHESES.first(answer)? {
        Some(option) => Some(option),
        None => CAPITAL.first(answer)?,
    };
    Ok(option.unwrap_or(answer).into())
}
