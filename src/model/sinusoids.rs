//! Positions as sines and cosines (Vaswani et al. 2017), sines first, as tensor2tensor lays them out.
//!
//! They are computed for the positions of each batch, so no table limits the context. Arithmetic is f32
//! in the order transformers uses.

use candle_core::{DType, Device, Result, Tensor};

use super::spec::SinusoidalPositions;

/// The ratio of the fastest to the slowest frequency.
const FREQUENCY_RATIO: f64 = 10_000.0;

/// A vector of `width` numbers for every position, `(rows, width)`.
pub(super) fn sinusoids(
    spec: SinusoidalPositions,
    positions: &[u32],
    width: usize,
    device: &Device,
    dtype: DType,
) -> Result<Tensor> {
    let pairs = width / 2;
    let step = -(FREQUENCY_RATIO.ln() / (pairs as f64 - 1.0)) as f32;
    let frequencies: Vec<f32> = (0..pairs).map(|pair| (pair as f32 * step).exp()).collect();
    let mut numbers = vec![0.0; positions.len() * width];
    for (row, &position) in numbers.chunks_exact_mut(width.max(1)).zip(positions) {
        let place = position as usize + spec.offset;
        if spec.blank == Some(place) {
            continue;
        }
        let (sines, cosines) = row.split_at_mut(pairs);
        for ((sine, cosine), frequency) in sines.iter_mut().zip(cosines).zip(&frequencies) {
            (*sine, *cosine) = (place as f32 * frequency).sin_cos();
        }
    }
    Tensor::from_vec(numbers, (positions.len(), width), device)?.to_dtype(dtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_come_before_cosines_and_a_blank_place_has_neither() {
        let spec = SinusoidalPositions { offset: 2, blank: Some(3) };
        let rows = sinusoids(spec, &[0, 1], 5, &Device::Cpu, DType::F32).unwrap();
        let rows = rows.to_vec2::<f32>().unwrap();
        let wanted = [2f32.sin(), 2e-4f32.sin(), 2f32.cos(), 2e-4f32.cos(), 0.0];
        assert!(rows[0].iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-6));
        assert_eq!(rows[1], [0.0; 5]);
    }
}
