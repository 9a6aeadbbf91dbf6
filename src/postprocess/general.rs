//! `general`: a short free answer without what does not matter: punctuation, articles, blanks.

use std::sync::LazyLock;

use serde_json::Value;

use super::{PostprocessError, blank::strip, python_regex::PythonRegex};

/// The normalised first clause, as a value.
pub(super) fn process(text: &str) -> Result<Value, PostprocessError> {
    Ok(Value::String(normalized(text)?))
}

/// The text up to its first newline, full stop or comma, without punctuation and English articles,
/// blanks collapsed. Decimal numbers lose their fraction with that.
pub(crate) fn normalized(text: &str) -> Result<String, PostprocessError> {
    static PUNCTUATION: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"[^\w\s]"));
    static ARTICLE: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?i)\b(?:a|an|the)\b"));
    static BLANKS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\s+"));

    let clause = text.split(['\n', '.', ',']).next().unwrap_or_default();
    let words = PUNCTUATION.replace(clause, "")?;
    let words = ARTICLE.replace(&words, "")?;
    Ok(strip(&BLANKS.replace(&words, " ")?).to_owned())
}
