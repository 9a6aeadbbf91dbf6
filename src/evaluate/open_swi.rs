//! `open_swi_mse`: how far a list of numbers is from the right one.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{EvaluateError, Metric, Row, Scores, Unit, by_row::Asked};
use crate::{postprocess::PythonRegex, python::python_literal};

/// The mean of the rows' root mean square errors, and the share of lists that are as asked for: decimal numbers,
/// and as many as in the gold. Missing numbers count as 0.
pub(super) fn scores(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let (mut errors, mut valid) = (Vec::new(), Vec::new());
    let mut details = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "open_swi_mse");
        let gold =
            row.reference.as_array().and_then(|gold| gold.iter().map(Value::as_f64).collect());
        let gold: Vec<f64> = gold.ok_or_else(|| asked.unreadable_reference("a list of numbers"))?;
        let list = list(&asked)?;
        let numbers: Vec<f64> = list.iter().flatten().filter_map(Value::as_f64).collect();
        let is_valid = list.is_some() && numbers.len() == gold.len();
        let given = numbers.iter().copied().chain(std::iter::repeat(0.0));
        let squares: f64 = gold.iter().zip(given).map(|(gold, own)| (gold - own).powi(2)).sum();
        let error = (squares / gold.len() as f64).sqrt();
        errors.push(error);
        valid.push(is_valid);
        details.push(Map::from_iter([
            ("pred".to_owned(), list.map_or(Value::Null, Value::from)),
            ("answer".to_owned(), row.reference.clone()),
            ("valid".to_owned(), is_valid.into()),
            ("score".to_owned(), json!(error)),
        ]));
    }
    let metrics =
        vec![Metric::of_numbers("score", Unit::Error, errors), Metric::of_shares("valid", &valid)];
    Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
}

/// The last list of the answer, if all in it are decimal numbers: a whole number is none.
fn list(asked: &Asked<'_>) -> Result<Option<Vec<Value>>, EvaluateError> {
    static LIST: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"(?s)(\[.*?\])"));
    let found = LIST.last(asked.prediction()?).map_err(|error| asked.failed(error))?;
    let Some(Value::Array(list)) = found.and_then(python_literal) else { return Ok(None) };
    Ok((!list.is_empty() && list.iter().all(Value::is_f64)).then_some(list))
}
