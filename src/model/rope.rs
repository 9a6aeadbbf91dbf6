//! Rotary frequencies and angles.
//!
//! Angles are computed for the positions of each batch instead of being looked up: a batch has a
//! few thousand rows, so this costs nothing and no table limits the context. Arithmetic is f32 in
//! the order transformers uses (`modeling_rope_utils.py`), so that far positions agree with it.

use candle_core::{DType, Device, Tensor};

use super::spec::{Reach, RotaryScaling, RotarySpec};

/// A rotary embedding for sequences of one reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    /// The angles' speeds: radians per token for each rotated pair, fastest first.
    pub frequencies: Vec<f32>,
    /// Factor on cosines and sines.
    pub amplitude: f32,
}

impl Rotation {
    /// The rotation that `spec` describes.
    pub fn new(spec: &RotarySpec, reach: Reach) -> Self {
        let size = spec.rotated_size as f32;
        let theta = spec.theta as f32;
        let frequencies = (0..spec.rotated_size / 2)
            .map(|pair| (pair, theta.powf((2 * pair) as f32 / size)))
            .map(|(pair, wave)| frequency(pair, wave, &spec.scaling, reach))
            .collect();
        let amplitude = match spec.scaling {
            RotaryScaling::LongRope { amplitude, .. } => amplitude as f32,
            _ => 1.0,
        };
        Self { frequencies, amplitude }
    }
}

/// The frequency of a pair that would be 1 / `wave` if nothing were stretched.
fn frequency(pair: usize, wave: f32, scaling: &RotaryScaling, reach: Reach) -> f32 {
    match scaling {
        RotaryScaling::None => 1.0 / wave,
        RotaryScaling::Linear { factor } => 1.0 / wave / *factor as f32,
        RotaryScaling::LongRope { short_factors, long_factors, .. } => {
            let factors = match reach {
                Reach::Native => short_factors,
                Reach::Stretched => long_factors,
            };
            factors.get(pair).map_or(1.0, |&factor| factor as f32 * wave).recip()
        }
        &RotaryScaling::Llama3 {
            factor,
            low_frequency_factor,
            high_frequency_factor,
            original_context_tokens,
        } => {
            let frequency = 1.0 / wave;
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
    rotation: &Rotation,
    positions: &[u32],
    device: &Device,
    dtype: DType,
) -> candle_core::Result<(Tensor, Tensor)> {
    let Rotation { frequencies, amplitude } = rotation;
    let shape = (positions.len(), frequencies.len());
    let angles: Vec<f32> = positions
        .iter()
        .flat_map(|&position| frequencies.iter().map(move |frequency| position as f32 * frequency))
        .collect();
    let table = |of: fn(f32) -> f32| {
        let numbers = angles.iter().map(|&angle| of(angle) * amplitude).collect();
        Tensor::from_vec(numbers, shape, device)?.to_dtype(dtype)
    };
    Ok((table(f32::cos)?, table(f32::sin)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::spec::RotaryPairing;

    fn frequencies(spec: &RotarySpec) -> Vec<f32> {
        Rotation::new(spec, Reach::Native).frequencies
    }

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

    #[test]
    fn long_rope_divides_each_frequency_by_the_factor_of_the_reach() {
        let plain = frequencies(&spec(RotaryScaling::None));
        let stretched = spec(RotaryScaling::LongRope {
            short_factors: vec![1.0, 1.5, 2.0, 2.5],
            long_factors: vec![4.0, 8.0, 16.0, 32.0],
            original_context_tokens: 64,
            amplitude: 1.25,
        });
        for (reach, factors) in
            [(Reach::Native, [1.0, 1.5, 2.0, 2.5]), (Reach::Stretched, [4.0, 8.0, 16.0, 32.0])]
        {
            let Rotation { frequencies, amplitude } = Rotation::new(&stretched, reach);
            assert!((amplitude - 1.25).abs() < f32::EPSILON);
            for ((found, plain), factor) in frequencies.iter().zip(&plain).zip(factors) {
                assert!((found / (plain / factor) - 1.0).abs() < 1e-6);
            }
        }
    }
}
