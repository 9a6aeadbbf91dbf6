//! `openfindata_keywords`: whether all keywords of a gold occur.

use super::{
    EvaluateError, Evaluator, Row, Scores,
    by_row::{Asked, rounded},
};

/// The share of predictions with all keywords of the gold, which stand between `、`.
pub(super) struct Keywords;

impl Evaluator for Keywords {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut correct = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "openfindata_keywords");
            let prediction = asked.prediction()?;
            correct.push(asked.reference()?.split('、').all(|word| prediction.contains(word)));
        }
        let mut scores = Scores::share("accuracy", &correct);
        for metric in &mut scores.metrics {
            metric.value = rounded(metric.value / 100.0, 4) * 100.0;
        }
        Ok(scores)
    }
}
