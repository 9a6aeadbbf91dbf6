//! Non-linearities of the feed-forward network.

use candle_core::{Result, Tensor};

use super::launch::{GATED_ACTIVATION, Launch, address, device, rows_of, threads_for};
use crate::ops::activation::Activation;

/// Blocks that share a row.
const ROW_BLOCKS: usize = 4;

/// As [`crate::ops::activation::activation`], in place.
pub(in crate::ops) fn activation(input: &Tensor, kind: Activation) -> Result<Tensor> {
    let input = input.contiguous()?;
    let size = input.dim(candle_core::D::Minus1)?;
    let rows = input.elem_count() / size.max(1);
    let place = (address(&input)?, size);
    activate(&input, place, (0, 0), address(&input)?, (rows, size), kind)?;
    Ok(input)
}

/// As `gated_activation` of [`crate::ops::activation`]: `gate` and `up` are `(rows, size)`, and may be
/// columns of one product.
pub(in crate::ops) fn gated_activation(
    gate: &Tensor,
    up: &Tensor,
    kind: Activation,
) -> Result<Tensor> {
    let (rows, size) = gate.dims2()?;
    if up.dims() != gate.dims() || up.dtype() != gate.dtype() {
        candle_core::bail!("gate and up differ: {:?} and {:?}", gate.dims(), up.dims())
    }
    // SAFETY: the kernel writes every number.
    let output = unsafe { Tensor::empty((rows, size), gate.dtype(), gate.device()) }?;
    activate(gate, rows_of(gate)?, rows_of(up)?, address(&output)?, (rows, size), kind)?;
    Ok(output)
}

/// `gate` and `up` are where rows begin and how far they are apart.
fn activate(
    input: &Tensor,
    gate: (u64, usize),
    up: (u64, usize),
    output: u64,
    (rows, size): (usize, usize),
    kind: Activation,
) -> Result<()> {
    let (number, slope, limit) = match kind {
        Activation::Silu => (0, 0.0, 0.0),
        Activation::Gelu => (1, 0.0, 0.0),
        Activation::GeluTanh => (2, 0.0, 0.0),
        Activation::Relu => (3, 0.0, 0.0),
        Activation::ReluSquared => (4, 0.0, 0.0),
        Activation::ClampedSwish { slope, limit } => (5, slope, limit),
        Activation::QuickGelu | Activation::Xielu(_) => {
            candle_core::bail!("there is no kernel for {kind:?}")
        }
    };
    let device = device(input)?;
    let launch = Launch::of_type(&device, GATED_ACTIVATION, "gated_activation", input.dtype())?
        .address(gate.0)
        .address(up.0)
        .address(output)
        .count(size)
        .count(gate.1)
        .count(up.1)
        .words(&[number, slope.to_bits(), limit.to_bits()]);
    let threads = threads_for(size, 8 * ROW_BLOCKS, 256);
    // SAFETY: gate, up and output have `size` numbers in each of `rows` rows.
    unsafe { launch.run((rows, ROW_BLOCKS), threads, 0) }
}
