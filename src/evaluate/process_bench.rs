//! `process_bench`: whether the first wrong step of a solution is found.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{EvaluateError, Metric, Row, Scores, Unit, acc_with_details::are_equal, by_row::Asked};
use crate::{
    postprocess::PythonRegex,
    python::{blank::strip, parse_integer},
};

/// The label of a solution without a wrong step.
const NONE_WRONG: i64 = -1;

/// Shares over solutions with a wrong step and without one, and the harmonic mean of both.
pub(super) fn scores(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let mut details = Vec::with_capacity(rows.len());
    let (mut wrong, mut right) = (Vec::new(), Vec::new());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "process_bench");
        let found = step(&asked)?;
        let label = match &row.reference {
            Value::String(text) => whole(text),
            other => {
                other.as_f64().map_or_else(|| other.clone(), |number| json!(number.trunc() as i64))
            }
        };
        let is_match = are_equal(&found, &label);
        if label == NONE_WRONG { &mut right } else { &mut wrong }.push(is_match);
        details.push(Map::from_iter([
            ("generated_critique".to_owned(), row.prediction.clone()),
            ("prediction".to_owned(), found),
            ("label".to_owned(), label),
            ("match".to_owned(), is_match.into()),
        ]));
    }
    let share = |name: &str, of: &[bool]| {
        let mut metric = Metric::of_shares(name, of);
        metric.scores.clear();
        if of.is_empty() {
            metric.value = 0.0;
        }
        metric
    };
    let (wrong, right) = (share("error_acc", &wrong), share("correct_acc", &right));
    let sum = wrong.value + right.value;
    let f1 = if sum > 0.0 { 2.0 * wrong.value * right.value / sum } else { 0.0 };
    let metrics = vec![wrong, right, Metric::of_all("f1", Unit::Percent, f1)];
    Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
}

/// The content of the last box, as a number where it is one; null without a box.
fn step(asked: &Asked<'_>) -> Result<Value, EvaluateError> {
    static BOXED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"boxed\{([^}]*)\}"));
    let boxed = BOXED.last(asked.prediction()?).map_err(|error| asked.failed(error))?;
    Ok(boxed.map_or(Value::Null, |content| {
        let content = content.replace(['{', '}'], "");
        whole(strip(&content))
    }))
}

/// The whole number that a text writes, else the text.
fn whole(text: &str) -> Value {
    let number = parse_integer(text).and_then(|digits| digits.parse::<i64>().ok());
    number.map_or_else(|| text.into(), Value::from)
}
