//! Convolutions whose stride is their size: linear maps of what each place takes.

use crate::model::error::ModelError;
use crate::model::projection::Projection;
use crate::model::weights::ParameterSource;
use crate::ops::linear::Weight;

/// The map `name` that is stored as a convolution: outputs, then what of the input an output is made of, in the input's order.
pub(super) fn convolution(
    source: &dyn ParameterSource,
    name: &str,
    stored_shape: &[usize],
    has_bias: bool,
) -> Result<Projection, ModelError> {
    let stored = source.parameter(&format!("{name}.weight"), stored_shape)?;
    let outputs = stored.dim(0)?;
    let weight = Weight::from_tensor(&stored.reshape((outputs, ()))?)?;
    let bias = if has_bias { Some(source.parameter(&bias(name), &[outputs])?) } else { None };
    Ok(Projection { weight, bias })
}

/// The map `name`, with a bias, that is stored as a convolution `(outputs, channels, rows, columns)` of an input whose channels
/// come last.
pub(super) fn channels_last_convolution(
    source: &dyn ParameterSource,
    name: &str,
    stored_shape: [usize; 4],
) -> Result<Projection, ModelError> {
    let stored = source.parameter(&format!("{name}.weight"), &stored_shape)?;
    let outputs = stored.dim(0)?;
    let weight = stored.permute([0, 2, 3, 1])?.reshape((outputs, ()))?;
    let bias = Some(source.parameter(&bias(name), &[outputs])?);
    Ok(Projection { weight: Weight::from_tensor(&weight)?, bias })
}

fn bias(name: &str) -> String {
    format!("{name}.bias")
}
