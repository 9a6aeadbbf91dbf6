//! `agieval`: whether the formula that a solution ends with is written as the gold is.

use std::sync::LazyLock;

use serde_json::Value;

use super::{
    EvaluateError,
    acc_with_details::are_equal,
    by_row::{Asked, Grade},
    latex_equality::{Unstrippable, with_braced_fractions, with_fraction_for_slash, without_marks},
};
use crate::{
    postprocess::{PatternError, PythonRegex, last_boxed},
    python::blank::strip,
};

/// What introduces the answer of an example.
const INTRODUCTIONS: &[&str] = &["The answer is therefore", "答案是"];

/// Compares the answer of a solution with the gold.
pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let text = without_introduction(asked.prediction()?);
    let answer = answer(&text).map_err(|error| asked.failed(error))?;
    let answer: Value = answer.into();
    let is_correct = are_equivalent(&answer, &asked.row.reference);
    Ok(Grade::compared(answer, asked.row.reference.clone(), is_correct))
}

fn without_introduction(text: &str) -> String {
    let mut text = text;
    for introduction in INTRODUCTIONS {
        if let Some(behind) = text.strip_prefix(introduction) {
            text = strip(behind);
        } else if let Some((_, behind)) = text.rsplit_once(introduction) {
            text = strip(behind);
        }
    }
    text.to_owned()
}

/// The content of the last box, between dollar signs, behind the last equals sign, or the last number.
fn answer(text: &str) -> Result<Option<String>, PatternError> {
    static DOLLARS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\$(.*)\$"));
    static NUMBER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?:\$)?\d+(?:\.\d+)?(?![\w\d])"));
    if text.contains(r"\boxed") {
        let boxed = last_boxed(text).and_then(|boxed| boxed.strip_prefix(r"\boxed{"));
        return Ok(boxed.and_then(|content| content.strip_suffix('}')).map(behind_equals));
    }
    let between = DOLLARS.last(text)?.map(behind_equals);
    if let Some(between) = between.filter(|between| !between.is_empty()) {
        return Ok(Some(between));
    }
    if text.contains('=') {
        let side = behind_equals(text);
        let side = side.trim_end_matches('.');
        return Ok(side.split(r"\n").next().map(str::to_owned));
    }
    Ok(NUMBER.last(text)?.map(str::to_owned))
}

/// What stands behind the last equals sign, or all.
fn behind_equals(text: &str) -> String {
    match text.rsplit_once('=') {
        Some((_, side)) => side.trim_start_matches(' ').to_owned(),
        None => text.to_owned(),
    }
}

fn are_equivalent(left: &Value, right: &Value) -> bool {
    if left.is_null() || right.is_null() {
        return left.is_null() && right.is_null();
    }
    let stripped = |value: &Value| value.as_str().and_then(|text| stripped(text).ok());
    match (stripped(left), stripped(right)) {
        (Some(left), Some(right)) => left == right,
        _ => are_equal(left, right),
    }
}

/// The text as MATH's evaluation strips it, except that a slash between anything is left alone.
fn stripped(text: &str) -> Result<String, Unstrippable> {
    let text = without_marks(text)?;
    // A fraction of one character leaves the text alone, one of none fails: whichever comes first.
    let short = text
        .split(r"\frac")
        .skip(1)
        .find(|part| !part.starts_with('{') && part.chars().count() < 2);
    if short == Some("") {
        return Err(Unstrippable);
    }
    let text = with_braced_fractions(&text);
    let text = if text == "0.5" { r"\frac{1}{2}".to_owned() } else { text };
    Ok(with_fraction_for_slash(text.clone()).unwrap_or(text))
}
