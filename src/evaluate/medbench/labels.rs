//! One label of many for each text: the mean over the labels of their F1.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked};
use crate::python::blank::strip;

/// What a gold without a label means: none of the others.
const NO_LABEL: &str = "非上述类型";

/// The mean F1 over all labels that are given or predicted, rare and frequent ones alike.
pub(in super::super) struct Labels;

impl Evaluator for Labels {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut counts: IndexMap<&str, Counts> = IndexMap::new();
        let mut details = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "medbench");
            let (found, gold) = (strip(asked.prediction()?), asked.reference()?);
            let label = if gold.is_empty() { NO_LABEL } else { gold };
            counts.entry(found).or_default().predicted += 1;
            counts.entry(label).or_default().given += 1;
            if found == label {
                counts.entry(label).or_default().both += 1;
            }
            // The original hands over both sides the other way round.
            details.push(Map::from_iter([
                ("pred".to_owned(), json!(gold)),
                ("answer".to_owned(), json!(found)),
                ("correct".to_owned(), Value::Null),
            ]));
        }
        let sum: f64 = counts.values().map(Counts::f1).sum();
        let metric = Metric::of_all("Macro-F1", Unit::Number, sum / counts.len() as f64);
        Ok(Scores::new(vec![metric], rows.len()).with_details(details))
    }
}

/// How often a label was predicted, given, and both.
#[derive(Default)]
struct Counts {
    predicted: u32,
    given: u32,
    both: u32,
}

impl Counts {
    fn f1(&self) -> f64 {
        let all = f64::from(self.predicted + self.given);
        if self.both == 0 { 0.0 } else { 2.0 * f64::from(self.both) / all }
    }
}
