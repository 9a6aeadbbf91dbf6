//! Norms.

use std::ops::Range;

use candle_core::{CudaDevice, DType, Result, Tensor};

use super::launch::{
    Launch, RESIDUAL_NORM, address, device, optional_address, rows_of, threads_for,
};
use crate::ops::norm::NormRule;

/// As [`crate::ops::norm::norm`].
pub(in crate::ops) fn norm(input: &Tensor, rule: NormRule<'_>) -> Result<Tensor> {
    let device = device(input)?;
    let input = input.contiguous()?;
    let size = input.dim(candle_core::D::Minus1)?;
    let rows = input.elem_count() / size.max(1);
    // SAFETY: the kernel writes every number.
    let output = unsafe { input.empty_like() }?;
    let from = (address(&input)?, size);
    let to = (address(&output)?, size);
    launch(&device, input.dtype(), from, to, (rows, 1, size), rule)?;
    Ok(output)
}

/// As [`crate::ops::norm::norm_columns`], in place.
pub(in crate::ops) fn norm_columns(
    input: Tensor,
    columns: Range<usize>,
    size: usize,
    rule: NormRule<'_>,
) -> Result<Tensor> {
    let device = device(&input)?;
    let part = input.narrow(1, columns.start, columns.len())?;
    let place = rows_of(&part)?;
    let rows = part.dim(0)?;
    let stretches = columns.len() / size.max(1);
    launch(&device, input.dtype(), place, place, (rows, stretches, size), rule)?;
    Ok(input)
}

/// `from` and `to` are where rows begin and how far they are apart.
fn launch(
    device: &CudaDevice,
    dtype: DType,
    from: (u64, usize),
    to: (u64, usize),
    (rows, stretches, size): (usize, usize, usize),
    rule: NormRule<'_>,
) -> Result<()> {
    let parameter = |parameter: Option<&Tensor>| match parameter {
        Some(tensor) if tensor.dims() != [size] => {
            candle_core::bail!("a norm over {size} numbers has parameters {:?}", tensor.dims())
        }
        Some(tensor) => tensor.to_dtype(dtype).map(Some),
        None => Ok(None),
    };
    let (weight, bias) = (parameter(rule.weight)?, parameter(rule.bias)?);
    let launch = Launch::of_type(device, RESIDUAL_NORM, "residual_norm", dtype)?
        .address(from.0)
        .address(0)
        .address(0)
        .address(to.0)
        .address(optional_address(weight.as_ref())?)
        .address(optional_address(bias.as_ref())?)
        .count(size)
        .count(from.1)
        .count(to.1)
        .words(&[
            (rule.epsilon as f32).to_bits(),
            0f32.to_bits(),
            1f32.to_bits(),
            u32::from(rule.centred),
        ]);
    // SAFETY: rows and parameters have `size` numbers for each stretch, by the checks here and in the
    // caller.
    unsafe { launch.run((rows, stretches), threads_for(size, 8, 512), 0) }
}
