//! `average_inference_ppl` and `bpc`: how much texts surprise a model, by token and by character.

use std::f64::consts::LN_2;

use super::{EvaluateError, Metric, Row, Scores, Unit};
use crate::statistics::Mean;

/// The surprisal of all texts over all their tokens: longer texts weigh more.
pub(super) fn by_token(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let evaluator = "average_inference_ppl";
    let missing = |row| EvaluateError::NotMeasured {
        row,
        evaluator,
        fields: "ppl and token_len",
        inferencer: "InferencePPLOnlyInferencer",
    };
    let (mut nats, mut tokens, mut scores) = (0.0, 0.0, Vec::with_capacity(rows.len()));
    for (index, row) in rows.iter().enumerate() {
        let (own, length) = row.ppl_nats.zip(row.tokens).ok_or_else(|| missing(index))?;
        nats += own;
        tokens += length;
        scores.push(own / length);
    }
    let mean = Mean { value: nats / tokens, standard_error: None };
    let metric = Metric { scores, ..Metric::from_mean("average_ppl", mean, Unit::NatsPerToken) };
    Ok(Scores { metrics: vec![metric], samples: rows.len(), details: None })
}

/// Bits for each character of the text that the windows were taken of.
pub(super) fn bits_per_character(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let missing = |row| EvaluateError::NotMeasured {
        row,
        evaluator: "bpc",
        fields: "loss and total_chr_num",
        inferencer: "SWCELossInferencer",
    };
    let mut nats = 0.0;
    for (index, row) in rows.iter().enumerate() {
        nats += row.loss_nats.ok_or_else(|| missing(index))?;
    }
    let chars = rows.first().and_then(|row| row.text_chars).ok_or_else(|| missing(0))?;
    let metric = Metric::of_all("bpc", Unit::Error, nats / (chars * LN_2));
    Ok(Scores { metrics: vec![metric], samples: rows.len(), details: None })
}
