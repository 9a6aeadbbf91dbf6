//! Values that arguments have.

use std::str::FromStr;

use candle_core::DType;

/// A type that models are computed in.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct ComputeType(pub(in crate::cli) DType);

impl FromStr for ComputeType {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "f32" => Ok(Self(DType::F32)),
            "bf16" => Ok(Self(DType::BF16)),
            "f16" => Ok(Self(DType::F16)),
            _ => Err("expected f32, bf16 or f16".to_owned()),
        }
    }
}

/// Reads the length of a window: one token before at least one that is scored, and one to begin with.
pub(super) fn window_tokens(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(tokens) if tokens >= 4 => Ok(tokens),
        _ => Err("expected a number from 4".to_owned()),
    }
}

/// Reads a number that cannot be zero.
pub(super) fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("expected a number from 1".to_owned()),
    }
}

/// Most threads that are started: far more than any machine has cores, and far less than the system refuses.
const MOST_THREADS: usize = 1024;

/// Reads a number of threads.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=MOST_THREADS).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from 1 to {MOST_THREADS}")),
    }
}

/// Reads the length of a block.
pub(super) fn block_tokens(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(tokens) if tokens > 0 && tokens % 16 == 0 => Ok(tokens),
        _ => Err("expected a multiple of 16".to_owned()),
    }
}

/// Reads a number of resamples: with fewer, none lies beyond the 2.5 % quantile.
pub(super) fn resamples(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number >= 39 => Ok(number),
        _ => Err("expected a number from 39".to_owned()),
    }
}

/// Reads how far numbers may be apart.
pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if number >= 0.0 && f64::is_finite(number) => Ok(number),
        _ => Err("expected a number from 0".to_owned()),
    }
}
