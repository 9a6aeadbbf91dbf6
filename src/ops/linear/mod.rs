//! The linear map x · Wᵀ + b, with what often follows it.
//!
//! What follows is done while a product is still in the cache: a bias, the sum with the residual
//! stream, a gated activation. A row's result has the same bits whether it is alone or among
//! thousands, because of how the kernel sums (`ops/tile`).

pub(super) mod block;
mod dense;
mod packed;
mod panels;
mod stored_bytes;
mod weight;

use candle_core::{DType, Result, Tensor};

pub(super) use panels::{BlockSize, Panels};
pub use stored_bytes::{BytesPart, StoredBytes};
pub(super) use weight::Matrix;
pub use weight::{Fp8Part, Weight, WeightPart};

pub use super::quantised::{Activations, UnknownActivations};

pub(super) use self::packed::add_bias;
use self::packed::{Then, gated_packed, packed};
use super::activation::Activation;
use super::host;
use super::simd::vectorised;

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
    let then = residual.map_or(Then::Nothing, Then::Residual);
    if let Some(output) = if_packed(input, weight, bias, then) {
        return output;
    }
    let matrix = plain(weight, input.dtype())?;
    #[cfg(feature = "cuda")]
    if input.device().is_cuda() {
        return super::cuda::linear(input, &matrix, bias, residual);
    }
    finished(input.matmul(&matrix.t()?)?, bias, residual)
}

/// activation(`input` · weightᵀ + bias), as [`linear`] without a residual.
pub fn activated_linear(
    input: &Tensor,
    weight: &Weight,
    bias: Option<&Tensor>,
    activation: Activation,
) -> Result<Tensor> {
    check(input, weight, bias)?;
    match if_packed(input, weight, bias, Then::Activation(activation)) {
        Some(output) => output,
        None => super::activation::activation(linear(input, weight, bias, None)?, activation),
    }
}

/// The map by a packed weight; `None` for others.
fn if_packed(
    input: &Tensor,
    weight: &Weight,
    bias: Option<&Tensor>,
    then: Then<'_>,
) -> Option<Result<Tensor>> {
    Some(match &weight.matrix {
        Matrix::F32(panels) => packed(input, weight, &**panels, bias, then),
        Matrix::Bf16(panels) => packed(input, weight, &**panels, bias, then),
        Matrix::F16(panels) => packed(input, weight, &**panels, bias, then),
        Matrix::Quantised(panels) => packed(input, weight, &**panels, bias, then),
        Matrix::Fp8(panels) => packed(input, weight, &**panels, bias, then),
        #[cfg(feature = "cuda")]
        Matrix::Blocks(_) => return None,
        Matrix::Plain(_) => return None,
    })
}

/// A weight that is not packed, as a matrix of `dtype`.
fn plain(weight: &Weight, dtype: DType) -> Result<Tensor> {
    match &weight.matrix {
        Matrix::Plain(matrix) => matrix.to_dtype(dtype),
        #[cfg(feature = "cuda")]
        Matrix::Blocks(blocks) => blocks.rows(0..weight.output_size(), dtype),
        _ => candle_core::bail!("a packed weight is no plain matrix"),
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

vectorised! {
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
            let activated = activated_linear(&input, &packed, Some(&bias), kind).unwrap();
            let mapped = linear(&input, &packed, Some(&bias), None).unwrap();
            let apart = crate::ops::activation::activation(mapped, kind).unwrap();
            assert_eq!(activated.to_vec2::<f32>().unwrap(), apart.to_vec2::<f32>().unwrap());
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
