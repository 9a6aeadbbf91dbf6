//! Panels of numbers that are stored one by one.
//!
//! Each panel stands by itself and is read from front to back. Numbers keep the type they are stored
//! in, so memory stays as large as the file; halves are widened exactly when they are read.

use std::ops::Range;

use candle_core::Result;
use candle_core::quantized::GgmlDType;
use half::{bf16, f16};
use rayon::prelude::*;

use super::WeightPart;
use super::panels::{BlockSize, Panels};
use super::stored_bytes::{Stretch, stretches};
use crate::ops::aligned::{Aligned, Plain};
use crate::ops::simd::InstructionSet;
use crate::ops::tile::{COLUMNS, Stored};

/// A packed matrix `(out, in)`, `[out / 32][in][32]`. Outputs beyond the last are zero.
#[derive(Debug)]
pub(in crate::ops) struct Dense<T> {
    input_size: usize,
    numbers: Aligned<T>,
}

impl<T: Readable> Dense<T> {
    /// Packs in parallel, panel by panel.
    pub(super) fn pack(parts: &[WeightPart<'_>], input_size: usize) -> Result<Self> {
        let output_size: usize = parts.iter().map(|part| part.rows).sum();
        let panel_size = input_size * COLUMNS;
        let mut numbers = Aligned::<T>::zeros(output_size.div_ceil(COLUMNS) * panel_size);
        if panel_size == 0 {
            return Ok(Self { input_size, numbers });
        }
        if let Some(part) = parts.iter().find(|part| part.dtype.block_size() > 1) {
            candle_core::bail!("weights of type {:?} do not stand one by one", part.dtype)
        }
        numbers.par_chunks_mut(panel_size).enumerate().try_for_each_init(
            Vec::new,
            |scratch, (number, panel)| {
                let outputs = number * COLUMNS..(number + 1) * COLUMNS;
                stretches(parts, outputs)
                    .try_for_each(|stretch| pack_rows(&stretch, input_size, panel, scratch))
            },
        )?;
        Ok(Self { input_size, numbers })
    }
}

/// Puts the rows of `stretch` into their columns of `panel`.
fn pack_rows<T: Readable>(
    stretch: &Stretch<'_>,
    input_size: usize,
    panel: &mut [T],
    scratch: &mut Vec<u8>,
) -> Result<()> {
    let row_bytes = stretch.row_bytes(input_size);
    stretch.read(input_size, scratch)?;
    // A cache line of each row at a time: both sides then stay in the nearest cache.
    for first in (0..input_size).step_by(COLUMNS) {
        let part = first..(first + COLUMNS).min(input_size);
        for (row, column) in scratch.chunks_exact(row_bytes).zip(stretch.first..) {
            let kept = panel[first * COLUMNS + column..].iter_mut().step_by(COLUMNS);
            T::read(row, stretch.part.dtype, part.clone(), kept);
        }
    }
    Ok(())
}

impl<T: Stored + Plain> Panels for Dense<T> {
    type Number = T;

    /// With 32 columns, 128 KiB of f32.
    const CHUNK: usize = 1024;

    /// With AVX-512 most of a core's own second-level cache. With AVX2, whose kernel comes to a chunk four
    /// times a tile, a core's share of the last-level cache: what counts is that panels are fetched less often.
    fn block(instructions: InstructionSet) -> BlockSize {
        let bytes = match instructions {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => 3 << 20,
            _ => 640 << 10,
        };
        BlockSize { bytes, is_read_as_it_lies: true }
    }

    fn chunk<'a>(&'a self, panel: usize, depth: Range<usize>, _: &'a mut Aligned<f32>) -> &'a [T] {
        let first = panel * self.input_size;
        &self.numbers[(first + depth.start) * COLUMNS..(first + depth.end) * COLUMNS]
    }

    fn read_output(&self, output: usize, numbers: &mut [f32]) {
        let panel = output / COLUMNS * self.input_size * COLUMNS;
        let kept = self.numbers[panel + output % COLUMNS..].iter().step_by(COLUMNS);
        for (number, kept) in numbers.iter_mut().zip(kept) {
            *number = kept.widen();
        }
    }

    fn input_size(&self) -> usize {
        self.input_size
    }
}

/// What numbers in a file can be read as.
pub(in crate::ops) trait Readable: Stored + Plain {
    /// Reads the numbers `part` of a row.
    fn read<'a>(
        row: &[u8],
        dtype: GgmlDType,
        part: Range<usize>,
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
        dtype: GgmlDType,
        part: Range<usize>,
        kept: impl Iterator<Item = &'a mut Self>,
    ) {
        let bytes = dtype.type_size();
        let row = &row[part.start * bytes..part.end * bytes];
        match dtype {
            GgmlDType::BF16 => fill(kept, two(row).map(|two| bf16::from_le_bytes(two).to_f32())),
            GgmlDType::F16 => fill(kept, two(row).map(|two| f16::from_le_bytes(two).to_f32())),
            _ => fill(kept, row.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four))),
        }
    }
}

macro_rules! readable_half {
    ($type:ty) => {
        impl Readable for $type {
            fn read<'a>(
                row: &[u8],
                _: GgmlDType,
                part: Range<usize>,
                kept: impl Iterator<Item = &'a mut Self>,
            ) {
                fill(kept, two(&row[2 * part.start..2 * part.end]).map(Self::from_le_bytes));
            }
        }
    };
}

readable_half!(bf16);
readable_half!(f16);
