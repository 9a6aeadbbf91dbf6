//! What a large matrix product reaches on this machine, by this program's own kernel.
//!
//! It is the yardstick for the arithmetic of a model: not the processor's data sheet, but what its
//! products could reach here and now if everything around them cost nothing.

use std::time::{Duration, Instant};

use candle_core::{Device, Result, Tensor};

use crate::ops::linear::{Weight, linear};

/// Rows of the product, and inputs and outputs of its weight: larger than caches near a core.
const ROWS: usize = 512;
const SIZE: usize = 2048;

/// For how long it is repeated.
const LEAST_TIME: Duration = Duration::from_millis(300);

/// Multiplications and additions per second of the fastest of several products, weights in f32.
pub(super) fn matmul_flops_per_second() -> Result<f64> {
    let input = Tensor::full(0.5f32, (ROWS, SIZE), &Device::Cpu)?;
    let weight = Weight::from_tensor(&Tensor::full(0.25f32, (SIZE, SIZE), &Device::Cpu)?)?;
    let begin = Instant::now();
    let mut fastest = Duration::MAX;
    while begin.elapsed() < LEAST_TIME {
        let begin = Instant::now();
        linear(&input, &weight, None, None)?;
        fastest = fastest.min(begin.elapsed());
    }
    Ok(2.0 * (ROWS * SIZE * SIZE) as f64 / fastest.as_secs_f64())
}
