//! `peer`: yes or no about proteins, by the phrases of the post-processor of the same name.

use serde_json::Value;

use super::super::{
    EvaluateError,
    by_row::{Asked, Grade},
};
use crate::{postprocess::peer_yes_no, python::blank::strip};

/// Right when both sides say yes or both say no.
pub(in super::super) fn scores(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (first(&asked.row.prediction), first(&asked.row.reference));
    let (given, meant) = (verdict(asked, prediction)?, verdict(asked, answer)?);
    let is_correct = matches!(given.as_str(), "yes" | "no") && given == meant;
    Ok(Grade::of(is_correct).noted([
        ("pred", prediction.clone()),
        ("answer", answer.clone()),
        ("clean_pred", given.into()),
        ("clean_ref", meant.into()),
        ("correct", is_correct.into()),
    ]))
}

/// The first of a list, or the value itself.
fn first(value: &Value) -> &Value {
    value.get(0).unwrap_or(value)
}

fn verdict(asked: &Asked<'_>, value: &Value) -> Result<String, EvaluateError> {
    let Some(text) = value.as_str() else { return Ok(String::new()) };
    let verdict = peer_yes_no(text).map_err(|error| asked.failed(error))?;
    Ok(strip(verdict.as_str().unwrap_or_default()).to_lowercase())
}
