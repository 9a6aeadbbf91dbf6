//! A quantised matrix, `(out, in)`, ready to be multiplied with.

use std::ops::Range;

use candle_core::Result;
use rayon::prelude::*;

use super::format::Format;
use super::unit::{self, Parts};
use super::widening;
use crate::ops::aligned::Aligned;
use crate::ops::linear::Panels;
use crate::ops::simd::InstructionSet;
use crate::ops::tile::COLUMNS;

/// Depth of a chunk. Widened, it takes a third of the nearest cache, beside the rows that meet it.
const CHUNK: usize = 128;
/// Bytes that a block of rows should fill: a core's share of the last-level cache. What rows cost to
/// fetch from there is less than what widening a panel for fewer of them costs.
const BLOCK_BYTES: usize = 3 << 20;

/// A quantised matrix. Outputs may have different formats, but not within a panel.
#[derive(Debug)]
pub(in crate::ops) struct Quantised {
    input_size: usize,
    /// Panels of one format, first to last.
    runs: Vec<Run>,
}

#[derive(Debug)]
struct Run {
    format: Format,
    parts: Parts,
    first_panel: usize,
    panel_bytes: usize,
    bytes: Aligned<u8>,
}

impl Quantised {
    /// Packs outputs of one format after another, in parallel; so many of each format, and all but the
    /// last fill whole panels. `read` fills a buffer with the rows of blocks of some outputs and
    /// nothing else.
    pub(in crate::ops) fn pack(
        formats: &[(Format, usize)],
        input_size: usize,
        read: impl Fn(Range<usize>, &mut Vec<u8>) -> Result<()> + Sync,
    ) -> Result<Self> {
        let mut first = 0;
        let runs = formats
            .iter()
            .map(|&(format, count)| {
                let outputs = first..first + count;
                first = outputs.end;
                Run::pack(format, outputs, input_size, &read)
            })
            .collect::<Result<_>>()?;
        Ok(Self { input_size, runs })
    }

    /// Bytes that a number of outputs takes.
    pub(in crate::ops) fn bytes(format: Format, outputs: usize, input_size: usize) -> usize {
        outputs.div_ceil(COLUMNS) * (input_size / format.depth) * Parts::of(format).bytes
    }

    fn run(&self, panel: usize) -> &Run {
        let after = self.runs.partition_point(|run| run.first_panel <= panel);
        &self.runs[after - 1]
    }
}

impl Panels for Quantised {
    type Number = f32;

    const CHUNK: usize = CHUNK;

    const BLOCK_BYTES: usize = BLOCK_BYTES;

    fn chunk<'a>(
        &'a self,
        panel: usize,
        depth: Range<usize>,
        scratch: &'a mut Aligned<f32>,
    ) -> &'a [f32] {
        let numbers = depth.len() * COLUMNS;
        scratch.reserve(numbers);
        let run = self.run(panel);
        let widened = &mut scratch[..numbers];
        widening::widen(run.format, &run.parts, run.panel(panel), depth.start, widened);
        &scratch[..numbers]
    }

    fn multiply_row(
        &self,
        instructions: InstructionSet,
        panel: usize,
        row: &[f32],
    ) -> Option<[f32; COLUMNS]> {
        let run = self.run(panel);
        let bytes = run.panel(panel);
        Some(widening::multiply_row(run.format, &run.parts, bytes, row, instructions))
    }

    fn read_output(&self, output: usize, numbers: &mut [f32]) {
        let (panel, column) = (output / COLUMNS, output % COLUMNS);
        let run = self.run(panel);
        let blocks = numbers.chunks_exact_mut(run.format.depth);
        let units = run.panel(panel).chunks_exact(run.parts.bytes);
        for (unit, numbers) in units.zip(blocks) {
            for (depth, number) in numbers.iter_mut().enumerate() {
                *number = unit::number(run.format, &run.parts, unit, depth, column);
            }
        }
    }

    fn input_size(&self) -> usize {
        self.input_size
    }
}

impl Run {
    fn pack(
        format: Format,
        outputs: Range<usize>,
        input_size: usize,
        read: &(impl Fn(Range<usize>, &mut Vec<u8>) -> Result<()> + Sync),
    ) -> Result<Self> {
        let parts = Parts::of(format);
        let panel_bytes = input_size / format.depth * parts.bytes;
        let mut bytes = Aligned::zeros(outputs.len().div_ceil(COLUMNS) * panel_bytes);
        if panel_bytes > 0 {
            bytes.par_chunks_mut(panel_bytes).enumerate().try_for_each_init(
                Vec::new,
                |scratch, (number, panel)| {
                    let start = outputs.start + number * COLUMNS;
                    let own = start..(start + COLUMNS).min(outputs.end);
                    let count = own.len();
                    read(own, scratch)?;
                    let rows: Vec<&[u8]> = scratch.chunks_exact(scratch.len() / count).collect();
                    unit::put(format, panel, &rows);
                    Ok::<(), candle_core::Error>(())
                },
            )?;
        }
        Ok(Self { format, parts, first_panel: outputs.start / COLUMNS, panel_bytes, bytes })
    }

    fn panel(&self, panel: usize) -> &[u8] {
        let first = (panel - self.first_panel) * self.panel_bytes;
        &self.bytes[first..first + self.panel_bytes]
    }
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::{GgmlDType, QTensor};
    use candle_core::{Device, Tensor};

    use super::*;
    use crate::ops::quantised;
    use crate::ops::tile::{self, Rows, Tile};

    const FORMATS: &[GgmlDType] = &[
        GgmlDType::Q4_0,
        GgmlDType::Q4_1,
        GgmlDType::Q5_0,
        GgmlDType::Q5_1,
        GgmlDType::Q8_0,
        GgmlDType::Q8_1,
        GgmlDType::Q2K,
        GgmlDType::Q3K,
        GgmlDType::Q4K,
        GgmlDType::Q5K,
        GgmlDType::Q6K,
        GgmlDType::Q8K,
    ];

    fn pack(format: Format, bytes: &[u8], outputs: usize, input_size: usize) -> Quantised {
        let row_bytes = bytes.len() / outputs;
        let read = |outputs: Range<usize>, rows: &mut Vec<u8>| {
            *rows = bytes[outputs.start * row_bytes..outputs.end * row_bytes].to_vec();
            Ok(())
        };
        Quantised::pack(&[(format, outputs)], input_size, read).unwrap()
    }

    #[test]
    fn every_format_widens_to_the_numbers_that_candle_widens_it_to() {
        let (outputs, input_size) = (40, 768);
        let numbers: Vec<f32> = (0..outputs * input_size)
            .map(|i| ((i * 7919) % 65_521) as f32 / 32_760.5 - 1.0 + i as f32 * 1e-5)
            .collect();
        let tensor = Tensor::from_vec(numbers, (outputs, input_size), &Device::Cpu).unwrap();
        for &dtype in FORMATS {
            let blocks = QTensor::quantize(&tensor, dtype).unwrap();
            let expected = blocks.dequantize(&Device::Cpu).unwrap().to_vec2::<f32>().unwrap();
            let format = Format::of(dtype).unwrap();
            let bytes = blocks.data().unwrap();
            assert_eq!(quantised::widen(format, &bytes), expected.concat(), "{dtype:?}");
            let matrix = pack(format, &bytes, outputs, input_size);
            let mut scratch = Aligned::default();
            for panel in 0..2 {
                for first in (0..input_size).step_by(CHUNK) {
                    let chunk = matrix.chunk(panel, first..first + CHUNK, &mut scratch);
                    for (place, number) in chunk.iter().enumerate() {
                        let (depth, output) =
                            (first + place / COLUMNS, panel * COLUMNS + place % COLUMNS);
                        let expected = expected.get(output).map_or(0.0, |row| row[depth]);
                        // Columns without an output may be zero of either sign.
                        let bits = |number: f32| (number + 0.0).to_bits();
                        assert_eq!(bits(*number), bits(expected), "{dtype:?} {output} {depth}");
                    }
                }
            }
            for (output, expected) in expected.iter().enumerate() {
                let mut numbers = vec![0.0; input_size];
                matrix.read_output(output, &mut numbers);
                assert_eq!(&numbers, expected, "{dtype:?}");
            }
        }
    }

    #[test]
    fn a_row_alone_has_the_bits_of_the_kernel() {
        let (outputs, input_size) = (40, 768);
        let number = |i: usize| ((i * 7919) % 65_521) as f32 / 32_760.5 - 1.0;
        let numbers: Vec<f32> = (0..outputs * input_size).map(number).collect();
        let tensor = Tensor::from_vec(numbers, (outputs, input_size), &Device::Cpu).unwrap();
        let row: Vec<f32> = (0..input_size).map(|i| number(i + 77)).collect();
        let mut scratch = Aligned::default();
        for &dtype in FORMATS {
            let blocks = QTensor::quantize(&tensor, dtype).unwrap();
            let bytes = blocks.data().unwrap();
            let matrix = pack(Format::of(dtype).unwrap(), &bytes, outputs, input_size);
            for (instructions, panel) in
                InstructionSet::available().into_iter().flat_map(|set| [(set, 0), (set, 1)])
            {
                let mut expected = [0.0; COLUMNS];
                for first in (0..input_size).step_by(CHUNK) {
                    let tile = Tile {
                        rows: 1,
                        vectors: 2,
                        a: Rows::Packed(&row[first..]),
                        b: &[(matrix.chunk(panel, first..first + CHUNK, &mut scratch), CHUNK)],
                        b_stride: COLUMNS,
                        c_stride: COLUMNS,
                        accumulate: first > 0,
                    };
                    tile::multiply(instructions, &tile, &mut expected);
                }
                let found = matrix.multiply_row(instructions, panel, &row).unwrap();
                let (found, expected) = (found.map(f32::to_bits), expected.map(f32::to_bits));
                assert_eq!(found, expected, "{dtype:?} {instructions:?}");
            }
        }
    }
}
