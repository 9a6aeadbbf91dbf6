//! Answers that are labels: yes and no, and lists of modifications.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    super::{
        EvaluateError, Evaluator, Metric, Row, Scores, Unit,
        by_row::{Asked, Grade},
        confusion::Confusion,
        correlation::roc_auc,
    },
    answer::{boxed, spoken},
};
use crate::{
    config::{Component, ConfigError},
    python::blank::strip,
};

/// `biodata_acc`: equal in any case, positive being yes. It does not look behind thoughts.
pub(in super::super) fn accuracy(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let found = boxed(asked.prediction()?).map_err(|error| asked.failed(error))?;
    let Some(found) = found.clone().filter(|found| !found.is_empty()) else {
        return Ok(Grade::of(false).noted([
            ("pred", found.into()),
            ("answer", asked.row.reference.clone()),
            ("acc", 0.into()),
        ]));
    };
    let found = word(found.to_lowercase());
    let answer = word(asked.reference()?.to_owned());
    let is_correct = found.to_lowercase() == answer.to_lowercase();
    Ok(Grade::of(is_correct).noted([
        ("pred", found.into()),
        ("answer", answer.into()),
        ("acc", (100 * u8::from(is_correct)).into()),
    ]))
}

fn word(label: String) -> String {
    match label.as_str() {
        "positive" => "yes".to_owned(),
        "negative" => "no".to_owned(),
        _ => label,
    }
}

/// `biodata_mcc`: Matthews' correlation, in per cent. What is no label counts as the wrong one.
pub(in super::super) fn matthews(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let mut answers = Vec::with_capacity(rows.len());
    let mut details = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "biodata_mcc");
        let found = boxed(spoken(&asked)?).map_err(|error| asked.failed(error))?;
        let is_yes = |label: &str| match label.to_lowercase().as_str() {
            "positive" | "yes" => Some(true),
            "negative" | "no" => Some(false),
            _ => None,
        };
        let meant = is_yes(asked.reference()?);
        let meant =
            meant.ok_or_else(|| asked.unreadable_reference("positive, negative, yes or no"))?;
        let given = found.as_deref().and_then(is_yes).unwrap_or(!meant);
        answers.push((meant, given));
        details.push(Map::from_iter([
            ("pred".to_owned(), found.into()),
            ("answer".to_owned(), row.reference.clone()),
            ("score".to_owned(), u8::from(meant == given).into()),
        ]));
    }
    let figure = Confusion::of(answers).matthews() * 100.0;
    let metrics = vec![Metric::of_all("mcc", Unit::Number, figure)];
    Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    predefined_labels: Vec<String>,
}

/// `biodata_auc`: the mean area under the ROC curve of each label that some rows have and others have not.
pub(in super::super) struct Auc {
    labels: Vec<String>,
}

impl Auc {
    /// Reads `predefined_labels`, without which the original fails on every row.
    pub(in super::super) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Parameters { mut predefined_labels } = component.read()?;
        predefined_labels.sort();
        predefined_labels.dedup();
        Ok(Box::new(Self { labels: predefined_labels }))
    }
}

impl Evaluator for Auc {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut meant, mut given) = (Vec::new(), Vec::new());
        let mut details = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "biodata_auc");
            let found = boxed(spoken(&asked)?).map_err(|error| asked.failed(error))?;
            let (own_meant, own_given) = (list(asked.reference()?), found.as_deref().map(list));
            // A row counts a label that it lacks as 1; an answer without a box has none of either kind.
            meant.push(
                self.labels.iter().map(|label| !own_meant.contains(label)).collect::<Vec<_>>(),
            );
            let lacks = |label: &String| {
                let own = own_given.as_ref().filter(|_| found.as_deref() != Some(""));
                own.map_or(0.0, |own| f64::from(u8::from(!own.contains(label))))
            };
            given.push(self.labels.iter().map(lacks).collect::<Vec<_>>());
            details.push(Map::from_iter([
                ("pred".to_owned(), found.into()),
                ("answer".to_owned(), row.reference.clone()),
                // One row has one kind of each label, which has no area.
                ("auc".to_owned(), Value::Null),
            ]));
        }
        let areas: Vec<f64> = (0..self.labels.len())
            .filter_map(|label| {
                let column: Vec<bool> =
                    meant.iter().filter_map(|row| row.get(label).copied()).collect();
                let scores: Vec<f64> =
                    given.iter().filter_map(|row| row.get(label).copied()).collect();
                roc_auc(&column, &scores)
            })
            .collect();
        let mean = areas.iter().sum::<f64>() / areas.len() as f64;
        let metrics = vec![Metric::of_all("auc", Unit::Number, mean * 100.0)];
        Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
    }
}

/// Labels between commas, in lower case.
fn list(text: &str) -> Vec<String> {
    let labels = text.split(',').map(|label| strip(&label.to_lowercase()).to_owned());
    labels.filter(|label| !label.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Node;

    #[test]
    fn labels_that_all_rows_have_do_not_count() {
        let config = json!({"type": "biodata_auc", "predefined_labels": ["m6a", "psi"]});
        let component = Component::parse(&Node::from_json(&config)).unwrap();
        let rows = Row::zip(
            vec![r"\boxed{m6A, Psi}".into(), r"\boxed{Psi}".into()],
            vec!["m6A,Psi".into(), "psi".into()],
        );
        let scores = Auc::build(&component).unwrap().evaluate(&rows.unwrap()).unwrap();
        assert!((scores.metrics[0].value - 100.0).abs() < 1e-9);
    }
}
