//! Whether the state of a task is judged rightly: by a letter, or by a record that says if it is finished.

use serde_json::{Value, json};

use super::{
    super::{EvaluateError, acc_with_details::are_equal},
    case::Case,
    parsed::read,
};
use crate::python::is_blank;

/// Nothing if it cannot be read, else whether it is right.
pub(super) fn verdict(case: &Case<'_>) -> Result<Option<bool>, EvaluateError> {
    let answer = case.value("/ground_truth/answer");
    let answer = answer.ok_or_else(|| case.unreadable("a ground_truth with an answer"))?;
    let verdict = if case.text("/meta_data/response_format")? == "json" {
        finished(case.prediction()).map(|finished| json!({ "review": finished }))
    } else {
        let text = case.prediction().as_str().unwrap_or_default();
        let text = text.split_once(':').map_or(text, |(_, rest)| rest);
        let letter = text.trim_matches(is_blank).chars().next();
        letter.filter(|letter| ('A'..='E').contains(letter)).map(|letter| letter.to_string().into())
    };
    Ok(verdict.map(|verdict| are_equal(&verdict, answer)))
}

fn finished(written: &Value) -> Option<Value> {
    let finished = read(written, None)?.get("is_finished")?.clone();
    let is_truth = are_equal(&finished, &true.into()) || are_equal(&finished, &false.into());
    is_truth.then_some(finished)
}
