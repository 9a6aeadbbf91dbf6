//! `bbh`, `bbh_mcq`, `bbeh`, `bbeh_mcq`, `mgsm`: short answers that are compared for equality.

use std::sync::LazyLock;

use serde_json::Value;

use super::{
    EvaluateError,
    acc_with_details::are_equal,
    by_row::{Asked, Grade},
};
use crate::{
    postprocess::{PythonRegex, bbeh_freeform, bbeh_mcq, bbh_freeform},
    python::casefolded,
};

/// Both sides reduced to a short answer, and compared in any case.
pub(super) fn freeform(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let short = |text: &str| bbh_freeform(text).map_err(|error| asked.failed(error));
    let (prediction, answer) = (short(asked.prediction()?)?, short(asked.reference()?)?);
    let folded = |value: &Value| value.as_str().map(casefolded);
    let is_correct = folded(&prediction) == folded(&answer);
    Ok(Grade::compared(prediction, answer, is_correct))
}

/// Equal as values: 1 is 1.0 and not "1".
pub(super) fn mcq(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let row = asked.row;
    let is_correct = are_equal(&row.prediction, &row.reference);
    Ok(Grade::compared(row.prediction.clone(), row.reference.clone(), is_correct))
}

/// Equal as they are, noted under other names.
pub(super) fn mgsm(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (&asked.row.prediction, &asked.row.reference);
    let is_correct = are_equal(prediction, answer);
    Ok(Grade::of(is_correct).noted([
        ("references", answer.clone()),
        ("predictions", prediction.clone()),
        ("correct", is_correct.into()),
    ]))
}

/// The short answer equals the reference, or the reference out of its quotes and brackets, or both are
/// lists of which only the blanks differ.
pub(super) fn extra_hard(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    static COMMA: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\s*,\s*"));
    let answer = asked.reference()?.to_lowercase();
    let prediction = bbeh_freeform(asked.prediction()?).map_err(|error| asked.failed(error))?;
    let joined = |text: &str| COMMA.replace(text, ",").map_err(|error| asked.failed(error));
    let is_correct = prediction == answer
        || prediction == answer.trim_matches(['\'', '"', '(', ')', '[', ']'])
        || (answer.contains(',') && joined(&prediction)? == joined(&answer)?);
    Ok(Grade::compared(prediction, answer, is_correct))
}

/// The option equals the reference out of its parentheses.
pub(super) fn extra_hard_mcq(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let lower = asked.reference()?.to_lowercase();
    let answer = lower.trim_matches(['(', ')']);
    let prediction = bbeh_mcq(asked.prediction()?);
    let is_correct = prediction == answer;
    Ok(Grade::compared(prediction, answer, is_correct))
}
