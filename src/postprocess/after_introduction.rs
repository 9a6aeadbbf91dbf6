//! Rules that take what stands behind a fixed phrase.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::{Processed, blank::strip, python_regex::PythonRegex};
use crate::python::is_digit;

/// `cmrc` and `drcd`: what stands between the first `答案是` and the next, or the whole text.
pub(super) fn chinese(text: &str) -> Processed {
    Ok(text.split("答案是").nth(1).unwrap_or(text).into())
}

/// `gpqa`: the letter A to D behind "Answer:", in any case; null without one.
pub(super) fn gpqa(text: &str) -> Processed {
    static ANSWER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?i)ANSWER\s*:\s*([A-D])"));
    Ok(ANSWER.first(text)?.into())
}

/// `gsm100`: the digits of the first word with a digit behind "The answer is". Signs and points go.
pub(super) fn gsm100(text: &str) -> Processed {
    let answer = text.split("The answer is").nth(1).unwrap_or_default();
    let word = answer.split(' ').find(|word| word.contains(is_digit)).unwrap_or_default();
    Ok(word.chars().filter(|&letter| is_digit(letter)).collect::<String>().into())
}

/// `gsm100_dataset`: a reference without thousands separators.
pub(super) fn gsm100_reference(text: &str) -> Processed {
    Ok(text.replace(',', "").into())
}

/// `infinite_bench_first_number`: the first number as text, unsigned; null without one.
pub(super) fn first_unsigned_number(text: &str) -> Processed {
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\d+\.\d+|\d+"));
    Ok(NUMBER.first(text)?.into())
}

/// The parameters of `olympiadbench_postprocess_v2`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OlympiadBench {
    #[serde(default)]
    is_chinese: bool,
    #[serde(default)]
    is_deepseek: bool,
}

/// `olympiadbench`: the rest of the line behind the last introduction, or the whole text.
pub(super) fn olympiadbench(parameters: &OlympiadBench, text: &str) -> Processed {
    let introduction = match (parameters.is_deepseek, parameters.is_chinese) {
        (true, true) => "## 解题答案",
        (true, false) => "The answer is: ",
        (false, true) => "所以最终答案是",
        (false, false) => "So the final answer is ",
    };
    // A match takes the rest of its line, so the first introduction of a line counts.
    let mut answers = text.split('\n').filter_map(|line| line.split_once(introduction));
    Ok(answers.next_back().map_or(text, |(_, answer)| strip(answer)).into())
}

/// `arxivrollbench_selection`: "Selection N" with the number 1 to 4 that is selected, else the text.
pub(super) fn selection(text: &str) -> Processed {
    static SELECTED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?i)\bselection\s*([1-4])\b"));
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\b([1-4])\b"));
    let text = strip(text);
    let number = match SELECTED.first(text)? {
        Some(number) => Some(number),
        None => NUMBER.first(text)?,
    };
    Ok(number.map_or_else(|| text.to_owned(), |number| format!("Selection {number}")).into())
}

/// `arxivrollbench_choice`: the first letter A to D that stands alone, as a capital, else the text.
pub(super) fn choice(text: &str) -> Processed {
    static LETTER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?i)\b([ABCD])\b"));
    let text = strip(text);
    Ok(LETTER.first(text)?.map_or_else(|| text.to_owned(), str::to_uppercase).into())
}

/// Null is the empty text, and every other value its `str`.
pub(super) fn as_text(value: &Value, process: fn(&str) -> Processed) -> Option<Value> {
    match value {
        Value::Null => Some(Value::from("")),
        other => process(&crate::python::python_str(other)).ok(),
    }
}
