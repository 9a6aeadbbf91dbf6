//! `peer_*`: answers about the properties of proteins.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::{
    Processed,
    blank::strip,
    model_marks::{without_closed_thoughts, without_end_tokens, without_thoughts},
    python_regex::PythonRegex,
};
use crate::python::parse_float;

/// Phrases that say yes, in lower case; they count before all that say no.
const YES: &[&str] = &[
    "will be soluble",
    "will dissolve",
    "is soluble",
    "can be predicted",
    "positive",
    "yes",
    "correct",
    "valid",
    "accurate",
    "certainly",
    "indeed",
    "affirmative",
    "highly soluble",
    "easily soluble",
    "dissolves easily",
    "is assured",
    "be soluble",
];

/// Phrases that say no.
const NO: &[&str] = &[
    "will not be soluble",
    "is not soluble",
    "will not dissolve",
    "low solubility",
    "low",
    "cannot be predicted",
    "negative",
    "no",
    "incorrect",
    "invalid",
    "inaccurate",
    "impossible",
    "not possible",
    "denied",
    "be insoluble",
];

/// `peer_default`: the text without end tokens and closed thoughts.
pub(super) fn process(text: &str) -> Processed {
    Ok(without_closed_thoughts(&without_end_tokens(strip(text)))?.into())
}

/// `peer`: Yes or No behind "The answer is", else by phrases, also inside words ("incorrect" says yes).
pub(crate) fn process_yes_no(text: &str) -> Processed {
    static ANSWER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?i)The answer is\s+(Yes|No)"));
    let text = without_thoughts(text)?;
    if let Some(verdict) = ANSWER.first(&text)? {
        return Ok(verdict.into());
    }
    let text = text.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| text.contains(phrase));
    Ok(if says(YES) {
        "Yes"
    } else if says(NO) {
        "No"
    } else {
        ""
    }
    .into())
}

/// The parameters of `PEER_postprocess_float_compare`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Threshold {
    compare_number: f64,
}

/// `peer_float_compare`: whether the first number is above a threshold. A whole number loses its sign.
pub(super) fn process_number(parameters: &Threshold, text: &str) -> Processed {
    static NUMBER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"[-+]?\d*\.\d+|\d+"));
    let answer = without_thoughts(text)?;
    let number = NUMBER.first(&answer)?.and_then(parse_float);
    Ok(match number {
        Some(number) if number > parameters.compare_number => "Yes",
        Some(_) => "No",
        None => "",
    }
    .into())
}

/// What is no text has no number.
pub(super) fn number_of_other(_parameters: &Threshold, _value: &Value) -> Option<Value> {
    Some("".into())
}
