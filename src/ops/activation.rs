//! Non-linearities of the feed-forward network.

use candle_core::{Result, Tensor};

/// A non-linearity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// x · sigmoid(x).
    Silu,
    /// x · Φ(x), exact.
    Gelu,
    /// The tanh approximation of [`Activation::Gelu`].
    GeluTanh,
    /// max(x, 0).
    Relu,
    /// max(x, 0)².
    ReluSquared,
}

/// Applies an activation to every number.
pub fn activation(input: &Tensor, kind: Activation) -> Result<Tensor> {
    match kind {
        Activation::Silu => input.silu(),
        Activation::Gelu => input.gelu_erf(),
        Activation::GeluTanh => input.gelu(),
        Activation::Relu => input.relu(),
        Activation::ReluSquared => input.relu()?.sqr(),
    }
}

/// activation(gate) · up (Shazeer 2020).
pub fn gated_activation(gate: &Tensor, up: &Tensor, kind: Activation) -> Result<Tensor> {
    activation(gate, kind)? * up
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
            Activation::Relu => x.max(0.0),
            Activation::ReluSquared => x.max(0.0).powi(2),
        };
        for kind in [
            Activation::Silu,
            Activation::Gelu,
            Activation::GeluTanh,
            Activation::Relu,
            Activation::ReluSquared,
        ] {
            let output = gated_activation(&tensor, &tensor, kind).unwrap();
            for (i, value) in output.to_vec1::<f32>().unwrap().into_iter().enumerate() {
                let wanted = formula(kind, inputs[i], normal[i]) * inputs[i];
                assert!((value - wanted).abs() < 1e-5, "{kind:?} {i}: {value} {wanted}");
            }
        }
    }
}
