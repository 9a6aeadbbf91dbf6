//! The linear map x · Wᵀ + b, with what often follows it.
//!
//! What follows is done while a product is still in the cache: a bias, the sum with the residual
//! stream, a gated activation. A row's result has the same bits whether it is alone or among
//! thousands, because of how the kernel sums (`ops/tile`).

pub(super) mod block;
mod dense;
mod panels;
mod stored_bytes;
mod weight;

use std::ops::Range;

use candle_core::{DType, Result, Tensor};

pub(super) use panels::{BlockSize, Panels};
pub use stored_bytes::{BytesPart, StoredBytes};
pub(super) use weight::Matrix;
pub use weight::{Fp8Part, Weight, WeightPart};

pub use super::quantised::{Activations, UnknownActivations};

use super::activation::{Activation, activate};
use super::host::{self, Parts};
use super::simd::{InstructionSet, vectorised};
use super::tile::COLUMNS;

/// The residual stream a branch is added to.
#[derive(Clone, Copy, Debug)]
pub struct Residual<'a> {
    /// `(rows, out)`.
    pub stream: &'a Tensor,
    /// Factor on the branch before it is added.
    pub scale: Option<f64>,
    /// Whether nobody reads the stream afterwards; NVIDIA GPUs then add to it where it lies.
    pub is_spent: bool,
}

impl<'a> Residual<'a> {
    /// A stream that is read elsewhere too, and a branch without a factor.
    pub fn of(stream: &'a Tensor) -> Self {
        Self { stream, scale: None, is_spent: false }
    }

    /// Adds a branch that was computed by itself.
    ///
    /// In host memory the branch itself changes, so it must not be read elsewhere.
    pub fn add(&self, branch: Tensor) -> Result<Tensor> {
        #[cfg(feature = "cuda")]
        if branch.device().is_cuda() && branch.rank() == 2 {
            return super::cuda::finish_product(&branch, None, None, Some(*self));
        }
        if !branch.device().is_cpu() {
            return self.stream + super::scale::scale(branch, self.scale)?;
        }
        if branch.dims() != self.stream.dims() {
            candle_core::bail!("a branch of {:?} on {:?}", branch.dims(), self.stream.dims())
        }
        let stream = self.stream.contiguous()?;
        let stream = host::numbers(&stream)?;
        let scale = self.scale.map_or(1.0, |scale| scale as f32);
        host::change(&branch, |branch| scale_and_add(branch, scale, &stream))?;
        Ok(branch)
    }
}

/// `input` `(rows, in)` times the transpose of `weight`, plus `bias` `(out)`, added to `residual`.
pub fn linear(
    input: &Tensor,
    weight: &Weight,
    bias: Option<&Tensor>,
    residual: Option<Residual<'_>>,
) -> Result<Tensor> {
    check(input, weight, bias)?;
    match &weight.matrix {
        Matrix::F32(panels) => packed(input, weight, &**panels, bias, residual),
        Matrix::Bf16(panels) => packed(input, weight, &**panels, bias, residual),
        Matrix::F16(panels) => packed(input, weight, &**panels, bias, residual),
        Matrix::Quantised(panels) => packed(input, weight, &**panels, bias, residual),
        Matrix::Fp8(panels) => packed(input, weight, &**panels, bias, residual),
        #[cfg(feature = "cuda")]
        Matrix::Blocks(blocks) => {
            let widened = blocks.rows(0..weight.output_size(), input.dtype())?;
            super::cuda::linear(input, &widened, bias, residual)
        }
        Matrix::Plain(matrix) => {
            let matrix = matrix.to_dtype(input.dtype())?;
            #[cfg(feature = "cuda")]
            if input.device().is_cuda() {
                return super::cuda::linear(input, &matrix, bias, residual);
            }
            finished(input.matmul(&matrix.t()?)?, bias, residual)
        }
    }
}

/// activation(`input` · gateᵀ) · (`input` · upᵀ), biases included (Shazeer 2020).
///
/// Gate and up have the same shape and are each given with their bias.
pub fn gated_linear(
    input: &Tensor,
    gate: (&Weight, Option<&Tensor>),
    up: (&Weight, Option<&Tensor>),
    activation: Activation,
) -> Result<Tensor> {
    check(input, gate.0, gate.1)?;
    check(input, up.0, up.1)?;
    if gate.0.output_size() != up.0.output_size() {
        candle_core::bail!("gate and up have different widths")
    }
    match (&gate.0.matrix, &up.0.matrix) {
        (Matrix::F32(g), Matrix::F32(u)) => {
            gated_packed(input, (gate, &**g), (up, &**u), activation)
        }
        (Matrix::Bf16(g), Matrix::Bf16(u)) => {
            gated_packed(input, (gate, &**g), (up, &**u), activation)
        }
        (Matrix::F16(g), Matrix::F16(u)) => {
            gated_packed(input, (gate, &**g), (up, &**u), activation)
        }
        (Matrix::Quantised(g), Matrix::Quantised(u)) => {
            gated_packed(input, (gate, &**g), (up, &**u), activation)
        }
        (Matrix::Fp8(g), Matrix::Fp8(u)) => {
            gated_packed(input, (gate, &**g), (up, &**u), activation)
        }
        _ => {
            let gate = linear(input, gate.0, gate.1, None)?;
            let up = linear(input, up.0, up.1, None)?;
            super::activation::gated_activation(&gate, &up, activation)
        }
    }
}

fn check(input: &Tensor, weight: &Weight, bias: Option<&Tensor>) -> Result<()> {
    let (_, width) = input.dims2()?;
    let (output_size, input_size) = (weight.output_size(), weight.input_size());
    if width != input_size || bias.is_some_and(|bias| bias.dims() != [output_size]) {
        candle_core::bail!("{width} numbers do not fit a map {input_size} → {output_size}")
    }
    Ok(())
}

/// What follows a product that was computed by itself.
fn finished(
    product: Tensor,
    bias: Option<&Tensor>,
    residual: Option<Residual<'_>>,
) -> Result<Tensor> {
    let mapped = match bias {
        Some(bias) => product.broadcast_add(bias)?,
        None => product,
    };
    match residual {
        None => Ok(mapped),
        Some(residual) => residual.add(mapped),
    }
}

fn packed<P: Panels>(
    input: &Tensor,
    weight: &Weight,
    panels: &P,
    bias: Option<&Tensor>,
    residual: Option<Residual<'_>>,
) -> Result<Tensor> {
    let (rows, depth) = input.dims2()?;
    let width = weight.output_size();
    let input = input.to_dtype(DType::F32)?.contiguous()?;
    let input = host::numbers(&input)?;
    let bias = host::optional_numbers(bias)?;
    let stream = residual.map(|residual| residual.stream.contiguous()).transpose()?;
    if stream.as_ref().is_some_and(|stream| stream.dims() != [rows, width]) {
        candle_core::bail!("the residual stream does not have {rows} × {width} numbers")
    }
    let stream = host::optional_numbers(stream.as_ref())?;
    let scale = residual.and_then(|residual| residual.scale).map_or(1.0, |scale| scale as f32);
    let finish = Finish { width, bias: bias.as_deref(), stream: stream.as_deref(), scale };
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
                    block.multiply(panels, panel, products);
                    let columns = panel * COLUMNS..((panel + 1) * COLUMNS).min(width);
                    write(output, block.rows.clone(), columns, products, &finish);
                }
            },
        );
    };
    // SAFETY: every row and column belongs to a task, which writes it.
    unsafe { host::filled((rows, width), fill) }
}

type Map<'a, P> = ((&'a Weight, Option<&'a Tensor>), &'a P);

fn gated_packed<P: Panels>(
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
    let finish = Finish { width, bias: None, stream: None, scale: 1.0 };
    let fill = |output: &Parts<'_>| {
        let row = |row: usize| &input[row * depth..(row + 1) * depth];
        let (count, size, products) =
            (weight.panels(), P::block(InstructionSet::detect()), 2 * COLUMNS);
        block::for_each_block(rows, depth, count, size, products, row, |block, group, both| {
            let (gate, up) = both.split_at_mut(block.rows.len() * COLUMNS);
            for panel in group {
                let columns = panel * COLUMNS..((panel + 1) * COLUMNS).min(width);
                for (panels, bias, products) in
                    [(gate_panels, &gate_bias, &mut *gate), (up_panels, &up_bias, &mut *up)]
                {
                    block.multiply(panels, panel, products);
                    if let Some(bias) = bias {
                        for products in products.chunks_exact_mut(COLUMNS) {
                            add(products, &bias[columns.clone()]);
                        }
                    }
                }
                activate(gate, Some(up), activation);
                write(output, block.rows.clone(), columns, gate, &finish);
            }
        });
    };
    // SAFETY: every row and column belongs to a task, which writes it.
    unsafe { host::filled((rows, width), fill) }
}

/// What becomes of products: `(product + bias) · scale + stream`.
struct Finish<'a> {
    /// Numbers of an output row.
    width: usize,
    bias: Option<&'a [f32]>,
    stream: Option<&'a [f32]>,
    /// Factor before the stream is added.
    scale: f32,
}

vectorised! {
    /// Adds `more` to the first of `numbers`.
    pub(super) fn add(numbers: &mut [f32], more: &[f32]) {
        for (number, more) in numbers.iter_mut().zip(more) {
            *number += more;
        }
    }

    /// Adds `scale` times `more` to the first of `numbers`.
    pub(super) fn add_scaled(numbers: &mut [f32], more: &[f32], scale: f32) {
        for (number, more) in numbers.iter_mut().zip(more) {
            *number += more * scale;
        }
    }

    /// Scales the branch and adds the stream.
    fn scale_and_add(branch: &mut [f32], scale: f32, stream: &[f32]) {
        for (number, stream) in branch.iter_mut().zip(stream) {
            *number = *number * scale + stream;
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
        let &Finish { width, bias, stream, scale } = finish;
        let bias = bias.map(|bias| &bias[columns.clone()]);
        for (row, products) in rows.zip(products.as_chunks::<COLUMNS>().0) {
            let mut finished = *products;
            let part = row * width + columns.start..row * width + columns.end;
            if let Some(bias) = bias {
                for (number, bias) in finished.iter_mut().zip(bias) {
                    *number += bias;
                }
            }
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

#[cfg(test)]
mod tests {
    use candle_core::Device;
    use proptest::prelude::*;

    use super::*;

    /// Numbers that are spread enough for any change in the order of a sum to show.
    fn numbers(rows: usize, columns: usize, seed: usize) -> Tensor {
        let values = (0..rows * columns)
            .map(|i| ((i * 7919 + seed * 104_729) % 65_521) as f32 / 32_760.5 - 1.0)
            .collect();
        Tensor::from_vec(values, (rows, columns), &Device::Cpu).unwrap()
    }

    /// The largest difference, as a share of the largest number.
    fn difference(found: &Tensor, expected: &Tensor) -> f32 {
        let largest = |numbers: &Tensor| {
            numbers.abs().unwrap().max_all().unwrap().to_scalar::<f32>().unwrap()
        };
        largest(&(found - expected).unwrap()) / largest(expected)
    }

    #[test]
    fn the_map_is_the_product_in_any_stored_type() {
        let (input, matrix) = (numbers(40, 700, 1), numbers(75, 700, 2));
        let (bias, stream) = (numbers(1, 75, 3).squeeze(0).unwrap(), numbers(40, 75, 4));
        let residual = Residual { scale: Some(0.5), ..Residual::of(&stream) };
        for dtype in [DType::F32, DType::BF16, DType::F16] {
            let matrix = matrix.to_dtype(dtype).unwrap();
            let packed = Weight::from_tensor(&matrix).unwrap();
            let wide = Weight::from_tensor(&matrix.to_dtype(DType::F32).unwrap()).unwrap();
            let plain = Weight::plain(matrix.to_dtype(DType::F32).unwrap()).unwrap();
            for (bias, residual) in
                [(None, None), (Some(&bias), None), (Some(&bias), Some(residual))]
            {
                let found = linear(&input, &packed, bias, residual).unwrap();
                let same = linear(&input, &wide, bias, residual).unwrap();
                assert_eq!(found.to_vec2::<f32>().unwrap(), same.to_vec2::<f32>().unwrap());
                let expected = linear(&input, &plain, bias, residual).unwrap();
                assert!(difference(&found, &expected) < 2e-6, "{dtype:?}");
            }
            let kind = Activation::Silu;
            let gated = gated_linear(&input, (&packed, Some(&bias)), (&packed, None), kind);
            let expected = gated_linear(&input, (&plain, Some(&bias)), (&plain, None), kind);
            assert!(difference(&gated.unwrap(), &expected.unwrap()) < 4e-6, "{dtype:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn a_rows_bits_do_not_depend_on_the_rows_beside_it(
            rows in 1usize..400,
            start in 0usize..400,
            few in 1usize..30,
            input_size in 1usize..600,
            output_size in 1usize..140,
        ) {
            let start = start.min(rows - 1);
            let few = few.min(rows - start);
            let (input, stream) = (numbers(rows, input_size, 1), numbers(rows, output_size, 5));
            let weight = Weight::from_tensor(&numbers(output_size, input_size, 2)).unwrap();
            let map = |start: usize, rows: usize| {
                let stream = stream.narrow(0, start, rows).unwrap();
                let residual = Residual::of(&stream);
                let input = input.narrow(0, start, rows).unwrap();
                linear(&input, &weight, None, Some(residual)).unwrap().to_vec2::<f32>().unwrap()
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let together = pool.install(|| map(0, rows));
            let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            prop_assert_eq!(&two.install(|| map(0, rows)), &together);
            prop_assert_eq!(&map(start, few), &together[start..start + few]);
        }
    }
}
