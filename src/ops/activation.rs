//! Non-linearities of the feed-forward network.

use std::f32::consts::FRAC_1_SQRT_2;

use candle_core::{Result, Tensor};
use rayon::prelude::*;

use super::simd::vectorised;
use super::{curves, host};

/// A non-linearity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    /// x · sigmoid(x).
    Silu,
    /// x · Φ(x), exact.
    Gelu,
    /// The tanh approximation of [`Activation::Gelu`].
    GeluTanh,
    /// x · sigmoid(1.702 x), an older approximation of [`Activation::Gelu`].
    QuickGelu,
    /// max(x, 0).
    Relu,
    /// max(x, 0)².
    ReluSquared,
    /// x · sigmoid(slope · x) of x up to the limit; as a gate, times 1 + up within ±limit (gpt-oss).
    ClampedSwish {
        /// Factor in the sigmoid.
        slope: f32,
        /// Where gate and up are cut.
        limit: f32,
    },
    /// With numbers that are learned; a description has those that training begins with, and what a
    /// checkpoint stores takes their place when it is loaded.
    Xielu(Xielu),
}

#[cfg(feature = "cuda")]
impl Activation {
    /// Whether there is a kernel for NVIDIA GPUs; they compute the others with plain tensor operations.
    fn has_kernel(self) -> bool {
        !matches!(self, Self::QuickGelu | Self::Xielu(_))
    }
}

/// xIELU (Huang & Schlag 2024): above zero rising · x² + slope · x, below it
/// falling · (eˣ − 1 − x) + slope · x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Xielu {
    /// Factor on the square.
    pub rising: f32,
    /// Factor on what bends the other half.
    pub falling: f32,
    /// The slope at zero.
    pub slope: f32,
    /// Exponents are cut to this, a little below zero.
    pub limit: f32,
}

impl Xielu {
    /// What training begins with.
    pub const UNTRAINED: Self = Self { rising: 0.8, falling: 0.8, slope: 0.5, limit: -1e-6 };
}

/// Applies an activation to every number.
///
/// In host memory and on NVIDIA GPUs the tensor itself changes, so it must not be read elsewhere.
pub fn activation(input: Tensor, kind: Activation) -> Result<Tensor> {
    #[cfg(feature = "cuda")]
    if input.device().is_cuda() && kind.has_kernel() {
        return super::cuda::activation(&input, kind);
    }
    if !input.device().is_cpu() {
        return plain(&input, kind);
    }
    host::change(&input, |numbers| {
        for_each_part(numbers.len(), numbers, |numbers| activate(numbers, None, kind));
    })?;
    Ok(input)
}

/// activation(gate) · up (Shazeer 2020), where products are not finished in the cache; both are `(rows, size)` and
/// may be columns of one product.
pub fn gated_activation(gate: &Tensor, up: &Tensor, kind: Activation) -> Result<Tensor> {
    #[cfg(feature = "cuda")]
    if gate.device().is_cuda() && kind.has_kernel() {
        return super::cuda::gated_activation(gate, up, kind);
    }
    match kind {
        Activation::ClampedSwish { limit, .. } => {
            plain(gate, kind)? * (up.clamp(-limit, limit)? + 1.0)?
        }
        _ => plain(gate, kind)? * up,
    }
}

fn plain(input: &Tensor, kind: Activation) -> Result<Tensor> {
    match kind {
        Activation::Silu => input.silu(),
        Activation::Gelu => input.gelu_erf(),
        Activation::GeluTanh => input.gelu(),
        Activation::QuickGelu => {
            let exponential = (input * -f64::from(QUICK_GELU_SLOPE))?.exp()?;
            input / (exponential + 1.0)?
        }
        Activation::Relu => input.relu(),
        Activation::ReluSquared => input.relu()?.sqr(),
        Activation::ClampedSwish { slope, limit } => {
            let cut = input.minimum(limit)?;
            let exponential = (&cut * -f64::from(slope))?.exp()?;
            cut / (exponential + 1.0)?
        }
        Activation::Xielu(Xielu { rising, falling, slope, limit }) => {
            let straight = (input * f64::from(slope))?;
            let above = (input.sqr()? * f64::from(rising))?;
            let below = ((input.minimum(limit)?.exp()? - 1.0)? - input)?;
            let bent = input.gt(0f32)?.where_cond(&above, &(below * f64::from(falling))?)?;
            straight + bent
        }
    }
}

/// The slope with which a sigmoid is nearest to Φ.
const QUICK_GELU_SLOPE: f32 = 1.702;

/// Numbers that are worth a task of their own.
const TASK_NUMBERS: usize = 1 << 15;

fn for_each_part(length: usize, numbers: &mut [f32], job: impl Fn(&mut [f32]) + Send + Sync) {
    if length <= TASK_NUMBERS {
        job(numbers);
    } else {
        numbers.par_chunks_mut(TASK_NUMBERS).for_each(job);
    }
}

/// Replaces every gate by activation(gate) · up; without `up` by activation(gate).
pub(super) fn activate(gates: &mut [f32], up: Option<&[f32]>, kind: Activation) {
    match kind {
        Activation::Silu => silu(gates, up),
        Activation::Gelu => gelu(gates, up),
        Activation::GeluTanh => gelu_tanh(gates, up),
        Activation::QuickGelu => quick_gelu(gates, up),
        Activation::Relu => relu(gates, up),
        Activation::ReluSquared => relu_squared(gates, up),
        Activation::ClampedSwish { slope, limit } => clamped_swish(gates, up, slope, limit),
        Activation::Xielu(rule) => xielu(gates, up, rule),
    }
}

/// Replaces every gate by `curve(gate) · up`.
#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn replace(gates: &mut [f32], up: Option<&[f32]>, curve: impl Fn(f32) -> f32) {
    match up {
        None => gates.iter_mut().for_each(|gate| *gate = curve(*gate)),
        Some(up) => {
            gates.iter_mut().zip(up).for_each(|(gate, up)| *gate = curve(*gate) * up);
        }
    }
}

vectorised! {
    fn silu(gates: &mut [f32], up: Option<&[f32]>) {
        replace(gates, up, |x| x / (1.0 + curves::exp(-x)));
    }

    fn gelu(gates: &mut [f32], up: Option<&[f32]>) {
        replace(gates, up, |x| 0.5 * x * (1.0 + curves::erf(x * FRAC_1_SQRT_2)));
    }

    fn gelu_tanh(gates: &mut [f32], up: Option<&[f32]>) {
        // √(2/π)
        const SLOPE: f32 = 0.797_884_6;
        replace(gates, up, |x| {
            0.5 * x * (1.0 + curves::tanh(SLOPE * (x + 0.044_715 * x * x * x)))
        });
    }

    fn quick_gelu(gates: &mut [f32], up: Option<&[f32]>) {
        replace(gates, up, |x| x / (1.0 + curves::exp(-QUICK_GELU_SLOPE * x)));
    }

    fn relu(gates: &mut [f32], up: Option<&[f32]>) {
        replace(gates, up, |x| if x < 0.0 { 0.0 } else { x });
    }

    fn relu_squared(gates: &mut [f32], up: Option<&[f32]>) {
        replace(gates, up, |x| if x < 0.0 { 0.0 } else { x * x });
    }

    fn xielu(gates: &mut [f32], up: Option<&[f32]>, rule: Xielu) {
        let Xielu { rising, falling, slope, limit } = rule;
        replace(gates, up, |x| {
            let exponent = if x > limit { limit } else { x };
            let below = falling * (curves::exp(exponent) - 1.0 - x);
            slope * x + if x > 0.0 { rising * x * x } else { below }
        });
    }

    fn clamped_swish(gates: &mut [f32], up: Option<&[f32]>, slope: f32, limit: f32) {
        replace(gates, None, |x| {
            let x = if x > limit { limit } else { x };
            x / (1.0 + curves::exp(-slope * x))
        });
        if let Some(up) = up {
            for (gate, &up) in gates.iter_mut().zip(up) {
                let up = if up > limit { limit } else { up };
                *gate *= if up < -limit { -limit } else { up } + 1.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn activations_follow_their_formulas() {
        let inputs = [-3.0f32, -0.5, 0.0, 0.7, 2.0];
        // Φ(x) at the inputs, from tables of the normal distribution.
        let normal = [0.001_349_9_f32, 0.308_537_5, 0.5, 0.758_036_3, 0.977_249_9];
        let tensor = Tensor::new(&inputs, &Device::Cpu).unwrap();
        let formula = |kind, x: f32, normal: f32| match kind {
            Activation::Silu => x / (1.0 + (-x).exp()),
            Activation::Gelu => x * normal,
            Activation::GeluTanh => {
                let inner = (2.0 / std::f32::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
                0.5 * x * (1.0 + inner.tanh())
            }
            Activation::QuickGelu => x / (1.0 + (-1.702 * x).exp()),
            Activation::Relu => x.max(0.0),
            Activation::ReluSquared => x.max(0.0).powi(2),
            Activation::ClampedSwish { slope, limit } => {
                x.min(limit) / (1.0 + (-slope * x.min(limit)).exp())
            }
            Activation::Xielu(rule) if x > 0.0 => rule.rising * x * x + rule.slope * x,
            Activation::Xielu(rule) => rule.falling * (x.exp_m1() - x) + rule.slope * x,
        };
        let up_factor = |kind, x: f32| match kind {
            Activation::ClampedSwish { limit, .. } => x.clamp(-limit, limit) + 1.0,
            _ => x,
        };
        for kind in [
            Activation::Silu,
            Activation::Gelu,
            Activation::GeluTanh,
            Activation::Relu,
            Activation::ReluSquared,
            Activation::QuickGelu,
            Activation::ClampedSwish { slope: 1.702, limit: 0.6 },
            Activation::Xielu(Xielu { rising: 0.7, falling: 0.9, ..Xielu::UNTRAINED }),
        ] {
            let mut gated = inputs;
            activate(&mut gated, Some(&inputs), kind);
            let plain = gated_activation(&tensor, &tensor, kind).unwrap();
            let alone = activation(tensor.copy().unwrap(), kind).unwrap();
            let (plain, alone) = (plain.to_vec1::<f32>().unwrap(), alone.to_vec1::<f32>().unwrap());
            for i in 0..inputs.len() {
                let wanted = formula(kind, inputs[i], normal[i]);
                let up = up_factor(kind, inputs[i]);
                for (value, factor) in [(gated[i], up), (plain[i], up), (alone[i], 1.0)] {
                    let wanted = wanted * factor;
                    assert!((value - wanted).abs() < 1e-5, "{kind:?} {i}: {value} {wanted}");
                }
            }
        }
    }
}
