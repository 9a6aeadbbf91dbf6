//! `math_verify`: whether the formula of an answer says what the reference says.
//!
//! A row whose reference holds no formula counts as wrong and is left out of the details, as in OpenCompass.

use serde_json::{Map, Value, json};

use super::{EvaluateError, Evaluator, Metric, Row, Scores, by_row::Asked};
use crate::algebra::verify;

/// The name in messages.
const NAME: &str = "math_verify";

/// Compares formulas by what they say.
pub(super) struct MathVerify;

impl Evaluator for MathVerify {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut correct, mut details) = (Vec::with_capacity(rows.len()), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, NAME);
            let verification = verify(asked.prediction()?, asked.reference()?);
            correct.push(verification.as_ref().is_some_and(|it| it.is_correct));
            details.extend(verification.map(|verification| {
                Map::from_iter([
                    ("pred".to_owned(), Value::from(verification.prediction)),
                    ("answer".to_owned(), Value::from(verification.reference)),
                    ("correct".to_owned(), json!(verification.is_correct)),
                ])
            }));
        }
        let metrics = vec![Metric::of_shares("accuracy", &correct)];
        Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
    }

    fn is_undecided(&self, row: &Row<'_>) -> bool {
        let texts = row.prediction.as_str().zip(row.reference.as_str());
        let verification = texts.and_then(|(prediction, reference)| verify(prediction, reference));
        verification.is_some_and(|verification| verification.is_undecided)
    }
}
