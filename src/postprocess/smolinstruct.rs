//! `smolinstruct_acc` and `smolinstruct_acc_0shot`: yes or no in the tags of `SMolInstruct`.

use std::sync::LazyLock;

use serde_json::Value;

use super::{Processed, blank::strip, python_regex::PythonRegex};

/// Phrasings that say yes or no, most trusted first.
const PHRASINGS: &[&str] = &[
    r"(?i)\\boxed\{\s*(yes|no)\s*\}",
    r#"(?i)[Th]he\s+answer\s+is\s*[\.:\'"“‘’\-]*\s*(yes|no)[\s\.,!?:;\'"”’\-]*"#,
    r"(?i)[Aa]nswer:\s*(yes|no)\b",
    r"(?i)\*\*[Aa]nswer:\*\*\s*(yes|no)\b",
    r"(?i)\*\*[Aa]nswer\*\*:\s*(yes|no)\b",
    r"(?i)<BOOLEAN>\s*(yes|no)\s*</BOOLEAN>",
    r"(?i)^\s*(yes|no)[\.\?!]?\s*$",
    r"(?i)<\|begin_of_box\|>\s*(yes|no)\s*<\|end_of_box\|>",
];

/// Yes if the text contains "yes" anywhere, else no if it contains "no"; null without either.
pub(super) fn process(text: &str) -> Processed {
    let text = text.to_lowercase();
    Ok(match (text.contains("yes"), text.contains("no")) {
        (true, _) => verdict("yes"),
        (false, true) => verdict("no"),
        (false, false) => Value::Null,
    })
}

/// What stands behind the thoughts: the verdict alone, in one of the phrasings, or at an end of the
/// text; nothing without one.
pub(super) fn process_without_examples(text: &str) -> Processed {
    static PATTERNS: LazyLock<Vec<PythonRegex>> =
        LazyLock::new(|| PHRASINGS.iter().map(|one| PythonRegex::constant(one)).collect());
    let answer = strip(text.rsplit("</think>").next().unwrap_or_default());
    for phrasing in PATTERNS.iter() {
        if let Some(word) = phrasing.first(answer)? {
            return Ok(verdict(word));
        }
    }
    let answer = answer.to_lowercase();
    let stands = |word| answer.starts_with(word) || answer.ends_with(word);
    Ok(match (stands("yes"), stands("no")) {
        (true, _) => verdict("yes"),
        (false, true) => verdict("no"),
        (false, false) => "".into(),
    })
}

fn verdict(word: &str) -> Value {
    if word.eq_ignore_ascii_case("yes") {
        "<BOOLEAN> Yes </BOOLEAN>".into()
    } else {
        "<BOOLEAN> No </BOOLEAN>".into()
    }
}
