//! Answers that are numbers, options or short formulas: `math401`, `mastermath`, `elbench_math`, `live_math_bench`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    EvaluateError, Evaluator, Row, Scores,
    acc_with_details::are_equal,
    by_row::{Asked, ByRow, Grade},
    latex_equality::{Version, are_equivalent},
};
use crate::{
    config::{Component, ConfigError},
    postprocess::{PatternError, boxed_answer, boxed_or_final_answer, normalized_final_answer},
    python::{parse_float, python_str},
};

/// How far apart two numbers of Math 401 may be.
const TOLERANCE: f64 = 1e-3;

/// Whether two numbers are near each other.
pub(super) fn math401(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (&asked.row.prediction, &asked.row.reference);
    let number = |value: &Value| match value {
        Value::String(text) => parse_float(text),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        other => other.as_f64(),
    };
    let numbers = number(prediction).zip(number(answer));
    let is_near = numbers.is_some_and(|(left, right)| (left - right).abs() < TOLERANCE);
    Ok(Grade::compared(prediction.clone(), answer.clone(), is_near))
}

/// Whether two values are equal.
pub(super) fn mastermath(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (&asked.row.prediction, &asked.row.reference);
    Ok(Grade::compared(prediction.clone(), answer.clone(), are_equal(prediction, answer)))
}

/// Whether the contents of boxes, or the texts without one, are the same once normalised.
pub(super) fn elbench_math(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let normalized = |value: &Value| -> Result<String, PatternError> {
        let text = python_str(value);
        normalized_final_answer(boxed_answer(&text, false)?.unwrap_or(&text))
    };
    let prediction = normalized(&asked.row.prediction).map_err(|error| asked.failed(error))?;
    let answer = normalized(&asked.row.reference).map_err(|error| asked.failed(error))?;
    let is_correct = prediction == answer && !answer.is_empty();
    Ok(Grade::compared(prediction, answer, is_correct))
}

/// The parameters of `LiveMathBenchEvaluator`. A judge would be asked over the network.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LiveParameters {
    #[serde(default)]
    model_name: String,
    #[serde(default)]
    url: Urls,
    #[serde(default)]
    use_extract_model: bool,
    #[serde(rename = "extract_url", default)]
    _extract_url: Urls,
    #[serde(rename = "extract_model_name", default)]
    _extract_model_name: String,
}

/// One address or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Urls {
    One(String),
    Several(Vec<String>),
}

impl Urls {
    fn addresses(&self) -> &[String] {
        match self {
            Self::One(url) => std::slice::from_ref(url),
            Self::Several(urls) => urls,
        }
    }
}

impl Default for Urls {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

/// Compares the final answer of a solution, without a judge.
pub(super) struct LiveMathBench {
    by_row: ByRow,
}

impl LiveMathBench {
    /// Without `model_name` or `url` of a judge the formulas are compared as they are written, as in OpenCompass.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let parameters = component.read::<LiveParameters>()?;
        if (!parameters.model_name.is_empty() && !parameters.url.addresses().is_empty())
            || parameters.use_extract_model
        {
            return Err(ConfigError::at(
                &component.origin,
                "a judge for LiveMathBench is not asked here; leave model_name and url empty and use_extract_model False to \
                 compare the formulas as they are written",
            ));
        }
        Ok(Box::new(Self {
            by_row: ByRow::new("live_math_bench", live_math_bench).called("accuracy"),
        }))
    }
}

impl Evaluator for LiveMathBench {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        self.by_row.evaluate(rows)
    }
}

fn live_math_bench(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (asked.prediction()?, &asked.row.reference);
    let extracted = boxed_or_final_answer(prediction).map_err(|error| asked.failed(error))?;
    let is_correct = are_equal(&extracted, answer)
        || are_equivalent(&extracted, answer, Version::V2).map_err(|error| asked.failed(error))?;
    Ok(Grade::of(is_correct).noted([
        ("pred", prediction.into()),
        ("ref", answer.clone()),
        ("correct", json!(u8::from(is_correct))),
    ]))
}
