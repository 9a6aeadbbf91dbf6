//! Blocks of 32 outputs side by side.
//!
//! A unit holds one block of each of 32 outputs. It begins with the blocks' steps and floors, then
//! the groups' factors, each part 32 columns wide. Quants follow in planes: the lower bits of all,
//! then the upper. A plane has rows of 16 bytes. Four depths, which are eight vectors of 16
//! columns, share rows: with `b` bits, vector `v` is in row `b · v / 8`, above `b · v mod 8` other
//! bits.

use std::array;

use super::block::Blocks;
use super::format::{Factors, Format};
use super::scale::Scale;
use crate::ops::simd::vectorised;
use crate::ops::tile::{COLUMNS, VECTOR};

/// Depths whose quants share rows.
pub(super) const QUAD: usize = 4;
/// Bytes of the largest block in a file.
const MOST_BLOCK_BYTES: usize = 292;
/// Where the parts of a unit begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) floors: usize,
    pub(super) factors: usize,
    pub(super) low: usize,
    pub(super) high: usize,
    /// All bytes of a unit.
    pub(super) bytes: usize,
}

impl Parts {
    /// Where the parts of a unit of `format` begin.
    pub(super) fn of(format: Format) -> Self {
        let plane = |bits: usize| format.depth * COLUMNS * bits / 8;
        let floors = COLUMNS * if format.wide_step { 4 } else { 2 };
        let factors = floors + if format.floor { 2 * COLUMNS } else { 0 };
        let low = factors + format.factors.rows() * format.groups() * COLUMNS;
        let high = low + plane(format.bits.0);
        Self { floors, factors, low, high, bytes: high + plane(format.bits.1) }
    }
}

vectorised! {
    /// Puts up to 32 `rows` of blocks into the units of a panel of zeros.
    pub(super) fn put(format: Format, panel: &mut [u8], rows: &[&[u8]]) {
        let mut bytes = [[0; COLUMNS]; MOST_BLOCK_BYTES];
        let bytes = &mut bytes[..format.block_bytes];
        let mut blocks = Blocks::new();
        let parts = Parts::of(format);
        for (index, unit) in panel.chunks_exact_mut(parts.bytes).enumerate() {
            for (column, row) in rows.iter().enumerate() {
                let block = &row[index * format.block_bytes..][..format.block_bytes];
                for (kept, byte) in bytes.iter_mut().zip(block) {
                    kept[column] = *byte;
                }
            }
            blocks.read(format, bytes);
            put_blocks(format, &parts, unit, &blocks);
        }
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn put_blocks(format: Format, parts: &Parts, unit: &mut [u8], blocks: &Blocks<COLUMNS>) {
    let step_bytes = if format.wide_step { 4 } else { 2 };
    let beside = |kept: &mut [u8], parts: &[[u8; COLUMNS]]| {
        for (byte, part) in parts.iter().enumerate() {
            let kept = kept[byte..].iter_mut().step_by(parts.len());
            kept.zip(part).for_each(|(kept, part)| *kept = *part);
        }
    };
    beside(unit, &blocks.step[..step_bytes]);
    if format.floor {
        beside(&mut unit[parts.floors..parts.factors], &blocks.floor);
    }
    let groups = format.groups();
    let factors = unit[parts.factors..parts.low].as_chunks_mut::<COLUMNS>().0;
    let (steps, floors) = (&blocks.step_factors[..groups], &blocks.floor_factors[..groups]);
    match format.factors {
        Factors::One => {}
        Factors::Nibbles => {
            for (kept, (steps, floors)) in factors.iter_mut().zip(steps.iter().zip(floors)) {
                *kept = array::from_fn(|column| steps[column] | floors[column] << 4);
            }
        }
        Factors::Steps => factors.copy_from_slice(steps),
        Factors::StepsAndFloors => {
            factors[..groups].copy_from_slice(steps);
            factors[groups..].copy_from_slice(floors);
        }
    }
    let (low, high) = format.bits;
    let planes = [(parts.low, low, 0), (parts.high, high, low)];
    for (start, bits, lower) in planes.into_iter().filter(|(_, bits, _)| *bits > 0) {
        for (depth, quants) in blocks.quants[..format.depth].iter().enumerate() {
            for (half, quants) in quants.as_chunks::<VECTOR>().0.iter().enumerate() {
                let vector = depth % QUAD * (COLUMNS / VECTOR) + half;
                let (row, shift) = (depth / QUAD * bits + vector * bits / 8, vector * bits % 8);
                let row = &mut unit[start + row * VECTOR..][..VECTOR];
                for (kept, quant) in row.iter_mut().zip(quants) {
                    *kept |= (quant >> lower & mask(bits)) << shift;
                }
            }
        }
    }
}

/// The number at `depth` of a `column`.
pub(super) fn number(
    format: Format,
    parts: &Parts,
    unit: &[u8],
    depth: usize,
    column: usize,
) -> f32 {
    let vector = depth % QUAD * (COLUMNS / VECTOR) + column / VECTOR;
    let plane = |start: usize, bits: usize| {
        let row = depth / QUAD * bits + vector * bits / 8;
        unit[start + row * VECTOR + column % VECTOR] >> (vector * bits % 8) & mask(bits)
    };
    let (low, high) = format.bits;
    let mut quant = plane(parts.low, low);
    if high > 0 {
        quant |= plane(parts.high, high) << low;
    }
    let columns = column..column + 1;
    let scale = Scale::of(format, parts, unit, columns.clone());
    let scale = scale.of_group(format, parts, unit, depth / format.group, columns);
    (f32::from(quant) - f32::from(format.offset)) * scale.steps[0] - scale.floors[0]
}

/// The lowest `bits` bits.
pub(super) const fn mask(bits: usize) -> u8 {
    (0xff_u16 >> (8 - bits)) as u8
}
