//! Factors some families put on embeddings, residual branches and logits.

use candle_core::{Result, Tensor};

/// `input` times `factor`, if there is one.
pub(super) fn scale(input: Tensor, factor: Option<f64>) -> Result<Tensor> {
    match factor {
        Some(factor) => input * factor,
        None => Ok(input),
    }
}
