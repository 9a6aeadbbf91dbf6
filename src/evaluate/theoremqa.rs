//! `theoremqa_v3`: a verdict, an option or a number near the right one.

use serde_json::{Value, json};

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
};
use crate::{
    algebra,
    postprocess::{PatternError, theoremqa_without_units},
    python::{parse_float, parse_integer},
};

/// Options that a reference may be.
const OPTIONS: &[&str] = &["(a)", "(b)", "(c)", "(d)", "(e)", "(f)"];
/// How far a number may be off, relative to the right one.
const SHARE: f64 = 0.04;

/// A number of Python: whole ones are compared after rounding.
#[derive(Clone, Copy)]
enum Gold {
    Whole(f64),
    Float(f64),
}

/// Compares texts, and numbers where the row says (`Answer_type`) that the answer is one.
pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (answer, reference) = (asked.prediction()?, asked.reference()?);
    let kind =
        asked.row.sample.and_then(|sample| sample.get("Answer_type")).and_then(Value::as_str);
    let Some(kind) = kind else {
        return Err(asked.wrong("the row", "a column Answer_type", &Value::Null));
    };
    let is_number = matches!(kind, "float" | "integer" | "bool");
    let gold = if is_number { Some(gold(asked, reference)?) } else { None };
    let (lower, expected) = (answer.to_lowercase(), reference.to_lowercase());
    let is_correct = if OPTIONS.contains(&expected.as_str()) {
        lower.contains(&expected)
    } else if lower == expected {
        true
    } else {
        match gold {
            Some(Some(gold)) => is_near(number(answer).map_err(|error| asked.failed(error))?, gold),
            _ => false,
        }
    };
    Ok(Grade::of(is_correct).noted([("pred", answer.into()), ("is_correct", json!(is_correct))]))
}

/// The number of a reference; nothing if Python reads something else out of it.
fn gold(asked: &Asked<'_>, reference: &str) -> Result<Option<Gold>, EvaluateError> {
    let text = reference.trim();
    if let Some(whole) = parse_integer(text).and_then(|digits| digits.parse().ok()) {
        return Ok(Some(Gold::Whole(whole)));
    }
    match text {
        "True" => return Ok(Some(Gold::Whole(1.0))),
        "False" => return Ok(Some(Gold::Whole(0.0))),
        // No list is near a number.
        _ if text.starts_with(['[', '(']) => return Ok(None),
        _ => {}
    }
    let value = parse_float(text).filter(|value| value.is_finite());
    value
        .map(|value| Some(Gold::Float(value)))
        .ok_or_else(|| asked.unreadable_reference("a number as Python writes it"))
}

/// The number that an answer comes to.
fn number(answer: &str) -> Result<Option<f64>, PatternError> {
    let text = theoremqa_without_units(answer)?;
    Ok(algebra::python_number(&text).or_else(|| parse_float(&text)))
}

fn is_near(found: Option<f64>, gold: Gold) -> bool {
    let Some(found) = found.filter(|found| found.is_finite()) else { return false };
    match gold {
        Gold::Whole(gold) => (found.round_ties_even() - gold).abs() < 0.5,
        Gold::Float(gold) => (found - gold).abs() <= gold.abs() * SHARE,
    }
}
