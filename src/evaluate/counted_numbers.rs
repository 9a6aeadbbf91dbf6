//! `longbench_count` and `longbench_retrieval`: which of the numbers in a prediction is the right one.

use std::sync::LazyLock;

use super::{
    EvaluateError, Evaluator,
    by_row::{Asked, ByRow, Grade},
    language::Language,
};
use crate::{
    config::{Component, ConfigError},
    postprocess::PythonRegex,
};

/// The metric of retrieved paragraphs, which reads `language`: `en` (the default) or `zh`.
pub(super) fn retrieval(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
    let grade = match Language::of(component)? {
        Language::En => |asked: &Asked<'_>| paragraph(asked, r"Paragraph (\d+)"),
        Language::Zh => |asked: &Asked<'_>| paragraph(asked, r"段落(\d+)"),
    };
    Ok(Box::new(ByRow::new("longbench_retrieval", grade)))
}

/// How many of the numbers in the prediction are the reference; several references add up.
pub(super) fn count(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let mut share = 0.0;
    for answer in asked.references()? {
        share += share_of(asked, &answer)?;
    }
    Ok(Grade::share(share))
}

fn paragraph(asked: &Asked<'_>, pattern: &str) -> Result<Grade, EvaluateError> {
    let named = PythonRegex::new(pattern).map_err(|error| asked.failed(error))?;
    let mut share = 0.0;
    for answer in asked.references()? {
        let number = named.first(&answer).map_err(|error| asked.failed(error))?;
        let number = number.ok_or_else(|| asked.unreadable_reference("a paragraph's number"))?;
        share += share_of(asked, number)?;
    }
    Ok(Grade::share(share))
}

fn share_of(asked: &Asked<'_>, number: &str) -> Result<f64, EvaluateError> {
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\d+"));
    let numbers = NUMBER.all(asked.prediction()?).map_err(|error| asked.failed(error))?;
    let right = numbers.iter().filter(|found| **found == number).count();
    Ok(if numbers.is_empty() { 0.0 } else { right as f64 / numbers.len() as f64 })
}
