//! The feed-forward branch of a layer.

use candle_core::Tensor;

use super::error::ModelError;
use super::names::LayerNames;
use super::projection::Projection;
use super::spec::{Activation, FeedForwardSpec};
use super::weights::ParameterSource;
use crate::ops::activation::activation;
use crate::ops::linear::{Residual, gated_linear};

/// A feed-forward network whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct FeedForward {
    activation: Activation,
    gate: Option<Projection>,
    up: Projection,
    down: Projection,
}

impl FeedForward {
    /// Takes the parameters below `prefix`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        names: &LayerNames,
        spec: &FeedForwardSpec,
        hidden_size: usize,
    ) -> Result<Self, ModelError> {
        let projection = |name: &str, input_size: usize, output_size: usize| {
            let name = format!("{prefix}.{name}");
            Projection::load(source, &name, input_size, output_size, spec.bias)
        };
        let gate =
            if spec.gated { Some(projection(names.gate, hidden_size, spec.size)?) } else { None };
        Ok(Self {
            activation: spec.activation,
            gate,
            up: projection(names.up, hidden_size, spec.size)?,
            down: projection(names.down, spec.size, hidden_size)?,
        })
    }

    /// A gated network of projections that are loaded.
    pub(super) fn gated(
        activation: Activation,
        gate: Projection,
        up: Projection,
        down: Projection,
    ) -> Self {
        Self { activation, gate: Some(gate), up, down }
    }

    /// Maps every row by itself, and adds the result to `residual`.
    pub(super) fn forward(
        &self,
        hidden: &Tensor,
        residual: Option<Residual<'_>>,
    ) -> candle_core::Result<Tensor> {
        let Self { gate, up, .. } = self;
        let inner = match gate {
            Some(gate) => gated_linear(
                hidden,
                (&gate.weight, gate.bias.as_ref()),
                (&up.weight, up.bias.as_ref()),
                self.activation,
            )?,
            None => activation(up.forward(hidden, None)?, self.activation)?,
        };
        self.down.forward(&inner, residual)
    }
}
