//! A linear map with its weights.

use candle_core::Tensor;

use super::error::ModelError;
use super::weights::ParameterSource;
use crate::ops::linear::linear;

/// A linear map whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct Projection {
    weight: Tensor,
    bias: Option<Tensor>,
}

impl Projection {
    /// Takes the parameters of the map `name` from `input_size` to `output_size` numbers.
    pub(super) fn load(
        source: &dyn ParameterSource,
        name: &str,
        input_size: usize,
        output_size: usize,
        has_bias: bool,
    ) -> Result<Self, ModelError> {
        let weight = source.parameter(&format!("{name}.weight"), &[output_size, input_size])?;
        let bias = if has_bias {
            Some(source.parameter(&format!("{name}.bias"), &[output_size])?)
        } else {
            None
        };
        Ok(Self { weight, bias })
    }

    /// A map that uses a weight loaded elsewhere, such as a head tied to the embedding.
    pub(super) fn tied(weight: Tensor, bias: Option<Tensor>) -> Self {
        Self { weight, bias }
    }

    /// Maps every row of `input`.
    pub(super) fn forward(&self, input: &Tensor) -> candle_core::Result<Tensor> {
        linear(input, &self.weight, self.bias.as_ref())
    }
}
