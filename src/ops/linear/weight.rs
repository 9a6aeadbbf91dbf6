//! The weight of a linear map, ready to be multiplied with.
//!
//! In host memory a weight is kept as panels of 32 outputs, `[out / 32][in][32]`: the kernel reads
//! each panel from front to back. Numbers keep the type they are stored in, so memory stays as
//! large as the file; halves are widened exactly when they are read.

use std::sync::Arc;

use candle_core::{DType, Result, Tensor};
use half::{bf16, f16};
use rayon::prelude::*;

use crate::ops::aligned::{Aligned, Plain};
use crate::ops::tile::{COLUMNS, Stored};

/// A matrix `(out, in)`.
#[derive(Clone, Debug)]
pub struct Weight {
    output_size: usize,
    input_size: usize,
    pub(in crate::ops) matrix: Matrix,
}

/// How it is kept.
#[derive(Clone, Debug)]
pub(in crate::ops) enum Matrix {
    /// Packed for the CPU, as f32.
    F32(Arc<Aligned<f32>>),
    /// Packed for the CPU, as bf16.
    Bf16(Arc<Aligned<bf16>>),
    /// Packed for the CPU, as f16.
    F16(Arc<Aligned<f16>>),
    /// As it is, for other devices.
    Plain(Tensor),
}

/// Rows of a weight as they stand in a file.
#[derive(Clone, Copy, Debug)]
pub struct WeightPart<'a> {
    /// Little-endian numbers, `(rows, in)`.
    pub bytes: &'a [u8],
    /// Their type: f32, bf16 or f16.
    pub dtype: DType,
    /// How many outputs they are.
    pub rows: usize,
}

impl Weight {
    /// Packs `parts`, one below the other, for the CPU.
    ///
    /// Parts of different types are kept as f32.
    pub fn pack(parts: &[WeightPart<'_>], input_size: usize) -> Result<Self> {
        let fits = |part: &WeightPart<'_>| {
            part.bytes.len() == part.rows * input_size * part.dtype.size_in_bytes()
        };
        if !parts.iter().all(fits) {
            candle_core::bail!("a weight's bytes do not fit its shape")
        }
        let dtype = match parts {
            [first, rest @ ..] if rest.iter().all(|part| part.dtype == first.dtype) => first.dtype,
            _ => DType::F32,
        };
        let matrix = match dtype {
            DType::BF16 => Matrix::Bf16(Arc::new(panels(parts, input_size)?)),
            DType::F16 => Matrix::F16(Arc::new(panels(parts, input_size)?)),
            _ => Matrix::F32(Arc::new(panels(parts, input_size)?)),
        };
        let output_size = parts.iter().map(|part| part.rows).sum();
        Ok(Self { output_size, input_size, matrix })
    }

    /// A weight that stays a tensor `(out, in)`.
    pub fn plain(matrix: Tensor) -> Result<Self> {
        let (output_size, input_size) = matrix.dims2()?;
        Ok(Self { output_size, input_size, matrix: Matrix::Plain(matrix) })
    }

    /// Packs a tensor `(out, in)` for the CPU, in its type; on another device it stays as it is.
    pub fn from_tensor(tensor: &Tensor) -> Result<Self> {
        let (rows, input_size) = tensor.dims2()?;
        if !tensor.device().is_cpu() {
            return Self::plain(tensor.clone());
        }
        let flat = tensor.flatten_all()?;
        let dtype = tensor.dtype();
        let bytes: Vec<u8> = match dtype {
            DType::BF16 => {
                flat.to_vec1::<bf16>()?.into_iter().flat_map(bf16::to_le_bytes).collect()
            }
            DType::F16 => flat.to_vec1::<f16>()?.into_iter().flat_map(f16::to_le_bytes).collect(),
            _ => flat.to_vec1::<f32>()?.into_iter().flat_map(f32::to_le_bytes).collect(),
        };
        Self::pack(&[WeightPart { bytes: &bytes, dtype, rows }], input_size)
    }

    /// How many numbers it makes of a row.
    pub fn output_size(&self) -> usize {
        self.output_size
    }

    /// How many numbers of a row it reads.
    pub fn input_size(&self) -> usize {
        self.input_size
    }

    /// How many panels there are.
    pub(in crate::ops) fn panels(&self) -> usize {
        self.output_size.div_ceil(COLUMNS)
    }
}

/// Packs in parallel, panel by panel. Outputs beyond the last are zero.
fn panels<T: Readable>(parts: &[WeightPart<'_>], input_size: usize) -> Result<Aligned<T>> {
    let output_size: usize = parts.iter().map(|part| part.rows).sum();
    let panel_size = input_size * COLUMNS;
    let mut packed = Aligned::<T>::zeros(output_size.div_ceil(COLUMNS) * panel_size);
    if panel_size == 0 {
        return Ok(packed);
    }
    // Where each output's numbers are.
    let rows: Vec<(&[u8], DType)> = parts
        .iter()
        .flat_map(|part| {
            let row_bytes = input_size * part.dtype.size_in_bytes();
            part.bytes.chunks_exact(row_bytes).map(|row| (row, part.dtype))
        })
        .collect();
    if let Some((_, dtype)) =
        rows.iter().find(|(_, dtype)| !matches!(dtype, DType::F32 | DType::BF16 | DType::F16))
    {
        candle_core::bail!("weights of type {dtype:?} cannot be packed")
    }
    packed.par_chunks_mut(panel_size).zip(rows.par_chunks(COLUMNS)).for_each(|(panel, rows)| {
        // A cache line of each row at a time: both sides then stay in the nearest cache.
        for first in (0..input_size).step_by(COLUMNS) {
            let part = first..(first + COLUMNS).min(input_size);
            for (column, (row, dtype)) in rows.iter().enumerate() {
                let kept = panel[first * COLUMNS + column..].iter_mut().step_by(COLUMNS);
                T::read(row, *dtype, part.clone(), kept);
            }
        }
    });
    Ok(packed)
}

/// What numbers in a file can be read as.
trait Readable: Stored + Plain {
    /// Reads the numbers `part` of a row.
    fn read<'a>(
        row: &[u8],
        dtype: DType,
        part: std::ops::Range<usize>,
        kept: impl Iterator<Item = &'a mut Self>,
    );
}

fn two(bytes: &[u8]) -> impl Iterator<Item = [u8; 2]> {
    bytes.as_chunks::<2>().0.iter().copied()
}

fn fill<'a, T: 'a>(kept: impl Iterator<Item = &'a mut T>, numbers: impl Iterator<Item = T>) {
    for (kept, number) in kept.zip(numbers) {
        *kept = number;
    }
}

impl Readable for f32 {
    fn read<'a>(
        row: &[u8],
        dtype: DType,
        part: std::ops::Range<usize>,
        kept: impl Iterator<Item = &'a mut Self>,
    ) {
        let bytes = dtype.size_in_bytes();
        let row = &row[part.start * bytes..part.end * bytes];
        match dtype {
            DType::BF16 => fill(kept, two(row).map(|two| bf16::from_le_bytes(two).to_f32())),
            DType::F16 => fill(kept, two(row).map(|two| f16::from_le_bytes(two).to_f32())),
            _ => fill(kept, row.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four))),
        }
    }
}

macro_rules! readable_half {
    ($type:ty) => {
        impl Readable for $type {
            fn read<'a>(
                row: &[u8],
                _: DType,
                part: std::ops::Range<usize>,
                kept: impl Iterator<Item = &'a mut Self>,
            ) {
                fill(kept, two(&row[2 * part.start..2 * part.end]).map(Self::from_le_bytes));
            }
        }
    };
}

readable_half!(bf16);
readable_half!(f16);
