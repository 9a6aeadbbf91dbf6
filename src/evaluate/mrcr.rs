//! `mrcr`: how alike a repeated text is to the one that was asked for, behind the letters to begin with.

use serde_json::{Value, json};

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
    sequence_matcher::ratio,
};

/// Nothing without the letters to begin with, else the likeness of what follows.
pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let expected = "JSON of an answer and its prefix";
    let gold: Value = serde_json::from_str(asked.reference()?)
        .map_err(|_| asked.unreadable_reference(expected))?;
    let field = |name: &str| {
        gold.get(name).and_then(Value::as_str).ok_or_else(|| asked.unreadable_reference(expected))
    };
    let (prediction, answer, prefix) = (asked.prediction()?, field("answer")?, field("prefix")?);
    let behind = |text: &str| text.chars().skip(prefix.chars().count()).collect::<Vec<_>>();
    let share = if prediction.starts_with(prefix) {
        ratio(&behind(prediction), &behind(answer))
    } else {
        0.0
    };
    let fields = [("pred", json!(prediction)), ("answer", json!(answer)), ("score", json!(share))];
    Ok(Grade::share(share).noted(fields))
}
