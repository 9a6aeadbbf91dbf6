//! Products with a packed weight, and what follows them while they are in the nearest cache.
//!
//! A tile of rows is finished as soon as its products with a panel are there, and then written where it belongs. What is computed is the
//! parent's affair; tiles and their order are `block`'s.

use std::ops::Range;

use candle_core::{DType, Result, Tensor};

use super::panels::Panels;
use super::{Residual, Weight, block};
use crate::ops::activation::{Activation, activate};
use crate::ops::host::{self, Parts};
use crate::ops::simd::{InstructionSet, vectorised};
use crate::ops::tile::COLUMNS;

/// What follows a product and its bias.
#[derive(Clone, Copy, Debug)]
pub(super) enum Then<'a> {
    Nothing,
    /// It is added to the residual stream.
    Residual(Residual<'a>),
    /// A non-linearity.
    Activation(Activation),
}

/// The map of `input` `(rows, in)` by `weight`, whose panels these are.
pub(super) fn packed<P: Panels>(
    input: &Tensor,
    weight: &Weight,
    panels: &P,
    bias: Option<&Tensor>,
    then: Then<'_>,
) -> Result<Tensor> {
    let (rows, depth) = input.dims2()?;
    let width = weight.output_size();
    let input = input.to_dtype(DType::F32)?.contiguous()?;
    let input = host::numbers(&input)?;
    let bias = host::optional_numbers(bias)?;
    let (residual, activation) = match then {
        Then::Nothing => (None, None),
        Then::Residual(residual) => (Some(residual), None),
        Then::Activation(activation) => (None, Some(activation)),
    };
    let stream = residual.map(|residual| residual.stream.contiguous()).transpose()?;
    if stream.as_ref().is_some_and(|stream| stream.dims() != [rows, width]) {
        candle_core::bail!("the residual stream does not have {rows} × {width} numbers")
    }
    let stream = host::optional_numbers(stream.as_ref())?;
    let scale = residual.and_then(|residual| residual.scale).map_or(1.0, |scale| scale as f32);
    let finish = Finish { width, stream: stream.as_deref(), scale };
    let fill = |output: &Parts<'_>| {
        let row = |row: usize| &input[row * depth..(row + 1) * depth];
        block::for_each_block(
            rows,
            depth,
            weight.panels(),
            P::block(InstructionSet::detect()),
            COLUMNS,
            row,
            |block, group, products| {
                for panel in group {
                    let columns = panel * COLUMNS..((panel + 1) * COLUMNS).min(width);
                    let bias = bias.as_deref().map(|bias| &bias[columns.clone()]);
                    block.multiply_and(panels, panel, products, |rows, products| {
                        if let Some(bias) = bias {
                            add_bias(products, bias);
                        }
                        if let Some(activation) = activation {
                            activate(products, None, activation);
                        }
                        write(output, block.among_all(rows), columns.clone(), products, &finish);
                    });
                }
            },
        );
    };
    // SAFETY: every row and column belongs to a task, which writes it.
    unsafe { host::filled((rows, width), fill) }
}

/// A weight with its bias, and its panels.
type Map<'a, P> = ((&'a Weight, Option<&'a Tensor>), &'a P);

/// activation(gate) · up of `input` `(rows, in)`.
pub(super) fn gated_packed<P: Panels>(
    input: &Tensor,
    ((weight, gate_bias), gate_panels): Map<'_, P>,
    ((_, up_bias), up_panels): Map<'_, P>,
    activation: Activation,
) -> Result<Tensor> {
    let (rows, depth) = input.dims2()?;
    let width = weight.output_size();
    let input = input.to_dtype(DType::F32)?.contiguous()?;
    let input = host::numbers(&input)?;
    let (gate_bias, up_bias) =
        (host::optional_numbers(gate_bias)?, host::optional_numbers(up_bias)?);
    let finish = Finish { width, stream: None, scale: 1.0 };
    let fill = |output: &Parts<'_>| {
        let row = |row: usize| &input[row * depth..(row + 1) * depth];
        let (count, size, products) =
            (weight.panels(), P::block(InstructionSet::detect()), 2 * COLUMNS);
        block::for_each_block(rows, depth, count, size, products, row, |block, group, both| {
            let (gate, up) = both.split_at_mut(block.rows.len() * COLUMNS);
            for panel in group {
                let columns = panel * COLUMNS..((panel + 1) * COLUMNS).min(width);
                let [gate_bias, up_bias] = [gate_bias.as_deref(), up_bias.as_deref()]
                    .map(|bias| bias.map(|bias| &bias[columns.clone()]));
                block.multiply_and(gate_panels, panel, gate, |_, gate| {
                    if let Some(bias) = gate_bias {
                        add_bias(gate, bias);
                    }
                });
                block.multiply_and(up_panels, panel, up, |rows, up| {
                    if let Some(bias) = up_bias {
                        add_bias(up, bias);
                    }
                    let gate = &mut gate[rows.start * COLUMNS..rows.end * COLUMNS];
                    activate(gate, Some(up), activation);
                    write(output, block.among_all(rows), columns.clone(), gate, &finish);
                });
            }
        });
    };
    // SAFETY: every row and column belongs to a task, which writes it.
    unsafe { host::filled((rows, width), fill) }
}

/// What becomes of products: `product · scale + stream`.
struct Finish<'a> {
    /// Numbers of an output row.
    width: usize,
    stream: Option<&'a [f32]>,
    /// Factor before the stream is added.
    scale: f32,
}

vectorised! {
    /// Adds the `bias` of a panel's columns to each row of products.
    pub(in crate::ops) fn add_bias(products: &mut [f32], bias: &[f32]) {
        for products in products.as_chunks_mut::<COLUMNS>().0 {
            for (number, bias) in products.iter_mut().zip(bias) {
                *number += bias;
            }
        }
    }

    /// Writes the products of a panel to its `columns` of `rows`, which are the caller's own part
    /// of the output.
    fn write(
        output: &Parts<'_>,
        rows: Range<usize>,
        columns: Range<usize>,
        products: &[f32],
        finish: &Finish<'_>,
    ) {
        let &Finish { width, stream, scale } = finish;
        for (row, products) in rows.zip(products.as_chunks::<COLUMNS>().0) {
            let mut finished = *products;
            let part = row * width + columns.start..row * width + columns.end;
            if let Some(stream) = stream {
                for (number, stream) in finished.iter_mut().zip(&stream[part.clone()]) {
                    *number = *number * scale + stream;
                }
            }
            // SAFETY: a task writes the rows and columns that are its own.
            let output = unsafe { output.part(part) };
            match <&mut [f32; COLUMNS]>::try_from(&mut *output) {
                Ok(output) => *output = finished,
                Err(_) => output.copy_from_slice(&finished[..output.len()]),
            }
        }
    }
}
