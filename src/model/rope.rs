//! Rotary frequencies and angles.
//!
//! On the CPU angles are computed for the positions of each batch instead of being looked up: a batch has a
//! few hundred rows, so this costs nothing and no table limits the context. GPUs look them up in a table that
//! grows with the positions that are asked for (`rotary_table`). Arithmetic is f32 in the order transformers
//! uses (`modeling_rope_utils.py`), so that far positions agree with it.

use candle_core::{DType, Device, Tensor};

use super::spec::{Place, Reach, RotaryScaling, RotarySpec};

/// A rotary embedding for sequences of one reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    /// The angles' speeds: radians per token for each rotated pair, fastest first.
    pub frequencies: Vec<f32>,
    /// Factor on cosines and sines.
    pub amplitude: f32,
    /// As [`RotarySpec::pair_axes`].
    pub pair_axes: Vec<u8>,
}

impl Rotation {
    /// The rotation that `spec` describes.
    pub fn new(spec: &RotarySpec, reach: Reach) -> Self {
        let size = spec.rotated_size as f32;
        let theta = spec.theta as f32;
        let frequencies = (0..spec.rotated_size / 2)
            .map(|pair| (pair, theta.powf((2 * pair) as f32 / size)))
            .map(|(pair, wave)| frequency(pair, wave, spec, reach))
            .collect();
        let (amplitude, pair_axes) = (spec.scaling.amplitude() as f32, spec.pair_axes.clone());
        Self { frequencies, amplitude, pair_axes }
    }
}

/// The frequency of a pair that would be 1 / `wave` if nothing were stretched.
fn frequency(pair: usize, wave: f32, spec: &RotarySpec, reach: Reach) -> f32 {
    match &spec.scaling {
        RotaryScaling::None | RotaryScaling::Dynamic => 1.0 / wave,
        RotaryScaling::Linear { factor, .. } => 1.0 / wave / *factor as f32,
        RotaryScaling::Factors(factors) => {
            factors.get(pair).map_or(1.0, |&factor| factor as f32 * wave).recip()
        }
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
            let smooth_factor = (original_context_tokens / wavelength - low_frequency_factor)
                / (high_frequency_factor - low_frequency_factor);
            let frequency = f64::from(frequency);
            ((1.0 - smooth_factor) * frequency / factor + smooth_factor * frequency) as f32
        }
        RotaryScaling::Yarn { factor, .. } => {
            let frequency = 1.0 / wave;
            let (first, last) = yarn_ramp(spec);
            let stretched = ((pair as f32 - first) / (last - first)).clamp(0.0, 1.0);
            frequency / *factor as f32 * stretched + frequency * (1.0 - stretched)
        }
    }
}

/// The pairs at which `YaRN`'s ramp begins and ends: those that turn `fast_turns` and `slow_turns`
/// times within the original context.
fn yarn_ramp(spec: &RotarySpec) -> (f32, f32) {
    let RotaryScaling::Yarn {
        fast_turns, slow_turns, original_context_tokens, whole_pairs, ..
    } = spec.scaling
    else {
        return (0.0, 1.0);
    };
    let size = spec.rotated_size as f64;
    let pair = |turns: f64| {
        let wavelength = original_context_tokens / (turns * std::f64::consts::TAU);
        size * wavelength.ln() / (2.0 * spec.theta.ln())
    };
    let (mut first, mut last) = (pair(fast_turns), pair(slow_turns));
    if whole_pairs {
        (first, last) = (first.floor(), last.ceil());
    }
    (first, last) = (first.max(0.0), last.min(size - 1.0));
    if first.total_cmp(&last).is_eq() {
        // A ramp without length would divide by zero.
        last += 0.001;
    }
    (first as f32, last as f32)
}

/// Cosines and sines of every row's angles, times `amplitude`, each `(rows, rotated_size / 2)`.
pub fn angles(
    rotation: &Rotation,
    positions: &[u32],
    device: &Device,
    dtype: DType,
) -> candle_core::Result<(Tensor, Tensor)> {
    let frequencies = &rotation.frequencies;
    let angles: Vec<f32> = positions
        .iter()
        .flat_map(|&position| frequencies.iter().map(move |frequency| position as f32 * frequency))
        .collect();
    tables(rotation, &angles, device, dtype)
}

/// The same of rows whose places have three parts.
pub fn place_angles(
    rotation: &Rotation,
    places: &[Place],
    device: &Device,
    dtype: DType,
) -> candle_core::Result<(Tensor, Tensor)> {
    let Rotation { frequencies, pair_axes, .. } = rotation;
    let axis = |pair: usize| pair_axes.get(pair).map_or(0, |&axis| usize::from(axis));
    let turned = |place: &Place| {
        let place = *place;
        let of_pair = move |(pair, frequency): (usize, &f32)| {
            place.get(axis(pair)).copied().unwrap_or(place[0]) as f32 * frequency
        };
        frequencies.iter().enumerate().map(of_pair).collect::<Vec<f32>>()
    };
    let angles: Vec<f32> = places.iter().flat_map(turned).collect();
    tables(rotation, &angles, device, dtype)
}

/// Cosines and sines of the angles of rows.
fn tables(
    rotation: &Rotation,
    angles: &[f32],
    device: &Device,
    dtype: DType,
) -> candle_core::Result<(Tensor, Tensor)> {
    let pairs = rotation.frequencies.len();
    let shape = (angles.len() / pairs.max(1), pairs);
    let table = |of: fn(f32) -> f32| {
        let numbers = angles.iter().map(|&angle| of(angle) * rotation.amplitude).collect();
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
        RotarySpec {
            rotated_size: 8,
            theta: 10_000.0,
            pairing: RotaryPairing::Halves,
            scaling,
            pair_axes: Vec::new(),
        }
    }

    #[test]
    fn linear_scaling_divides_every_frequency() {
        let plain = frequencies(&spec(RotaryScaling::None));
        assert_eq!(plain.len(), 4);
        assert!((plain[1] - 0.1).abs() < 1e-7);
        let linear = RotaryScaling::Linear { factor: 4.0, original_context_tokens: 64.0 };
        let stretched = frequencies(&spec(linear));
        assert!(plain.iter().zip(&stretched).all(|(a, b)| (a / 4.0 - b).abs() < 1e-9));
    }

    #[test]
    fn factors_divide_each_frequency() {
        let plain = frequencies(&spec(RotaryScaling::None));
        let factors = vec![1.0, 2.0, 4.0, 8.0];
        let divided = frequencies(&spec(RotaryScaling::Factors(factors.clone())));
        for ((divided, plain), factor) in divided.iter().zip(plain).zip(factors) {
            assert!((f64::from(*divided) * factor / f64::from(plain) - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn yarn_keeps_fast_pairs_and_stretches_slow_ones() {
        let plain = frequencies(&spec(RotaryScaling::None));
        let yarn = |whole_pairs: bool| RotaryScaling::Yarn {
            factor: 8.0,
            fast_turns: 32.0,
            slow_turns: 1.0,
            original_context_tokens: 1024.0,
            whole_pairs,
            amplitude: 1.2,
        };
        // Pairs 0.707 and 2.212 turn 32 times and once: the ramp, or its whole ends 0 and 3.
        for (whole_pairs, kept) in
            [(true, [1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0]), (false, [1.0, 0.805_5, 0.141, 0.0])]
        {
            let stretched = frequencies(&spec(yarn(whole_pairs)));
            for ((plain, stretched), kept) in plain.iter().zip(&stretched).zip(kept) {
                let wanted = plain * (kept + (1.0 - kept) / 8.0);
                assert!((stretched / wanted - 1.0).abs() < 2e-3, "{whole_pairs} {stretched}");
            }
        }
        let rotation = Rotation::new(&spec(yarn(true)), Reach::Native);
        let (cosines, _) = angles(&rotation, &[0], &Device::Cpu, DType::F32).unwrap();
        assert!(cosines.to_vec2::<f32>().unwrap()[0].iter().all(|c| (c - 1.2).abs() < 1e-6));
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
            short_factors: [1.0, 1.5, 2.0, 2.5].into(),
            long_factors: [4.0, 8.0, 16.0, 32.0].into(),
            original_context_tokens: 64,
            amplitude: 1.25,
        });
        for (reach, factors) in
            [(Reach::Native, [1.0, 1.5, 2.0, 2.5]), (Reach::Stretched, [4.0, 8.0, 16.0, 32.0])]
        {
            let Rotation { frequencies, amplitude, .. } = Rotation::new(&stretched, reach);
            assert!((amplitude - 1.25).abs() < f32::EPSILON);
            for ((found, plain), factor) in frequencies.iter().zip(&plain).zip(factors) {
                assert!((found / (plain / factor) - 1.0).abs() < 1e-6);
            }
        }
    }
}
