//! What a large matrix product reaches on this machine, as this program computes it.
//!
//! It is the yardstick for the arithmetic of a model: not the data sheet, but what its products could
//! reach here and now if everything around them cost nothing.

use std::time::{Duration, Instant};

use candle_core::{DType, Device, Result, Tensor};

use crate::ops::linear::{Weight, linear};

/// For how long it is repeated.
const LEAST_TIME: Duration = Duration::from_millis(300);

/// Rows, inputs and outputs of the product: larger than the caches near a core, and enough for every
/// part of a device.
pub(super) fn product_shape(device: &Device) -> [usize; 3] {
    if device.is_cpu() { [512, 2048, 2048] } else { [8192, 4096, 14_336] }
}

/// Multiplications and additions per second of the fastest of several products in `dtype`.
pub(super) fn matmul_flops_per_second(device: &Device, dtype: DType) -> Result<f64> {
    let [rows, inputs, outputs] = product_shape(device);
    // Constant numbers switch fewer gates and let a device run faster than it ever does on a model.
    let drawn = |rows: usize| Tensor::rand(-1f32, 1.0, (rows, inputs), device)?.to_dtype(dtype);
    let (input, weight) = (drawn(rows)?, drawn(outputs)?);
    let weight = Weight::from_tensor(&weight)?;
    let begin = Instant::now();
    let mut fastest = Duration::MAX;
    while begin.elapsed() < LEAST_TIME {
        let begin = Instant::now();
        linear(&input, &weight, None, None)?;
        device.synchronize()?;
        fastest = fastest.min(begin.elapsed());
    }
    Ok(2.0 * (rows * inputs * outputs) as f64 / fastest.as_secs_f64())
}
