//! Rotation of queries and keys by position (Su et al. 2021).

use candle_core::{Result, Tensor};
use rayon::prelude::*;

use super::host;
use super::simd::vectorised;

/// Which numbers of a head are rotated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotaryPairing {
    /// Number i with number i + half.
    Halves,
    /// Number 2i with number 2i + 1.
    Neighbours,
}

/// Cosines and sines by which rows are rotated.
#[derive(Clone, Debug)]
pub struct Angles<'a> {
    /// `(any, pairs)`.
    pub cosines: Tensor,
    /// `(any, pairs)`.
    pub sines: Tensor,
    /// Which of them belongs to each row, where they are those of all positions; otherwise row r has the r-th. Only
    /// for NVIDIA GPUs.
    pub positions: Option<&'a [u32]>,
}

/// Rotates the first `2 × pairs` numbers of every head; the rest passes through.
///
/// `projected` is `(rows, width)` and begins with `heads` heads of `head_size` numbers. Every row has angles of its
/// own, so rows of different sequences can stand side by side. In host memory and on NVIDIA GPUs the tensor itself
/// changes, so it must not be read elsewhere.
pub fn rotary(
    projected: Tensor,
    (heads, head_size): (usize, usize),
    angles: &Angles<'_>,
    pairing: RotaryPairing,
) -> Result<Tensor> {
    let (rows, width) = projected.dims2()?;
    let Angles { cosines, sines, positions } = angles;
    let pairs = cosines.dim(1)?;
    let rotated = heads * head_size;
    if rotated > width || 2 * pairs > head_size {
        candle_core::bail!("{pairs} pairs do not fit {heads} heads of {head_size} in {width}")
    }
    #[cfg(feature = "cuda")]
    if projected.device().is_cuda() {
        return super::cuda::rotary(&projected, (heads, head_size), angles, pairing);
    }
    if positions.is_some() || cosines.dims() != [rows, pairs] {
        candle_core::bail!("{rows} rows have angles of {:?}", cosines.dims())
    }
    if !projected.device().is_cpu() {
        let part = projected.narrow(1, 0, rotated)?.reshape((rows, heads, head_size))?;
        let part = plain(&part, cosines, sines, pairing)?.reshape((rows, rotated))?;
        return Tensor::cat(&[part, projected.narrow(1, rotated, width - rotated)?], 1);
    }
    let (cosines, sines) = (host::numbers(cosines)?, host::numbers(sines)?);
    host::change(&projected, |numbers| {
        let min_rows = TASK_NUMBERS.div_ceil(width.max(1));
        numbers.par_chunks_mut(width).with_min_len(min_rows).enumerate().for_each(
            |(row, numbers)| {
                let angles = row * pairs..(row + 1) * pairs;
                let (cosines, sines) = (&cosines[angles.clone()], &sines[angles]);
                let heads = &mut numbers[..rotated];
                match pairing {
                    RotaryPairing::Halves => turn_halves(heads, head_size, cosines, sines),
                    RotaryPairing::Neighbours => turn_neighbours(heads, head_size, cosines, sines),
                }
            },
        );
    })?;
    Ok(projected)
}

/// Numbers that are worth a task of their own.
const TASK_NUMBERS: usize = 1 << 15;

vectorised! {
    fn turn_halves(heads: &mut [f32], head_size: usize, cosines: &[f32], sines: &[f32]) {
        for head in heads.chunks_exact_mut(head_size) {
            let (first, second) = head[..2 * cosines.len()].split_at_mut(cosines.len());
            let pairs = first.iter_mut().zip(second).zip(cosines).zip(sines);
            for (((a, b), cosine), sine) in pairs {
                (*a, *b) = (*a * cosine - *b * sine, *b * cosine + *a * sine);
            }
        }
    }

    fn turn_neighbours(heads: &mut [f32], head_size: usize, cosines: &[f32], sines: &[f32]) {
        for head in heads.chunks_exact_mut(head_size) {
            let pairs = head.as_chunks_mut::<2>().0.iter_mut().zip(cosines).zip(sines);
            for (([a, b], cosine), sine) in pairs {
                (*a, *b) = (*a * cosine - *b * sine, *b * cosine + *a * sine);
            }
        }
    }
}

/// The same with plain tensor operations, on `(rows, heads, head size)`.
fn plain(
    heads: &Tensor,
    cosines: &Tensor,
    sines: &Tensor,
    pairing: RotaryPairing,
) -> Result<Tensor> {
    let (rows, count, head_size) = heads.dims3()?;
    let pairs = cosines.dim(1)?;
    let turned = heads.narrow(2, 0, 2 * pairs)?.contiguous()?;
    let (shape, axis) = match pairing {
        RotaryPairing::Halves => ((rows, count, 2, pairs), 2),
        RotaryPairing::Neighbours => ((rows, count, pairs, 2), 3),
    };
    let turned = turned.reshape(shape)?;
    let (a, b) = (turned.narrow(axis, 0, 1)?, turned.narrow(axis, 1, 1)?);
    let angles = match pairing {
        RotaryPairing::Halves => (rows, 1, 1, pairs),
        RotaryPairing::Neighbours => (rows, 1, pairs, 1),
    };
    let (cosines, sines) = (cosines.reshape(angles)?, sines.reshape(angles)?);
    let first = (a.broadcast_mul(&cosines)? - b.broadcast_mul(&sines)?)?;
    let second = (b.broadcast_mul(&cosines)? + a.broadcast_mul(&sines)?)?;
    let turned = Tensor::cat(&[first, second], axis)?.reshape((rows, count, 2 * pairs))?;
    let rest = heads.narrow(2, 2 * pairs, head_size - 2 * pairs)?;
    Tensor::cat(&[turned, rest], 2)
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn pairs_turn_by_their_angle_and_the_rest_stays() {
        let device = Device::Cpu;
        let heads = Tensor::new(&[[[1f32, 2.0, 3.0, 4.0, 9.0]]], &device).unwrap();
        let angles = [0.3f32, 1.1];
        let cosines = Tensor::new(&[angles.map(f32::cos)], &device).unwrap();
        let sines = Tensor::new(&[angles.map(f32::sin)], &device).unwrap();
        for (pairing, pairs) in [
            (RotaryPairing::Halves, [(0, 2), (1, 3)]),
            (RotaryPairing::Neighbours, [(0, 1), (2, 3)]),
        ] {
            let fast = heads.copy().unwrap().flatten_from(1).unwrap();
            let (cosines, sines) = (cosines.clone(), sines.clone());
            let of_rows = Angles { cosines, sines, positions: None };
            let fast = rotary(fast, (1, 5), &of_rows, pairing).unwrap();
            let Angles { cosines, sines, .. } = of_rows;
            let plain = plain(&heads, &cosines, &sines, pairing).unwrap();
            for output in [fast, plain] {
                let output = output.flatten_all().unwrap().to_vec1::<f32>().unwrap();
                let input = [1f32, 2.0, 3.0, 4.0];
                for ((a, b), angle) in pairs.into_iter().zip(angles) {
                    let (sine, cosine) = angle.sin_cos();
                    assert!((output[a] - (input[a] * cosine - input[b] * sine)).abs() < 1e-6);
                    assert!((output[b] - (input[b] * cosine + input[a] * sine)).abs() < 1e-6);
                }
                assert!((output[4] - 9.0).abs() < f32::EPSILON);
            }
        }
    }
}
