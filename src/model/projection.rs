//! A linear map with its weights.

use candle_core::Tensor;

use super::error::ModelError;
use super::stored_matrix::StoredMatrix;
use super::timings::product_flops;
use super::weights::ParameterSource;
use crate::ops::activation::Activation;
use crate::ops::linear::{Residual, Weight, activated_linear, linear};

/// A linear map whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct Projection {
    pub(super) weight: Weight,
    pub(super) bias: Option<Tensor>,
}

impl Projection {
    /// Takes the parameters of several maps of the same input, each a name and an output size, as
    /// one map that gives their outputs side by side.
    pub(super) fn load_joined(
        source: &dyn ParameterSource,
        maps: &[(String, usize)],
        input_size: usize,
        has_bias: bool,
    ) -> Result<Self, ModelError> {
        let weights: Vec<(String, usize)> =
            maps.iter().map(|(name, size)| (format!("{name}.weight"), *size)).collect();
        let weight = source.weight(&weights, input_size)?;
        let bias = if has_bias {
            let biases = maps
                .iter()
                .map(|(name, size)| source.parameter(&format!("{name}.bias"), &[*size]))
                .collect::<Result<Vec<_>, _>>()?;
            Some(Tensor::cat(&biases, 0)?)
        } else {
            None
        };
        Ok(Self { weight, bias })
    }

    /// Takes the parameters of the map `name`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        name: &str,
        input_size: usize,
        output_size: usize,
        has_bias: bool,
    ) -> Result<Self, ModelError> {
        Self::load_joined(source, &[(name.to_owned(), output_size)], input_size, has_bias)
    }

    /// Takes the parameters of a map that is a part of a stored matrix.
    pub(super) fn load_stored(
        source: &dyn ParameterSource,
        matrix: &StoredMatrix,
        input_size: usize,
        has_bias: bool,
    ) -> Result<Self, ModelError> {
        let weight = source.weight_of(matrix, input_size)?;
        let bias = if has_bias {
            let stored = source.parameter(&matrix.bias_name(), &[matrix.stored_rows])?;
            Some(matrix.select(&stored)?)
        } else {
            None
        };
        Ok(Self { weight, bias })
    }

    /// This map and another of the same input as one that gives their outputs side by side, where a GPU has both as
    /// numbers.
    pub(super) fn beside(&self, other: &Self) -> candle_core::Result<Option<Self>> {
        let bias = match (&self.bias, &other.bias) {
            (None, None) => None,
            (Some(one), Some(other)) => Some(Tensor::cat(&[one, other], 0)?),
            _ => return Ok(None),
        };
        let joined = self.weight.beside(&other.weight)?;
        Ok(joined.map(|weight| Self { weight, bias }))
    }

    /// Maps every row of `input`, and adds the result to `residual`.
    pub(super) fn forward(
        &self,
        input: &Tensor,
        residual: Option<Residual<'_>>,
    ) -> candle_core::Result<Tensor> {
        linear(input, &self.weight, self.bias.as_ref(), residual)
    }

    /// activation(map of every row).
    pub(super) fn activated(
        &self,
        input: &Tensor,
        activation: Activation,
    ) -> candle_core::Result<Tensor> {
        activated_linear(input, &self.weight, self.bias.as_ref(), activation)
    }

    /// Multiplications and additions for `rows` rows.
    pub(super) fn flops(&self, rows: usize) -> f64 {
        product_flops(rows, self.weight.input_size(), self.weight.output_size())
    }
}
