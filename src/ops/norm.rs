//! RMS norm and layer norm over the last dimension.

use std::ops::Range;

use candle_core::{DType, Result, Tensor};
use rayon::prelude::*;

use super::host::{self, Parts};
use super::simd::vectorised;

/// Numbers that are worth a task of their own.
const TASK_NUMBERS: usize = 1 << 15;

/// A norm over the last dimension of `input`; a weight that is absent is one, a bias zero.
#[derive(Clone, Copy, Debug)]
pub struct NormRule<'a> {
    /// Whether the mean is taken away first (layer norm) or not (RMS norm).
    pub centred: bool,
    /// Factors, `(size)`.
    pub weight: Option<&'a Tensor>,
    /// Summands, `(size)`.
    pub bias: Option<&'a Tensor>,
    /// ε, inside the root.
    pub epsilon: f64,
}

/// Normalises the last dimension of a tensor:
/// RMS norm x / √(mean(x²) + ε) · weight + bias (Zhang & Sennrich 2019), or
/// layer norm (x − mean) / √(variance + ε) · weight + bias (Ba et al. 2016).
pub fn norm(input: &Tensor, rule: NormRule<'_>) -> Result<Tensor> {
    let size = input.dim(candle_core::D::Minus1)?;
    #[cfg(feature = "cuda")]
    if input.device().is_cuda() && size > 0 {
        return super::cuda::norm(input, rule);
    }
    if !input.device().is_cpu() || size == 0 {
        return plain(input, rule);
    }
    let shape = input.shape();
    let input = input.contiguous()?;
    let numbers = host::numbers(&input)?;
    let (weight, bias) = (host::optional_numbers(rule.weight)?, host::optional_numbers(rule.bias)?);
    let rows = numbers.len() / size;
    let write = |output: &Parts<'_>| {
        let task_rows = (TASK_NUMBERS / size).max(1);
        let run = |first: usize| {
            let part = first * size..(first + task_rows).min(rows) * size;
            // SAFETY: each task writes rows of its own.
            let output = unsafe { output.part(part.clone()) };
            output.copy_from_slice(&numbers[part]);
            let (weight, bias) = (weight.as_deref(), bias.as_deref());
            normalise(output, size, rule.centred, weight, bias, rule.epsilon as f32);
        };
        if rows <= task_rows {
            run(0);
        } else {
            (0..rows.div_ceil(task_rows)).into_par_iter().for_each(|task| run(task * task_rows));
        }
    };
    // SAFETY: the tasks write all rows, each before it reads it.
    unsafe { host::filled(shape, write) }
}

/// Normalises some columns of `(rows, width)`, each stretch of `size` columns by itself.
///
/// In host memory and on NVIDIA GPUs the tensor itself changes, so it must not be read elsewhere.
pub fn norm_columns(
    input: Tensor,
    columns: Range<usize>,
    size: usize,
    rule: NormRule<'_>,
) -> Result<Tensor> {
    let (rows, width) = input.dims2()?;
    if columns.end > width || size == 0 || !columns.len().is_multiple_of(size) {
        candle_core::bail!("columns {columns:?} are not whole stretches of {size} within {width}")
    }
    #[cfg(feature = "cuda")]
    if input.device().is_cuda() {
        return super::cuda::norm_columns(input, columns, size, rule);
    }
    if !input.device().is_cpu() {
        let part = input.narrow(1, columns.start, columns.len())?;
        let part = part.reshape((rows, columns.len() / size, size))?;
        let part = plain(&part, rule)?.reshape((rows, columns.len()))?;
        let before = input.narrow(1, 0, columns.start)?;
        let after = input.narrow(1, columns.end, width - columns.end)?;
        return Tensor::cat(&[before, part, after], 1);
    }
    let (weight, bias) = (host::optional_numbers(rule.weight)?, host::optional_numbers(rule.bias)?);
    let (weight, bias) = (weight.as_deref(), bias.as_deref());
    host::change(&input, |numbers| {
        let min_rows = TASK_NUMBERS.div_ceil(width);
        numbers.par_chunks_mut(width).with_min_len(min_rows).for_each(|row| {
            let part = &mut row[columns.clone()];
            normalise(part, size, rule.centred, weight, bias, rule.epsilon as f32);
        });
    })?;
    Ok(input)
}

/// The same with plain tensor operations.
fn plain(input: &Tensor, rule: NormRule<'_>) -> Result<Tensor> {
    let dtype = input.dtype();
    let mut centred = input.to_dtype(DType::F32)?;
    if rule.centred {
        centred = centred.broadcast_sub(&centred.mean_keepdim(candle_core::D::Minus1)?)?;
    }
    let variance = centred.sqr()?.mean_keepdim(candle_core::D::Minus1)?;
    let output = centred.broadcast_div(&(variance + rule.epsilon)?.sqrt()?)?;
    let mut output = output.to_dtype(dtype)?;
    if let Some(weight) = rule.weight {
        output = output.broadcast_mul(weight)?;
    }
    if let Some(bias) = rule.bias {
        output = output.broadcast_add(bias)?;
    }
    Ok(output)
}

vectorised! {
    /// Normalises, in place, every `size` numbers.
    pub(super) fn normalise(
        numbers: &mut [f32],
        size: usize,
        centred: bool,
        weight: Option<&[f32]>,
        bias: Option<&[f32]>,
        epsilon: f32,
    ) {
        for row in numbers.chunks_exact_mut(size) {
            if centred {
                let mean = sum(row, |x| x) / size as f32;
                for x in &mut *row {
                    *x -= mean;
                }
            }
            let factor = 1.0 / (sum(row, |x| x * x) / size as f32 + epsilon).sqrt();
            match weight {
                None => row.iter_mut().for_each(|x| *x *= factor),
                Some(weight) => {
                    row.iter_mut().zip(weight).for_each(|(x, weight)| *x = *x * factor * weight);
                }
            }
            if let Some(bias) = bias {
                row.iter_mut().zip(bias).for_each(|(x, bias)| *x += bias);
            }
        }
    }
}

/// Σ of(x), in 16 partial sums that vectorise.
#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (groups, rest) = numbers.as_chunks::<16>();
    let mut sums = [0f32; 16];
    for group in groups {
        for (sum, &x) in sums.iter_mut().zip(group) {
            *sum += of(x);
        }
    }
    sums.iter().sum::<f32>() + rest.iter().map(|&x| of(x)).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn norms_follow_their_formulas() {
        let size = 37;
        let row: Vec<f32> = (0..size).map(|i| ((i * 31 % 17) as f32 - 6.0) / 3.0).collect();
        let factors: Vec<f32> = (0..size).map(|i| 1.0 - i as f32 / 20.0).collect();
        let shape = (3, size);
        let input = Tensor::from_vec(row.repeat(3), shape, &Device::Cpu).unwrap();
        let weight = Tensor::new(factors.as_slice(), &Device::Cpu).unwrap();
        let mean = |of: &dyn Fn(f32) -> f32| row.iter().map(|&x| of(x)).sum::<f32>() / size as f32;
        for centred in [false, true] {
            let middle = if centred { mean(&|x| x) } else { 0.0 };
            let root = (mean(&|x| (x - middle).powi(2)) + 1e-5).sqrt();
            for (weight, bias) in
                [(Some(&weight), None), (None, None), (Some(&weight), Some(&weight))]
            {
                let rule = NormRule { centred, weight, bias, epsilon: 1e-5 };
                for output in [norm(&input, rule).unwrap(), plain(&input, rule).unwrap()] {
                    let output = output.flatten_all().unwrap().to_vec1::<f32>().unwrap();
                    for (i, value) in output.iter().enumerate() {
                        let i = i % size;
                        let expected = (row[i] - middle) / root
                            * weight.map_or(1.0, |_| factors[i])
                            + bias.map_or(0.0, |_| factors[i]);
                        assert!((value - expected).abs() < 2e-6, "{i}: {value} {expected}");
                    }
                }
            }
        }
    }
}
