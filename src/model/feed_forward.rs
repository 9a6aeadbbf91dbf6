//! The feed-forward branch of a layer.

use candle_core::Tensor;

use super::error::ModelError;
use super::names::LayerNames;
use super::projection::Projection;
use super::spec::{Activation, FeedForwardSpec, Xielu};
use super::stored_matrix::StoredMatrix;
use super::timings::{Operation, timed};
use super::weights::ParameterSource;
use crate::ops::activation::gated_activation;
use crate::ops::host;
use crate::ops::linear::{Residual, gated_linear};

/// A feed-forward network whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct FeedForward {
    activation: Activation,
    input: Input,
    down: Projection,
}

/// Gives the inner row.
#[derive(Clone, Debug)]
enum Input {
    /// One map and the activation.
    Up(Projection),
    /// Two maps.
    GateUp(Projection, Projection),
    /// Both as one map that gives their outputs side by side: on GPUs one product of twice the width.
    Joined(Projection),
}

impl Input {
    fn gated(gate: Projection, up: Projection) -> candle_core::Result<Self> {
        Ok(match gate.beside(&up)? {
            Some(joined) => Self::Joined(joined),
            None => Self::GateUp(gate, up),
        })
    }

    /// Multiplications and additions for `rows` rows.
    fn flops(&self, rows: usize) -> f64 {
        match self {
            Self::Up(map) | Self::Joined(map) => map.flops(rows),
            Self::GateUp(gate, up) => gate.flops(rows) + up.flops(rows),
        }
    }
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
        let input = match gate {
            Some(gate) => Input::gated(gate, up)?,
            None => Input::Up(up),
        };
        Ok(Self { activation, input, down })
    }

    /// A gated network of projections that are loaded.
    pub(super) fn gated(
        activation: Activation,
        gate: Projection,
        up: Projection,
        down: Projection,
    ) -> candle_core::Result<Self> {
        Ok(Self { activation, input: Input::gated(gate, up)?, down })
    }

    /// Gate and up as one map, down, and the activation, where gate and up are one map.
    pub(super) fn joined(&self) -> Option<(&Projection, &Projection, Activation)> {
        match &self.input {
            Input::Joined(gate_up) => Some((gate_up, &self.down, self.activation)),
            Input::Up(_) | Input::GateUp(..) => None,
        }
    }

    /// Multiplications and additions for `rows` rows.
    pub(super) fn flops(&self, rows: usize) -> f64 {
        self.input.flops(rows) + self.down.flops(rows)
    }

    /// Maps every row by itself, and adds the result to `residual`.
    pub(super) fn forward(
        &self,
        hidden: &Tensor,
        residual: Option<Residual<'_>>,
    ) -> candle_core::Result<Tensor> {
        let Self { input, down, .. } = self;
        let rows = hidden.dim(0)?;
        let inner = timed(
            Operation::GateUp,
            || input.flops(rows),
            || match input {
                Input::Up(up) => up.activated(hidden, self.activation),
                Input::GateUp(gate, up) => gated_linear(
                    hidden,
                    (&gate.weight, gate.bias.as_ref()),
                    (&up.weight, up.bias.as_ref()),
                    self.activation,
                ),
                Input::Joined(both) => {
                    let both = both.forward(hidden, None)?;
                    let size = both.dim(1)? / 2;
                    let (gate, up) = (both.narrow(1, 0, size)?, both.narrow(1, size, size)?);
                    gated_activation(&gate, &up, self.activation)
                }
            },
        )?;
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
