//! `infinitebench_*`: what was to be found or computed in a very long text.

use serde_json::Value;

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
};
use crate::python::{is_blank, python_str};

/// What separates words beside blanks.
const SEPARATORS: [char; 10] = ['\n', ':', '"', '\'', '.', ',', '?', '!', '{', '}'];

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| is_blank(c) || SEPARATORS.contains(&c)).filter(|word| !word.is_empty())
}

/// The first accepted name is one of the words, in capitals.
pub(super) fn name(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let names = asked.some_references()?;
    let name = names.first().map(String::as_str).unwrap_or_default();
    Ok(Grade::of(words(asked.prediction()?).any(|word| word.to_uppercase() == name)))
}

/// The value is one of the words.
pub(super) fn value(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let value = asked.reference()?;
    Ok(Grade::of(words(asked.prediction()?).any(|word| word == value)))
}

/// How many numbers are right before the first wrong one. It is a count and no share.
pub(super) fn intermediate_results(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let Value::Array(expected) = &asked.row.reference else {
        return Err(asked.unreadable_reference("a list of whole numbers"));
    };
    let numbers =
        asked.prediction()?.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    let is_right = |(expected, found): &(&Value, &str)| {
        let found = found.trim_start_matches('0');
        let found = if found.is_empty() { "0" } else { found };
        expected.is_number() && python_str(expected).trim_end_matches(".0") == found
    };
    let hits = expected.iter().zip(numbers).take_while(is_right).count();
    Ok(Grade::share(hits as f64))
}
