//! `llm4mat`: properties of materials, as numbers or as one of two.

use serde_json::Value;

use super::super::{EvaluateError, Metric, Row, Scores, Unit, correlation::roc_auc};
use crate::python::parse_float;

/// Errors of numbers, beside how far the gold lies from its own mean; of anything else the area under the ROC
/// curve. Which it is, the first gold says.
pub(in super::super) fn scores(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let is_number = rows.first().is_some_and(|row| row.reference.is_number());
    let metrics = if is_number { of_numbers(rows) } else { of_labels(rows) };
    Ok(Scores { metrics, samples: rows.len(), details: None })
}

fn of_numbers(rows: &[Row<'_>]) -> Vec<Metric> {
    let pair = |row: &Row<'_>| Some((number(&row.reference)?, number(&row.prediction)?));
    let pairs: Vec<(f64, f64)> = rows.iter().filter_map(pair).collect();
    let mean =
        |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let error = mean(&|(gold, given)| (gold - given).abs());
    let square = mean(&|(gold, given)| (gold - given).powi(2));
    let middle = mean(&|(gold, _)| *gold);
    let spread = mean(&|(gold, _)| (gold - middle).abs());
    let ratio = if error == 0.0 { f64::NAN } else { spread / error };
    vec![
        Metric::count("total", rows.len()),
        Metric::count("filtered", pairs.len()),
        Metric::of_all("MAE", Unit::Error, error),
        Metric::of_all("RMSE", Unit::Error, square.sqrt()),
        Metric::of_all("MAD", Unit::Number, spread),
        Metric::of_all("MAD/MAE", Unit::Number, ratio),
    ]
}

/// A finite number, or a text of one.
fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::String(text) => parse_float(text),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        other => other.as_f64(),
    };
    number.filter(|number| number.is_finite())
}

fn of_labels(rows: &[Row<'_>]) -> Vec<Metric> {
    let pairs: Vec<(bool, bool)> =
        rows.iter().filter_map(|row| label(&row.reference).zip(label(&row.prediction))).collect();
    let meant: Vec<bool> = pairs.iter().map(|(meant, _)| *meant).collect();
    let given: Vec<f64> = pairs.iter().map(|(_, given)| f64::from(u8::from(*given))).collect();
    let area = roc_auc(&meant, &given).unwrap_or(f64::NAN);
    vec![Metric::of_all("AUC", Unit::Number, area)]
}

fn label(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) if number.as_f64() == Some(1.0) => Some(true),
        Value::Number(number) if number.as_f64() == Some(0.0) => Some(false),
        Value::String(text) => match text.as_str() {
            "Direct" | "True" => Some(true),
            "Indirect" | "False" => Some(false),
            _ => None,
        },
        _ => None,
    }
}
