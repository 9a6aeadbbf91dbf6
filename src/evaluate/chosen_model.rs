//! `JudgeEvaluator`: a model that is itself the judge says which of two answers is the better.

use serde_json::{Value, json};

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
};
use crate::python::python_str;

/// What stands in front of the model's name.
const CHOICE: &str = "\"Choice\": \"Model ";

/// Right if the letter behind the last choice, or else the first letter, is that of the better answer.
pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let said = python_str(&asked.row.prediction);
    let behind = said.rsplit_once(CHOICE).map_or(said.as_str(), |(_, behind)| behind);
    let winner = asked.row.reference.get("winner").cloned().unwrap_or_else(|| "".into());
    let letter = behind.chars().next().map(String::from);
    let is_right = letter.is_some_and(|letter| winner == Value::String(letter));
    Ok(Grade::of(is_right).noted([
        ("pred", asked.row.prediction.clone()),
        ("answer", winner),
        ("correct", json!(is_right)),
    ]))
}
