//! `bbh_freeform`: the short text that a BIG-Bench Hard answer ends in.

use std::sync::LazyLock;

use serde_json::Value;

use super::{PostprocessError, blank::strip, python_regex::PythonRegex};

/// The first line behind the last "answer is" (or of the whole text), reduced to what is compared:
/// its bold part if it has one, the verdict alone if it begins with one, single blanks for commas
/// unless a comma anywhere stands between numbers.
pub(crate) fn process(text: &str) -> Result<Value, PostprocessError> {
    static INTRODUCTION: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?is).*answer is\s*:?(.*)"));
    static BOLD: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\*\*(.*?)\*\*"));
    static VERDICT: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?i)^(yes|no|true|false)\b"));
    static NUMBERS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\d\s*,\s*\d"));
    static BLANKS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\s+"));

    let answer = INTRODUCTION.last(text)?.map_or(text, strip);
    let line = strip(answer.split('\n').next().unwrap_or_default());
    let line = line.strip_suffix('.').map_or(line, strip);
    let bold = BOLD.search(line)?.and_then(|captures| captures.get(1));
    let line = bold.map_or(line, |bold| strip(bold.as_str()));
    if let Some(verdict) = VERDICT.last(line)? {
        let (first, rest) = verdict.split_at(1);
        return Ok(Value::String(first.to_uppercase() + &rest.to_lowercase()));
    }
    let has_numbers = NUMBERS.search(line)?.is_some();
    let spaced = if has_numbers { line.to_owned() } else { line.replace(',', " ") };
    Ok(Value::from(strip(&BLANKS.replace(&spaced, " ")?)))
}
