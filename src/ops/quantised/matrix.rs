//! A quantised matrix, `(out, in)`, ready to be multiplied with.

use std::ops::Range;

use candle_core::Result;
use rayon::prelude::*;

use super::format::Format;
use super::rounded_rows::{RoundedRows, Rounding};
use super::unit::{self, Parts};
use super::{rounded_product, rounded_vectors, vectors, widening};
use crate::ops::aligned::Aligned;
use crate::ops::linear::{BlockSize, Panels};
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
        let run = self.run(panel);
        let widened = &mut scratch[..numbers];
        let panel = run.panel(panel);
        if run.format.octets
            || !vectors::widen(InstructionSet::detect(), run.format, panel, depth.start, widened)
        {
            widening::widen(run.format, &run.parts, panel, depth.start, widened);
        }
        &scratch[..numbers]
    }

    fn multiply_few(
        &self,
        instructions: InstructionSet,
        panel: usize,
        (count, rows): (usize, &[f32]),
        products: &mut [f32],
    ) -> bool {
        let run = self.run(panel);
        let panel = run.panel(panel);
        // Words in the order of octets are not what the vector code reads.
        if count > vectors::MOST_ROWS || run.format.octets {
            return false;
        }
        if !vectors::multiply(instructions, run.format, panel, count, rows, products) {
            let parts = &run.parts;
            widening::multiply(run.format, parts, panel, count, rows, products, instructions);
        }
        true
    }

    fn rounding(&self, panel: usize) -> Option<Rounding> {
        let format = self.run(panel).format;
        format.octets.then(|| Rounding::of(format))
    }

    fn multiply_rounded(
        &self,
        instructions: InstructionSet,
        panel: usize,
        rows: &RoundedRows,
        products: &mut [f32],
    ) {
        let run = self.run(panel);
        let panel = run.panel(panel);
        if !rounded_vectors::multiply(instructions, run.format, panel, rows, products) {
            let (format, parts) = (run.format, &run.parts);
            rounded_product::multiply(format, parts, panel, rows, products, instructions);
        }
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
mod tests;
