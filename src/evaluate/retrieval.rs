//! `retrieval`: how well searches have found what they should, by `trec_eval`'s figures.
//!
//! A prediction is a list of ids, the best one first; the gold is an id, a list of ids, or an object that says of each id
//! how relevant it is. Where the corpus was cut, an id may be that of a document: the first of its passages is what counts.
//! Rows of which nothing is relevant are in no figure. What the figures are is in
//! [`statistics::Ranking`](crate::statistics::Ranking).

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{EvaluateError, Evaluator, Metric, Row, Scores};
use crate::{
    config::{Component, ConfigError},
    infer::Outcome,
    passages::relevances,
    statistics::{Gain, Ranking},
};

/// Places that are looked at, unless it is said how many.
const USUAL_K: usize = 3;

/// Figures of rankings.
pub(super) struct Retrieval {
    k: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    k: Option<usize>,
}

/// A figure of one ranking.
type Figure<'f> = &'f dyn Fn(&Ranking) -> f64;

impl Retrieval {
    /// Reads `k`, how many places are looked at: 3 without it.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { k } = component.read()?;
        match k.unwrap_or(USUAL_K) {
            0 => Err(ConfigError::at(&component.origin, "k is 0: no place is looked at")),
            k => Ok(Box::new(Self { k })),
        }
    }
}

impl Evaluator for Retrieval {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let rankings = rows
            .iter()
            .enumerate()
            .map(|(place, row)| ranking(place, row))
            .collect::<Result<Vec<_>, _>>()?;
        let k = self.k;
        let metric = |name: &str, figure: Figure<'_>| {
            let known = rankings.iter().enumerate();
            let worth = known.filter_map(|(place, own)| Some((place, figure(own.as_ref()?))));
            Metric::of_questions(&format!("{name}@{k}"), rows.len(), worth)
        };
        let mut metrics = vec![
            metric("recall", &|own| own.recall(k)),
            metric("hit", &|own| f64::from(u8::from(own.hit(k)))),
            metric("MRR", &|own| own.reciprocal_rank(k)),
        ];
        if rankings.iter().flatten().all(Ranking::is_binary) {
            metrics.push(metric("nDCG", &|own| own.ndcg(k, Gain::Linear)));
        } else {
            metrics.push(metric("nDCG_rel", &|own| own.ndcg(k, Gain::Linear)));
            metrics.push(metric("nDCG_exp", &|own| own.ndcg(k, Gain::Exponential)));
        }
        let detail = |(row, ranking): (&Row<'_>, &Option<Ranking>)| {
            let recall = ranking.as_ref().map(|own| own.recall(k));
            let detail = json!({"pred": row.prediction, "answer": row.reference, "recall": recall});
            detail.as_object().cloned().unwrap_or_default()
        };
        let details: Vec<Map<String, Value>> = rows.iter().zip(&rankings).map(detail).collect();
        Ok(Scores::new(metrics, rows.len()).with_details(details))
    }

    fn reads_lists(&self) -> bool {
        true
    }
}

/// What a row found beside what it should have found; nothing if nothing is relevant.
fn ranking(place: usize, row: &Row<'_>) -> Result<Option<Ranking>, EvaluateError> {
    let wrong = |what, expected, value: &Value| EvaluateError::WrongKind {
        row: place,
        evaluator: "retrieval",
        what,
        expected,
        found: value.to_string(),
    };
    let ids = row.prediction.as_array().map(|ids| ids.iter().filter_map(Value::as_str));
    let ids = ids.ok_or_else(|| wrong("the prediction", "a list of ids", &row.prediction))?;
    let shape = "the id of a passage, a list of ids, or numbers by id";
    let relevant =
        relevances(&row.reference).ok_or_else(|| wrong("the gold", shape, &row.reference))?;
    let documents: HashMap<&str, &str> = match row.record.map(|record| &record.outcome) {
        Some(Outcome::Retrieved { passages, .. }) => passages
            .iter()
            .filter_map(|own| Some((own.id.as_str(), own.document.as_deref()?)))
            .collect(),
        _ => HashMap::new(),
    };
    let mut is_found = vec![false; relevant.len()];
    let mut relevance_of = |id: &str| {
        let is_meant = |named: &str| named == id || documents.get(id) == Some(&named);
        let meant = relevant.iter().position(|(named, _)| is_meant(named));
        let first = meant.filter(|&meant| !std::mem::replace(&mut is_found[meant], true));
        first.map_or(0.0, |meant| relevant[meant].1)
    };
    let judged: Vec<f64> = relevant.iter().map(|(_, relevance)| *relevance).collect();
    let found = ids.map(&mut relevance_of).collect();
    Ok(Ranking::new(found, &judged))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(k: usize, rows: &[(Value, Value)]) -> Vec<(String, f64, usize)> {
        let (predictions, references) = rows.iter().cloned().unzip();
        let rows = Row::zip(predictions, references).unwrap();
        let scores = Retrieval { k }.evaluate(&rows).unwrap();
        let figure =
            |metric: &Metric| (metric.name.clone(), metric.value, metric.samples(rows.len()));
        scores.metrics.iter().map(figure).collect()
    }

    #[test]
    fn rows_without_anything_relevant_are_in_no_figure() {
        let found = figures(
            2,
            &[
                (json!(["a", "b"]), json!(["b"])),
                (json!(["c"]), json!("c")),
                (json!([]), json!(["d", "e"])),
                (json!(["a"]), json!([])),
            ],
        );
        assert_eq!(found[0], ("recall@2".to_owned(), 200.0 / 3.0, 3));
        assert_eq!(found[2], ("MRR@2".to_owned(), 50.0, 3));
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn graded_golds_have_both_gains() {
        let found = figures(1, &[(json!(["a"]), json!({"a": 1, "b": 3}))]);
        let names: Vec<&str> = found.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names[3..], ["nDCG_rel@1", "nDCG_exp@1"]);
        assert!((found[3].1 - 100.0 / 3.0).abs() < 1e-9);
        assert!((found[4].1 - 100.0 / 7.0).abs() < 1e-9);
    }

    #[test]
    fn a_text_is_no_ranking() {
        let rows = Row::zip(vec![json!("a")], vec![json!("a")]).unwrap();
        let error = Retrieval { k: 1 }.evaluate(&rows).unwrap_err().to_string();
        assert!(error.contains("needs a list of ids"), "{error}");
    }
}
