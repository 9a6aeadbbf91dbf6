//! `gue`: positive or negative, the prediction about a piece of genome.

use std::sync::LazyLock;

use super::{
    Processed, blank::strip, model_marks::after_finished_thoughts, python_regex::PythonRegex,
};

/// Phrases that say no, which count first.
const NEGATIVE: &[&str] =
    &["negative", "no", "absence", "not", "cannot", "fails", "absent", "lacks"];

/// Phrases that say yes.
const POSITIVE: &[&str] = &[
    "positive",
    "positively",
    "presence",
    "detected",
    "identified",
    "identifiable",
    "found",
    "yes",
    "located",
    "detectable",
    "observable",
    "evident",
    "absolutely",
    "affirmative",
    "can",
    "affirm",
    "confirm",
    "confirms",
    "reveals",
    "existence",
    "certainly",
    "consistent",
    "recognizable",
    "shows core",
    "shows promoter",
    "shows characteristic",
    "evidenced by",
    "seeing characteristic patterns",
    "includes",
    "contains sequences",
    "exhibits clear",
    "contains transcription",
    "exhibits sequences",
    "clearly contains",
    "recognized",
    "exhibits features",
    "contains regulatory",
    "shows clear",
    "displays",
    "definitely has",
    "exhibits patterns",
    "clear evidence",
    "contains a",
    "yep",
    "contains sites",
    "shows sequences",
];

/// The stated result, else what the words of the text say, else nothing.
pub(super) fn process(text: &str) -> Processed {
    static RESULT: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(r"(?i)\bThe prediction result is\s+(positive|negative)\b")
    });
    static SAYS_NO: LazyLock<PythonRegex> = LazyLock::new(|| words(NEGATIVE));
    static SAYS_YES: LazyLock<PythonRegex> = LazyLock::new(|| words(POSITIVE));
    let text = after_finished_thoughts(strip(text))?;
    if let Some(result) = RESULT.first(&text)? {
        return Ok(result.to_lowercase().into());
    }
    Ok(if SAYS_NO.finds(&text)? {
        "negative"
    } else if SAYS_YES.finds(&text)? {
        "positive"
    } else {
        ""
    }
    .into())
}

/// One of the phrases, as whole words.
fn words(phrases: &[&str]) -> PythonRegex {
    PythonRegex::constant(&format!(r"(?i)\b(?:{})\b", phrases.join("|")))
}
