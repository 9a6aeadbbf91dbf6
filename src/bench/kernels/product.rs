//! Rows times a matrix, as a linear map computes it.

use std::time::Duration;

use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{DType, Device, Result, Tensor};

use super::{KernelKind, KernelTime, fastest};
use crate::ops::linear::{StoredBytes, Weight, WeightPart, linear};

/// Outputs that are drawn; others repeat them.
const DRAWN_OUTPUTS: usize = 64;

/// Bytes over and over.
struct Repeated {
    bytes: Vec<u8>,
    count: usize,
}

impl StoredBytes for Repeated {
    fn count(&self) -> usize {
        self.count
    }

    fn read(&self, start: usize, into: &mut [u8]) -> Result<()> {
        let (_, bytes) = self.bytes.split_at(start % self.bytes.len());
        let first = bytes.len().min(into.len());
        into[..first].copy_from_slice(&bytes[..first]);
        for part in into[first..].chunks_mut(self.bytes.len()) {
            part.copy_from_slice(&self.bytes[..part.len()]);
        }
        Ok(())
    }
}

/// Times a product of rows, inputs and outputs.
pub(super) fn time(
    dtype: GgmlDType,
    (rows, inputs, outputs): (usize, usize, usize),
    least_time: Duration,
) -> Result<KernelTime> {
    let drawn = Tensor::randn(0f32, 1.0, (DRAWN_OUTPUTS, inputs), &Device::Cpu)?;
    let bytes = QTensor::quantize(&drawn, dtype)?.data()?.into_owned();
    let count = bytes.len() / DRAWN_OUTPUTS * outputs;
    let repeated = Repeated { bytes, count };
    let weight = Weight::pack(&[WeightPart { bytes: &repeated, dtype, rows: outputs }], inputs)?;
    let input = Tensor::randn(0f32, 1.0, (rows, inputs), &Device::Cpu)?.to_dtype(DType::F32)?;
    let kernel =
        KernelKind::Product { weights: format!("{dtype:?}").to_lowercase(), rows, inputs, outputs };
    let flops = 2.0 * (rows * inputs * outputs) as f64;
    fastest(kernel, flops, least_time, || linear(&input, &weight, None, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_repeated_from_any_start() {
        let repeated = Repeated { bytes: vec![1, 2, 3], count: 9 };
        let mut read = [0; 5];
        repeated.read(4, &mut read).unwrap();
        assert_eq!(read, [2, 3, 1, 2, 3]);
    }

    #[test]
    fn weights_of_every_type_are_multiplied() {
        for dtype in [GgmlDType::F32].into_iter().chain(super::super::TYPES) {
            let time = time(dtype, (3, 256, 70), Duration::ZERO).unwrap();
            assert!(time.wall_seconds > 0.0 && time.flops.to_bits() == 107_520f64.to_bits());
        }
    }
}
