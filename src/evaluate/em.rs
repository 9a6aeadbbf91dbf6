//! `em`: exact match of a short free answer with any of the accepted ones.

use serde_json::{Map, Value, json};

use super::{EvaluateError, Evaluator, Row, Scores};
use crate::postprocess::normalized;

const NAME: &str = "em";

/// Normalises the answer (first clause, no punctuation, no articles) and looks for it among the
/// accepted answers, as they are and normalised in the same way.
pub(super) struct ExactMatch;

impl Evaluator for ExactMatch {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut correct = Vec::with_capacity(rows.len());
        let mut details = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let normalize = |text: &str| {
                normalized(text).map_err(|source| EvaluateError::Normalization {
                    row: index,
                    source: Box::new(source),
                })
            };
            let prediction = normalize(text(index, "the prediction", &row.prediction)?)?;
            let accepted = accepted(index, &row.reference)?;
            let mut answers: Vec<String> = Vec::with_capacity(2 * accepted.len());
            for answer in &accepted {
                answers.push(normalize(answer)?);
            }
            answers.extend(accepted.iter().map(|&answer| answer.to_owned()));
            let is_correct = answers.contains(&prediction);
            correct.push(is_correct);
            details.push(Map::from_iter([
                ("pred".to_owned(), json!(prediction)),
                ("answer".to_owned(), json!(distinct(answers))),
                ("correct".to_owned(), json!(is_correct)),
            ]));
        }
        Ok(Scores::share("score", &correct).with_details(details))
    }
}

fn accepted(row: usize, reference: &Value) -> Result<Vec<&str>, EvaluateError> {
    let answers = reference.as_array().ok_or_else(|| EvaluateError::WrongKind {
        row,
        evaluator: NAME,
        what: "the reference",
        expected: "a list of accepted answers",
        found: reference.to_string(),
    })?;
    answers.iter().map(|answer| text(row, "an accepted answer", answer)).collect()
}

fn text<'v>(row: usize, what: &'static str, value: &'v Value) -> Result<&'v str, EvaluateError> {
    value.as_str().ok_or_else(|| EvaluateError::WrongKind {
        row,
        evaluator: NAME,
        what,
        expected: "text",
        found: value.to_string(),
    })
}

/// Each answer once, in order of appearance. OpenCompass goes through a set, whose order changes from
/// run to run.
fn distinct(answers: Vec<String>) -> Vec<String> {
    let mut distinct = Vec::with_capacity(answers.len());
    for answer in answers {
        if !distinct.contains(&answer) {
            distinct.push(answer);
        }
    }
    distinct
}
