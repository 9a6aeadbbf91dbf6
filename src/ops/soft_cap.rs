//! A smooth limit on scores and logits.

use candle_core::{Result, Tensor};

/// cap · tanh(x / cap): close to x near zero, never beyond ±cap (Gemma 2).
pub(super) fn soft_cap(input: &Tensor, cap: f64) -> Result<Tensor> {
    (input / cap)?.tanh()? * cap
}
