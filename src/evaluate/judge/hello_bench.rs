//! `HelloBench`: a share for each point of a list, weighted by what people thought of such texts.
//!
//! The weights are `OpenCompass`'s: the plan reads them in the user's package and writes them into the entry.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Judged, not_shipped, rules::JudgeRule, subjective::with_replies};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Metric, Results, Unit},
    python::{parse_float, parse_integer},
};

/// Weighs the points of each kind of text.
pub(super) struct HelloBench {
    weights: BTreeMap<String, Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    weights: Option<BTreeMap<String, Vec<f64>>>,
}

/// What a text of middling worth comes to, which is the zero of the scale.
const MIDDLING: f64 = 75.0;

/// How far the scale is stretched.
const STRETCH: f64 = 4.0;

/// Python's `float`.
fn float(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => parse_float(text),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        other => other.as_f64(),
    }
}

/// Whether Python's `int` takes a value.
fn is_whole(value: &Value) -> bool {
    match value {
        Value::String(text) => parse_integer(text).is_some(),
        other => float(other).is_some(),
    }
}

/// The shares of a reply, if it has as many as there are points.
fn shares(reply: &str, points: &Value) -> Option<Vec<f64>> {
    let mut text = reply.to_owned();
    for mark in ["```json", "```python", "```", "\n", "\\"] {
        text = text.replace(mark, "");
    }
    let parsed: Vec<Value> = serde_json::from_str(&text).ok()?;
    let share = |point: &Value| {
        let share = float(point.get("evaluation_score")?)?;
        let is_sound = is_whole(point.get("checklist_id")?) && (0.0..=1.0).contains(&share);
        is_sound.then_some(share)
    };
    let shares: Vec<f64> = parsed.iter().map(share).collect::<Option<_>>()?;
    (points.as_u64() == u64::try_from(shares.len()).ok()).then_some(shares)
}

impl HelloBench {
    /// Reads `weights`, which the plan tells.
    pub(super) fn build(component: &Component) -> Result<Box<dyn JudgeRule>, ConfigError> {
        let Params { weights } = component.read()?;
        let weights = weights.ok_or_else(|| not_shipped(component, "its weights are"))?;
        Ok(Box::new(Self { weights }))
    }

    /// The mark of a reply, if it can be read.
    fn mark(&self, one: &Judged<'_>) -> Result<Option<f64>, EvaluateError> {
        const NAME: &str = "hello_bench";
        let points = one.gold_field("num_checklist", NAME)?;
        let Some(shares) = shares(&one.text(), points) else { return Ok(None) };
        let kind = one.gold_text("subcategory", NAME)?;
        let weights = self.weights.get(&kind).filter(|weights| weights.len() == shares.len());
        let Some(weights) = weights else {
            let reason = "a row is of a kind without weights for its points";
            return Err(EvaluateError::Undefined { evaluator: NAME, reason });
        };
        let sum: f64 = weights.iter().zip(&shares).map(|(weight, share)| weight * share).sum();
        Ok(Some((sum - MIDDLING) * STRETCH))
    }
}

impl JudgeRule for HelloBench {
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        let marks: Vec<Option<f64>> =
            judged.iter().map(|one| self.mark(one)).collect::<Result<_, _>>()?;
        let scores = marks.iter().map(|mark| mark.unwrap_or(f64::NAN)).collect();
        let metric = Metric::of_numbers("overall_score", Unit::Number, scores);
        let mut results = with_replies(vec![metric], judged);
        for (detail, mark) in results.scores.details.iter_mut().flatten().zip(&marks) {
            detail.insert("rescaled_score".to_owned(), json!(mark));
        }
        Ok(results)
    }
}
