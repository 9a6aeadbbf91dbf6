//! `bbeh_freeform` and `bbeh_mcq`: the answer to a BIG-Bench Extra Hard question, in lower case.

use std::sync::LazyLock;

use super::{
    Processed,
    blank::strip,
    python_regex::{PatternError, PythonRegex},
};

/// What introduces an answer; the first of these that occurs counts.
const INTRODUCTIONS: &[&str] =
    &["The answer is: ", "The answer is ", "The final answer is: ", "The final answer is "];

/// The first line behind the last introduction, out of its box, `\text` and bold marks.
pub(super) fn process_freeform(text: &str) -> Processed {
    Ok(freeform(text)?.into())
}

/// The same as a text.
pub(crate) fn freeform(text: &str) -> Result<String, PatternError> {
    static BOXED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\\boxed{(.*?)}"));
    static TEXT: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\\text(?:tt)?{(.*?)}"));
    static BOLD: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\*\*(.*?)\*\*"));
    let answer = TEXT.keep_group(&BOXED.keep_group(introduced(text))?)?;
    Ok(first_line(&BOLD.keep_group(&answer)?))
}

/// The first line behind the last introduction, without parentheses at the ends of the answer.
pub(super) fn process_mcq(text: &str) -> Processed {
    Ok(mcq(text).into())
}

/// The same as a text.
pub(crate) fn mcq(text: &str) -> String {
    first_line(introduced(text).trim_matches(['(', ')']))
}

fn introduced(text: &str) -> &str {
    let answers = INTRODUCTIONS.iter().filter_map(|introduction| text.rsplit_once(introduction));
    answers.map(|(_, answer)| answer).next().unwrap_or(text)
}

fn first_line(answer: &str) -> String {
    strip(answer.split('\n').next().unwrap_or_default()).to_lowercase()
}
