//! The feed-forward branch of a layer.

use candle_core::Tensor;

use super::error::ModelError;
use super::names::LayerNames;
use super::projection::Projection;
use super::spec::{Activation, FeedForwardSpec, Xielu};
use super::stored_matrix::StoredMatrix;
use super::timings::{Operation, timed};
use super::weights::ParameterSource;
use crate::ops::activation::activation;
use crate::ops::host;
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
        // Stored rows of a matrix that take `input_size` numbers.
        let projection = |name: &str, input_size, stored_rows, rows| {
            let name = format!("{prefix}.{name}");
            let matrix = StoredMatrix::part(name, stored_rows, rows, names.transposed);
            Projection::load_stored(source, &matrix, input_size, spec.bias)
        };
        let size = spec.size;
        let (gate, up) = match names.fused_gate_up {
            Some(fused) if spec.gated => {
                let half = |rows| projection(fused, hidden_size, 2 * size, rows);
                (Some(half(0..size)?), half(size..2 * size)?)
            }
            _ => {
                let whole = |name| projection(name, hidden_size, size, 0..size);
                (if spec.gated { Some(whole(names.gate)?) } else { None }, whole(names.up)?)
            }
        };
        let down = projection(names.down, size, hidden_size, 0..hidden_size)?;
        let activation = match spec.activation {
            Activation::Xielu(_) => {
                let prefix = format!("{prefix}.{}", names.activation);
                Activation::Xielu(load_xielu(source, &prefix)?)
            }
            fixed => fixed,
        };
        Ok(Self { activation, gate, up, down })
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
        let Self { gate, up, down, .. } = self;
        let rows = hidden.dim(0)?;
        let flops = || up.flops(rows) + gate.as_ref().map_or(0.0, |gate| gate.flops(rows));
        let inner = timed(Operation::GateUp, flops, || match gate {
            Some(gate) => gated_linear(
                hidden,
                (&gate.weight, gate.bias.as_ref()),
                (&up.weight, up.bias.as_ref()),
                self.activation,
            ),
            None => activation(up.forward(hidden, None)?, self.activation),
        })?;
        timed(Operation::Down, || down.flops(rows), || down.forward(&inner, residual))
    }
}

/// The learned numbers of xIELU. Both factors are stored as what softplus maps to them, the second
/// without the slope, above which it stays.
fn load_xielu(source: &dyn ParameterSource, prefix: &str) -> Result<Xielu, ModelError> {
    let number = |name: &str, shape: &[usize]| {
        let stored = source.parameter(&format!("{prefix}.{name}"), shape)?;
        Ok::<_, ModelError>(host::read(&stored, |numbers| numbers.iter().sum::<f32>())?)
    };
    let softplus = |x: f32| f64::from(x).exp().ln_1p() as f32;
    let slope = number("beta", &[])?;
    Ok(Xielu {
        rising: softplus(number("alpha_p", &[1])?),
        falling: slope + softplus(number("alpha_n", &[1])?),
        slope,
        limit: number("eps", &[])?,
    })
}
