//! `average_ppl`: the mean of the texts' surprisal per token.

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit};
use crate::statistics::Mean;

/// Averages the recorded `ppl`: every text weighs the same, however long it is.
pub(super) struct AveragePpl;

impl Evaluator for AveragePpl {
    fn evaluate(&self, rows: &[Row]) -> Result<Scores, EvaluateError> {
        let evaluator = "average_ppl";
        let nats: Vec<f64> = rows
            .iter()
            .enumerate()
            .map(|(row, recorded)| recorded.ppl_nats.ok_or(EvaluateError::NoPpl { row, evaluator }))
            .collect::<Result<_, _>>()?;
        let metric = Metric::from_mean("average_ppl", Mean::of(&nats), Unit::NatsPerToken);
        Ok(Scores { metrics: vec![metric], samples: rows.len(), details: None })
    }
}
