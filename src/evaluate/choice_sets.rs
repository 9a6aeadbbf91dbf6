//! `f1_score`: several options in one answer, counted together over all answers.

use std::collections::BTreeSet;

use serde_json::{Map, json};

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked};

/// F1 of the options of all answers together.
pub(super) struct ChoiceSets;

impl Evaluator for ChoiceSets {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut common, mut own, mut other) = (0, 0, 0);
        let mut details = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "f1_score");
            let (prediction, answer) = (options(asked.prediction()?), options(asked.reference()?));
            let set = |options: &str| -> BTreeSet<String> {
                options.split(',').map(str::to_owned).collect()
            };
            let (left, right) = (set(&prediction), set(&answer));
            let both = left.intersection(&right).count();
            common += both;
            own += left.len();
            other += right.len();
            details.push(Map::from_iter([
                ("pred".to_owned(), json!(prediction)),
                ("answer".to_owned(), json!(answer)),
                ("correct".to_owned(), json!(100.0 * f_measure(both, left.len(), right.len()))),
            ]));
        }
        let value = if rows.is_empty() { f64::NAN } else { 100.0 * f_measure(common, own, other) };
        let metric = Metric::of_all("F1Score", Unit::Number, value);
        Ok(Scores::new(vec![metric], rows.len()).with_details(details))
    }
}

/// The letters a to d and the commas, in lower case.
fn options(text: &str) -> String {
    text.to_lowercase().chars().filter(|c| matches!(c, 'a'..='d' | ',')).collect()
}

fn f_measure(common: usize, own: usize, other: usize) -> f64 {
    if common == 0 {
        return 0.0;
    }
    let (precision, recall) = (common as f64 / own as f64, common as f64 / other as f64);
    2.0 * precision * recall / (precision + recall)
}
