//! Rotary frequencies and angles.
//!
//! Angles are computed for the positions of each batch instead of being looked up: a batch has a
//! few thousand rows, so this costs nothing and no table limits the context. Arithmetic is f32 in
//! the order transformers uses (`modeling_rope_utils.py`), so that far positions agree with it.

use candle_core::{DType, Device, Tensor};

use super::spec::{RotaryScaling, RotarySpec};

/// The angles' speeds: radians per token for each rotated pair, fastest first.
pub fn frequencies(spec: &RotarySpec) -> Vec<f32> {
    let size = spec.rotated_size as f32;
    let theta = spec.theta as f32;
    (0..spec.rotated_size / 2)
        .map(|pair| 1.0 / theta.powf((2 * pair) as f32 / size))
        .map(|frequency| stretch(frequency, &spec.scaling))
        .collect()
}

fn stretch(frequency: f32, scaling: &RotaryScaling) -> f32 {
    match *scaling {
        RotaryScaling::None => frequency,
        RotaryScaling::Linear { factor } => frequency / factor as f32,
        RotaryScaling::Llama3 {
            factor,
            low_frequency_factor,
            high_frequency_factor,
            original_context_tokens,
        } => {
            let wavelength = std::f64::consts::TAU / f64::from(frequency);
            if wavelength > original_context_tokens / low_frequency_factor {
                return frequency / factor as f32;
            }
            if wavelength < original_context_tokens / high_frequency_factor {
                return frequency;
            }
            let kept = (original_context_tokens / wavelength - low_frequency_factor)
                / (high_frequency_factor - low_frequency_factor);
            let frequency = f64::from(frequency);
            ((1.0 - kept) * frequency / factor + kept * frequency) as f32
        }
    }
}

/// Cosines and sines of every row's angles, each `(rows, rotated_size / 2)`.
pub fn angles(
    frequencies: &[f32],
    positions: &[u32],
    device: &Device,
    dtype: DType,
) -> candle_core::Result<(Tensor, Tensor)> {
    let shape = (positions.len(), frequencies.len());
    let angles: Vec<f32> = positions
        .iter()
        .flat_map(|&position| frequencies.iter().map(move |frequency| position as f32 * frequency))
        .collect();
    let table = |of: fn(f32) -> f32| {
        Tensor::from_vec(angles.iter().map(|&angle| of(angle)).collect(), shape, device)?
            .to_dtype(dtype)
    };
    Ok((table(f32::cos)?, table(f32::sin)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::spec::RotaryPairing;

    fn spec(scaling: RotaryScaling) -> RotarySpec {
        RotarySpec { rotated_size: 8, theta: 10_000.0, pairing: RotaryPairing::Halves, scaling }
    }

    #[test]
    fn linear_scaling_divides_every_frequency() {
        let plain = frequencies(&spec(RotaryScaling::None));
        assert_eq!(plain.len(), 4);
        assert!((plain[1] - 0.1).abs() < 1e-7);
        let stretched = frequencies(&spec(RotaryScaling::Linear { factor: 4.0 }));
        assert!(plain.iter().zip(&stretched).all(|(a, b)| (a / 4.0 - b).abs() < 1e-9));
    }

    #[test]
    fn llama3_scaling_keeps_fast_pairs_and_stretches_slow_ones() {
        let plain = frequencies(&spec(RotaryScaling::None));
        let stretched = frequencies(&spec(RotaryScaling::Llama3 {
            factor: 8.0,
            low_frequency_factor: 1.0,
            high_frequency_factor: 4.0,
            original_context_tokens: 128.0,
        }));
        assert_eq!(stretched[0].to_bits(), plain[0].to_bits());
        assert!(stretched[1] < plain[1] && stretched[1] > plain[1] / 8.0);
        assert!((stretched[3] - plain[3] / 8.0).abs() < 1e-9);
    }
}
