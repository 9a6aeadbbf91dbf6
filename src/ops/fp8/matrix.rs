//! A matrix of 8-bit floats, `(out, in)`, ready to be multiplied with.
//!
//! 32 outputs stand side by side, as in the panels of other weights: codes as `[in][32]`, and for each block of inputs
//! the scales of the 32 outputs.

use std::ops::Range;

use candle_core::Result;
use rayon::prelude::*;

use super::widen;
use crate::ops::aligned::Aligned;
use crate::ops::linear::{BlockSize, Fp8Part, Panels};
use crate::ops::simd::{InstructionSet, vectorised};
use crate::ops::tile::COLUMNS;

/// Depth of a chunk; see `quantised/matrix`.
const CHUNK: usize = 128;
/// Bytes that a block of rows should fill; likewise.
const BLOCK_BYTES: usize = 3 << 20;

/// A matrix of codes with their scales.
#[derive(Debug)]
pub(in crate::ops) struct Fp8Matrix {
    input_size: usize,
    /// Inputs that share a scale.
    block_inputs: usize,
    codes: Aligned<u8>,
    scales: Aligned<f32>,
}

impl Fp8Matrix {
    /// Packs parts, one below the other, in parallel. An error where their scales have blocks of different depth.
    pub(in crate::ops) fn pack(parts: &[Fp8Part<'_>], input_size: usize) -> Result<Self> {
        let block_inputs = parts.first().map_or(1, |part| part.scales.block_inputs());
        if parts.iter().any(|part| part.scales.block_inputs() != block_inputs) {
            candle_core::bail!("scales of one matrix that belong to blocks of different depth")
        }
        if parts.iter().any(|part| part.codes.count() != part.rows * input_size) {
            candle_core::bail!("a weight's bytes do not fit its shape")
        }
        let output_size: usize = parts.iter().map(|part| part.rows).sum();
        let panels = output_size.div_ceil(COLUMNS);
        let (panel_codes, panel_scales) =
            (input_size * COLUMNS, input_size.div_ceil(block_inputs) * COLUMNS);
        let mut codes = Aligned::zeros(panels * panel_codes);
        let mut scales = Aligned::zeros(panels * panel_scales);
        if panel_codes > 0 {
            let panels = codes.par_chunks_mut(panel_codes).zip(scales.par_chunks_mut(panel_scales));
            panels.enumerate().try_for_each_init(
                || vec![0; input_size],
                |row_codes, (panel, (codes, scales))| {
                    let outputs = panel * COLUMNS..((panel + 1) * COLUMNS).min(output_size);
                    for (column, output) in outputs.enumerate() {
                        let (part, row) = place(parts, output);
                        part.codes.read(row * input_size, row_codes)?;
                        let kept = codes[column..].iter_mut().step_by(COLUMNS);
                        kept.zip(&*row_codes).for_each(|(kept, code)| *kept = *code);
                        let kept = scales[column..].iter_mut().step_by(COLUMNS);
                        for (block, kept) in kept.enumerate() {
                            *kept = part.scales.at(row, block * block_inputs);
                        }
                    }
                    Ok::<(), candle_core::Error>(())
                },
            )?;
        }
        Ok(Self { input_size, block_inputs, codes, scales })
    }

    /// Bytes that a number of outputs takes.
    pub(in crate::ops) fn bytes(outputs: usize, input_size: usize, block_inputs: usize) -> usize {
        let scales = input_size.div_ceil(block_inputs.max(1)) * size_of::<f32>();
        outputs.div_ceil(COLUMNS) * COLUMNS * (input_size + scales)
    }

    /// The scales of a panel, those of the block with `depth` first.
    fn scales(&self, panel: usize, depth: usize) -> &[f32] {
        let blocks = self.input_size.div_ceil(self.block_inputs);
        &self.scales[(panel * blocks + depth / self.block_inputs) * COLUMNS..]
    }
}

/// The part that has an output of the whole, which is inside, and its row there.
fn place<'p, 'a>(parts: &'p [Fp8Part<'a>], output: usize) -> (&'p Fp8Part<'a>, usize) {
    let mut row = output;
    for part in parts {
        if row < part.rows {
            return (part, row);
        }
        row -= part.rows;
    }
    unreachable!("an output is one of a part's")
}

vectorised! {
    /// Widens codes, `[depth][32]`, that share `scales`.
    fn widen_codes(codes: &[u8], scales: &[f32], numbers: &mut [f32]) {
        let Some(scales) = scales.first_chunk::<COLUMNS>() else { return };
        let rows = codes.as_chunks::<COLUMNS>().0.iter();
        for (codes, numbers) in rows.zip(numbers.as_chunks_mut::<COLUMNS>().0) {
            for ((number, code), scale) in numbers.iter_mut().zip(codes).zip(scales) {
                *number = widen(*code) * scale;
            }
        }
    }
}

impl Panels for Fp8Matrix {
    type Number = f32;

    const CHUNK: usize = CHUNK;

    fn block(_: InstructionSet) -> BlockSize {
        BlockSize { bytes: BLOCK_BYTES, is_read_as_it_lies: false }
    }

    fn chunk<'a>(
        &'a self,
        panel: usize,
        depth: Range<usize>,
        scratch: &'a mut Aligned<f32>,
    ) -> &'a [f32] {
        let numbers = depth.len() * COLUMNS;
        scratch.reserve(numbers);
        let first = panel * self.input_size;
        let mut start = depth.start;
        while start < depth.end {
            let end = ((start / self.block_inputs + 1) * self.block_inputs).min(depth.end);
            let codes = &self.codes[(first + start) * COLUMNS..(first + end) * COLUMNS];
            let place = (start - depth.start) * COLUMNS..(end - depth.start) * COLUMNS;
            widen_codes(codes, self.scales(panel, start), &mut scratch[place]);
            start = end;
        }
        &scratch[..numbers]
    }

    fn read_output(&self, output: usize, numbers: &mut [f32]) {
        let (panel, column) = (output / COLUMNS, output % COLUMNS);
        let codes = &self.codes[panel * self.input_size * COLUMNS + column..];
        for (depth, number) in numbers.iter_mut().enumerate() {
            *number = widen(codes[depth * COLUMNS]) * self.scales(panel, depth)[column];
        }
    }

    fn input_size(&self) -> usize {
        self.input_size
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Tensor};

    use crate::ops::embedding::embedding;
    use crate::ops::fp8::{Fp8Scales, widen};
    use crate::ops::linear::{Fp8Part, Weight, linear};

    /// Codes of every kind but no numbers.
    fn codes(count: usize, seed: usize) -> Vec<u8> {
        let code = |i: usize| (i * 7919 + seed * 104_729) as u8;
        (0..count).map(|i| if code(i) & 0x7f == 0x7f { 0x31 } else { code(i) }).collect()
    }

    #[test]
    fn products_and_rows_are_those_of_the_widened_numbers() {
        // A block that is deeper than a chunk, one that is not a part of one, one for each matrix, each output.
        for (input_size, block) in
            [(300_usize, [32, 130]), (260, [48, 7]), (64, [75, 64]), (33, [1, 33])]
        {
            let rows = [40_usize, 35];
            let made: Vec<(Vec<u8>, Fp8Scales)> = rows
                .iter()
                .enumerate()
                .map(|(seed, &rows)| {
                    let count = rows.div_ceil(block[0]) * input_size.div_ceil(block[1]);
                    let scales = (0..count).map(|i| 0.003 + i as f32 / 1700.0).collect();
                    let scales = Fp8Scales::new(scales, [rows, input_size], block).unwrap();
                    (codes(rows * input_size, seed), scales)
                })
                .collect();
            let parts: Vec<Fp8Part<'_>> = made
                .iter()
                .zip(rows)
                .map(|((codes, scales), rows)| Fp8Part { codes, scales, rows })
                .collect();
            let packed = Weight::pack_fp8(&parts, input_size).unwrap();
            let widened: Vec<f32> = made
                .iter()
                .flat_map(|(codes, scales)| {
                    let number = |(at, code): (usize, &u8)| {
                        widen(*code) * scales.at(at / input_size, at % input_size)
                    };
                    codes.iter().enumerate().map(number).collect::<Vec<_>>()
                })
                .collect();
            let widened = Tensor::from_vec(widened, (75, input_size), &Device::Cpu).unwrap();
            let plain = Weight::from_tensor(&widened).unwrap();
            let ids = [0u32, 39, 40, 74];
            let found = embedding(&ids, &packed, None).unwrap().to_vec2::<f32>().unwrap();
            assert_eq!(found, embedding(&ids, &plain, None).unwrap().to_vec2::<f32>().unwrap());
            for count in [1, 3, 40] {
                let input = (0..count * input_size).map(|i| (i % 17) as f32 / 8.0 - 1.0).collect();
                let input = Tensor::from_vec(input, (count, input_size), &Device::Cpu).unwrap();
                let found = linear(&input, &packed, None, None).unwrap().to_vec2::<f32>().unwrap();
                let wanted = linear(&input, &plain, None, None).unwrap().to_vec2::<f32>().unwrap();
                assert_eq!(found, wanted, "{input_size} inputs, {count} rows");
            }
        }
    }
}
