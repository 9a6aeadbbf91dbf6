//! `auc_roc`: how well the probability of the second class tells the two classes apart.

use serde_json::Value;

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked};

const NAME: &str = "auc_roc";

/// The area under the ROC curve, and the share of rows whose likeliest class is the right one.
pub(super) struct AucRoc;

impl Evaluator for AucRoc {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut points = Vec::with_capacity(rows.len());
        let mut correct = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, NAME);
            let label = row.reference.as_f64();
            let label = label.ok_or_else(|| asked.unreadable_reference("the number of a class"))?;
            let likelihoods = probabilities(&row.prediction)
                .ok_or_else(|| asked.wrong("the prediction", EXPECTED, &row.prediction))?;
            let second = likelihoods.get(1).copied();
            let second =
                second.ok_or_else(|| asked.wrong("the prediction", EXPECTED, &row.prediction))?;
            points.push((second, label));
            correct.push(is_same(likeliest(&likelihoods), label));
        }
        let area = 100.0 * area(points)?;
        let metrics = vec![
            Metric::of_all("auc_score", Unit::Number, area),
            Metric::of_shares("accuracy", &correct),
        ];
        Ok(Scores::new(metrics, rows.len()))
    }
}

/// What a prediction looks like.
const EXPECTED: &str = "a list of the probabilities of all classes, which CLPInferencer gives";

fn probabilities(prediction: &Value) -> Option<Vec<f64>> {
    let probabilities: Option<Vec<f64>> =
        prediction.as_array()?.iter().map(Value::as_f64).collect();
    probabilities.filter(|known| known.iter().all(|one| !one.is_nan()))
}

/// The place of the highest number, the first of equals.
fn likeliest(probabilities: &[f64]) -> f64 {
    let mut best = 0;
    for (place, probability) in probabilities.iter().enumerate() {
        if probabilities.get(best).is_some_and(|most| probability > most) {
            best = place;
        }
    }
    best as f64
}

fn is_same(left: f64, right: f64) -> bool {
    left.total_cmp(&right).is_eq()
}

/// The share of all pairs of a row of the higher class and one of the lower in which the first has the
/// higher probability; a tie is half a pair.
fn area(mut points: Vec<(f64, f64)>) -> Result<f64, EvaluateError> {
    let higher = points.iter().map(|(_, label)| *label).fold(f64::NEG_INFINITY, f64::max);
    let lower = points.iter().map(|(_, label)| *label).fold(f64::INFINITY, f64::min);
    let is_positive = |label: f64| is_same(label, higher);
    let undefined = |reason| Err(EvaluateError::Undefined { evaluator: NAME, reason });
    if is_same(lower, higher) || points.is_empty() {
        return undefined("all golds are of one class, so there is nothing to tell apart");
    }
    if points.iter().any(|(_, label)| !is_positive(*label) && !is_same(*label, lower)) {
        return undefined("there are golds of more than two classes");
    }
    points.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    let (mut pairs, mut below) = (0.0, 0_usize);
    let mut positives = 0_usize;
    for equals in points.chunk_by(|(left, _), (right, _)| is_same(*left, *right)) {
        let own = equals.iter().filter(|(_, label)| is_positive(*label)).count();
        let others = equals.len() - own;
        pairs += own as f64 * (below as f64 + others as f64 / 2.0);
        below += others;
        positives += own;
    }
    Ok(pairs / (positives as f64 * below as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_is_half_a_pair() {
        let points = vec![(0.1, 0.0), (0.4, 1.0), (0.4, 0.0), (0.9, 1.0)];
        assert!((area(points).unwrap() - 0.875).abs() < 1e-12);
        assert!(area(vec![(0.1, 1.0), (0.2, 1.0)]).is_err());
        assert!(area(Vec::new()).is_err());
    }
}
