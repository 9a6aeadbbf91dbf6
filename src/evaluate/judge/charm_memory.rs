//! `CHARM`'s recommendations: a rule that writes what a judge would have written.
//!
//! Other tasks of the benchmark ask a judge, so that the results are entries of the same form, and nothing is averaged.

use serde_json::{Map, Value, json};

use crate::{
    evaluate::{EvaluateError, Evaluator, Row, Scores, judge::marks::no_figure},
    python::python_str,
};

/// Looks for the gold in each prediction.
pub(in crate::evaluate) struct CharmMemory;

/// Words of one who does not know.
const UNCERTAIN: &[&str] = &["不确定", "无法确定", "无法回答", "不知道", "不认识"];

/// What marks a gold that is not to be said.
const NOT: &str = "[not]";

fn verdict(prediction: &str, gold: &Value) -> &'static str {
    let (golds, is_negative) = match gold {
        Value::Array(golds) => (golds.iter().map(python_str).collect(), false),
        other => {
            let text = python_str(other);
            let negative = text.strip_prefix(NOT).map(str::to_owned);
            let is_negative = negative.is_some();
            (vec![negative.unwrap_or(text)], is_negative)
        }
    };
    let is_known = !UNCERTAIN.iter().any(|words| prediction.contains(words));
    let is_said = golds.iter().any(|gold| prediction.contains(gold.as_str()));
    if is_known && is_said != is_negative { "[正确]" } else { "[错误]" }
}

impl Evaluator for CharmMemory {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        Ok(no_figure(rows.len(), None))
    }

    fn notes(&self, rows: &[Row<'_>]) -> Result<Map<String, Value>, EvaluateError> {
        let entry = |(index, row): (usize, &Row<'_>)| {
            let question = row.sample.and_then(|sample| sample.get("input"));
            let question = question.map(python_str).unwrap_or_default();
            let answer = python_str(&row.prediction);
            let shown = format!("[Question]: {question}\n[Assistant's Answer]: {answer}");
            let entry = json!({
                "origin_prompt": [{"role": "HUMAN", "prompt": shown}],
                "prediction": verdict(&answer, &row.reference),
                "gold": row.reference,
            });
            (index.to_string(), entry)
        };
        Ok(rows.iter().enumerate().map(entry).collect())
    }
}
