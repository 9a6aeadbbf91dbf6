//! `math_intern`: whether two mathematical answers are written alike, by the rules of `InternLM`'s evaluation.
//!
//! Like `math`, with its own slips: commas go from single numbers, what stands behind an underscore loses its braces,
//! 0.5 is one half, and where the rules fail on one side the texts are compared as they are.

use serde_json::Value;

use super::{
    EvaluateError,
    acc_with_details::are_equal,
    by_row::{Asked, Grade},
    latex_equality::{Unstrippable, with_braced_fractions, with_fraction_for_slash, without_marks},
};
use crate::python::blank::strip;

pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (&asked.row.prediction, &asked.row.reference);
    let is_correct = match (prediction, answer) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::String(prediction), Value::String(answer)) => {
            match (stripped(prediction), stripped(answer)) {
                (Ok(prediction), Ok(answer)) => prediction == answer,
                _ => prediction == answer,
            }
        }
        _ => are_equal(prediction, answer),
    };
    Ok(Grade::compared(prediction.clone(), answer.clone(), is_correct))
}

fn stripped(text: &str) -> Result<String, Unstrippable> {
    let text = without_marks(text)?;
    if text.is_empty() {
        return Ok(text);
    }
    if ends_in_fraction(&text) {
        return Err(Unstrippable);
    }
    let text = with_braced_fractions(&text);
    let text = if text == "0.5" { r"\frac{1}{2}".to_owned() } else { text };
    let text = with_fraction_for_slash(text)?.replace(r"x \in", "");
    let text = without_braces_below(strip(&text));
    let is_single = !strip(&text).contains(' ') && !text.contains('(');
    Ok(if is_single { text.replace(',', "") } else { text })
}

/// Whether a fraction has nothing behind it before one has too little.
fn ends_in_fraction(text: &str) -> bool {
    let parts = text.split(r"\frac").skip(1);
    let mut read = parts.take_while(|part| part.starts_with('{') || part.chars().count() != 1);
    read.any(str::is_empty)
}

/// Without the braces of what stands behind the first underscore.
fn without_braces_below(text: &str) -> String {
    let Some((before, after)) = text.split_once('_') else { return text.to_owned() };
    let (below, rest) =
        after.split_once('_').map_or((after, None), |(below, rest)| (below, Some(rest)));
    let below = below.replace(['{', '}'], "");
    match rest {
        Some(rest) => format!("{before}_{below}_{rest}"),
        None => format!("{before}_{below}"),
    }
}
