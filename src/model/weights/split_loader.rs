//! Reading the parameters of one model onto several devices.

use candle_core::{DType, Device, Tensor};

use super::{Loader, ParameterSource};
use crate::model::error::ModelError;
use crate::model::stacked_map::StackedMap;
use crate::model::stored_matrix::StoredMatrix;
use crate::ops::linear::Weight;

/// A loader for each device: the first for what is no layer, and for each layer the one that the plan says.
pub(in crate::model) struct SplitLoader<'a> {
    first: Loader<'a>,
    /// Of each layer.
    layers: Vec<Loader<'a>>,
}

impl<'a> SplitLoader<'a> {
    /// Loads what is no layer with `first`, and each layer with its own of `layers`.
    pub(in crate::model) fn new(first: Loader<'a>, layers: Vec<Loader<'a>>) -> Self {
        Self { first, layers }
    }
}

impl ParameterSource for SplitLoader<'_> {
    fn parameter(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        self.first.parameter(name, shape)
    }

    fn weight(&self, maps: &[(String, usize)], input_size: usize) -> Result<Weight, ModelError> {
        self.first.weight(maps, input_size)
    }

    fn weight_of(&self, matrix: &StoredMatrix, input_size: usize) -> Result<Weight, ModelError> {
        self.first.weight_of(matrix, input_size)
    }

    fn stacked_weight(&self, name: &str, map: StackedMap) -> Result<Weight, ModelError> {
        self.first.stacked_weight(name, map)
    }

    fn of_layer(&self, number: usize) -> &dyn ParameterSource {
        self.layers.get(number).unwrap_or(&self.first)
    }

    fn contains(&self, name: &str) -> bool {
        self.first.contains(name)
    }

    fn device(&self) -> &Device {
        self.first.device()
    }

    fn dtype(&self) -> DType {
        self.first.dtype()
    }
}
