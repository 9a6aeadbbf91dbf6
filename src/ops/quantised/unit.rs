//! Blocks of 32 outputs side by side.
//!
//! A unit holds one block of each of 32 outputs. It begins with the blocks' steps and floors, then
//! the groups' factors, each part 32 columns wide. Quants follow in rows of 32 words: see `words`.

use std::array;

use super::block::Blocks;
use super::format::{Factors, Format};
use super::scale::Scale;
use super::words::SPAN;
use crate::ops::simd::vectorised;
use crate::ops::tile::COLUMNS;

/// Bytes of the largest block in a file.
const MOST_BLOCK_BYTES: usize = 292;
/// Bytes of a word of each output.
pub(super) const WORDS_BYTES: usize = 4 * COLUMNS;

/// Where the parts of a unit begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) floors: usize,
    pub(super) factors: usize,
    pub(super) words: usize,
    /// All bytes of a unit.
    pub(super) bytes: usize,
}

impl Parts {
    /// Where the parts of a unit of `format` begin.
    pub(super) const fn of(format: Format) -> Self {
        let floors = COLUMNS * if format.wide_step { 4 } else { 2 };
        let factors = floors + if format.floor { 2 * COLUMNS } else { 0 };
        let words = factors + format.factors.rows() * format.groups() * COLUMNS;
        let bytes = words + format.depth / SPAN * format.bits * WORDS_BYTES;
        Self { floors, factors, words, bytes }
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
    let factors = unit[parts.factors..parts.words].as_chunks_mut::<COLUMNS>().0;
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
    let words = unit[parts.words..].as_chunks_mut::<WORDS_BYTES>().0;
    for (place, quants) in blocks.quants[..format.depth].iter().enumerate() {
        for piece in format.pieces(place % SPAN).into_iter().filter(|piece| piece.bits > 0) {
            let row = &mut words[place / SPAN * format.bits + piece.word];
            for (kept, &quant) in row.as_chunks_mut::<4>().0.iter_mut().zip(quants) {
                let word = u32::from_le_bytes(*kept) | piece.place(u32::from(quant));
                *kept = word.to_le_bytes();
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
    let words = unit[parts.words..].as_chunks::<4>().0;
    let quant = format.pieces(depth % SPAN).into_iter().fold(0, |quant, piece| {
        let row = depth / SPAN * format.bits + piece.word;
        quant | piece.take(u32::from_le_bytes(words[row * COLUMNS + column]))
    });
    let columns = column..column + 1;
    let scale = Scale::of(format, parts, unit, columns.clone());
    let scale = scale.of_group(format, parts, unit, depth / format.group, columns);
    (quant as f32 - f32::from(format.offset)) * scale.steps[0] - scale.floors[0]
}
