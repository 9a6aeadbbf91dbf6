//! `ed_acc`: whether the gold is the candidate that a free answer is nearest to, letter by letter.

use serde_json::Value;

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
    edit_distance::edit_distance,
};

/// What a reference looks like.
const EXPECTED: &str = "a dict of candidates and the label, the place of the right one";

/// The first of the nearest candidates is the right one. A candidate may be written in several ways.
pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let letters = |text: &str| text.chars().collect::<Vec<_>>();
    let prediction = letters(asked.prediction()?);
    let distance = |candidate: &Value| -> Result<usize, EvaluateError> {
        Ok(edit_distance(&prediction, &letters(asked.text("a candidate", candidate)?)))
    };
    let reference = &asked.row.reference;
    let unreadable = || asked.unreadable_reference(EXPECTED);
    let label = reference.get("label").and_then(Value::as_u64).ok_or_else(unreadable)?;
    let candidates =
        reference.get("candidates").and_then(Value::as_array).ok_or_else(unreadable)?;
    let mut nearest: Option<(usize, usize)> = None;
    for (place, candidate) in candidates.iter().enumerate() {
        let own = match candidate {
            Value::Array(spellings) => {
                let distances: Vec<usize> =
                    spellings.iter().map(distance).collect::<Result<_, _>>()?;
                distances.into_iter().min().ok_or_else(unreadable)?
            }
            text => distance(text)?,
        };
        if nearest.is_none_or(|(least, _)| own < least) {
            nearest = Some((own, place));
        }
    }
    let (_, place) = nearest.ok_or_else(unreadable)?;
    Ok(Grade::of(place as u64 == label))
}
