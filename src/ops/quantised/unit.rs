//! Blocks of 32 outputs side by side.
//!
//! A unit holds one block of each of 32 outputs. It begins with the blocks' steps and floors, then
//! the groups' factors, each part 32 columns wide. Quants follow in planes: the lower bits of all,
//! then the upper. A plane has rows of 16 bytes. Four depths, which are eight vectors of 16
//! columns, share rows: with `b` bits, vector `v` is in row `b · v / 8`, above `b · v mod 8` other
//! bits.

use super::block::Block;
use super::format::{Factors, Format};
use crate::ops::simd::vectorised;
use crate::ops::tile::{COLUMNS, VECTOR};

/// Depths whose quants share rows.
const QUAD: usize = 4;
/// Vectors of 16 columns of four depths.
const VECTORS: usize = QUAD * COLUMNS / VECTOR;

/// Where the parts of a unit begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    floors: usize,
    factors: usize,
    low: usize,
    high: usize,
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

/// Puts blocks, one for each column from the first, into a unit of zeros.
pub(super) fn put(format: Format, unit: &mut [u8], blocks: &[Block]) {
    let parts = Parts::of(format);
    let step_bytes = if format.wide_step { 4 } else { 2 };
    let groups = format.groups();
    for (column, block) in blocks.iter().enumerate() {
        unit[column * step_bytes..][..step_bytes].copy_from_slice(&block.step[..step_bytes]);
        if format.floor {
            unit[parts.floors + 2 * column..][..2].copy_from_slice(&block.floor.to_le_bytes());
        }
        for group in 0..groups {
            let row = parts.factors + group * COLUMNS + column;
            match format.factors {
                Factors::One => {}
                Factors::Nibbles => unit[row] = block.nibbles(group),
                Factors::Steps | Factors::StepsAndFloors => {
                    unit[row] = block.step_factors[group].cast_unsigned();
                }
            }
            if format.factors == Factors::StepsAndFloors {
                unit[row + groups * COLUMNS] = block.floor_factors[group];
            }
        }
    }
    let (low, high) = format.bits;
    let planes = [(parts.low, low, 0), (parts.high, high, low)];
    for (start, bits, lower) in planes.into_iter().filter(|(_, bits, _)| *bits > 0) {
        for depth in 0..format.depth {
            for (half, blocks) in blocks.chunks(VECTOR).enumerate() {
                let vector = depth % QUAD * (COLUMNS / VECTOR) + half;
                let (row, shift) = (depth / QUAD * bits + vector * bits / 8, vector * bits % 8);
                let row = &mut unit[start + row * VECTOR..][..VECTOR];
                for (kept, block) in row.iter_mut().zip(blocks) {
                    *kept |= (block.quants[depth] >> lower & mask(bits)) << shift;
                }
            }
        }
    }
}

/// The number at `depth` of a `column`.
pub(super) fn number(format: Format, unit: &[u8], depth: usize, column: usize) -> f32 {
    let parts = Parts::of(format);
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
    let scale = Scale::of(format, &parts, unit, depth / format.group, column..column + 1);
    (f32::from(quant) - f32::from(format.offset)) * scale.steps[0] - scale.floors[0]
}

/// The lowest `bits` bits.
const fn mask(bits: usize) -> u8 {
    (0xff_u16 >> (8 - bits)) as u8
}

vectorised! {
    /// Widens a unit, `[depth][32]`.
    pub(super) fn widen(format: Format, unit: &[u8], numbers: &mut [f32]) {
        match format.bits {
            (2, 0) => widen_bits::<2, 0>(format, unit, numbers),
            (2, _) => widen_bits::<2, 1>(format, unit, numbers),
            (4, 0) => widen_bits::<4, 0>(format, unit, numbers),
            (4, 1) => widen_bits::<4, 1>(format, unit, numbers),
            (4, _) => widen_bits::<4, 2>(format, unit, numbers),
            _ => widen_bits::<8, 0>(format, unit, numbers),
        }
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn widen_bits<const LOW: usize, const HIGH: usize>(
    format: Format,
    unit: &[u8],
    numbers: &mut [f32],
) {
    let parts = Parts::of(format);
    let offset = f32::from(format.offset);
    let rows = |start: usize, end: usize| unit[start..end].as_chunks::<VECTOR>().0;
    let (low, high) = (rows(parts.low, parts.high), rows(parts.high, parts.bytes));
    let quads = format.group / QUAD;
    let groups = numbers.chunks_exact_mut(format.group * COLUMNS).enumerate();
    for (group, numbers) in groups {
        let Scale { steps, floors } = Scale::of(format, &parts, unit, group, 0..COLUMNS);
        let numbers = numbers.as_chunks_mut::<{ QUAD * COLUMNS }>().0;
        for (quad, numbers) in (group * quads..).zip(numbers) {
            let Some(low) = low.get(quad * LOW..(quad + 1) * LOW) else { return };
            let Some(high) = high.get(quad * HIGH..(quad + 1) * HIGH) else { return };
            let vectors = numbers.as_chunks_mut::<VECTOR>().0;
            for vector in 0..VECTORS {
                let first = vector * VECTOR % COLUMNS;
                for (column, number) in vectors[vector].iter_mut().enumerate() {
                    let mut quant = low[vector * LOW / 8][column] >> (vector * LOW % 8) & mask(LOW);
                    if HIGH > 0 {
                        let upper = high[vector * HIGH / 8][column] >> (vector * HIGH % 8);
                        quant |= (upper & mask(HIGH)) << (LOW % 8);
                    }
                    let (step, floor) = (steps[first + column], floors[first + column]);
                    *number = (f32::from(quant) - offset) * step - floor;
                }
            }
        }
    }
}

/// The steps and floors of one group of some columns.
struct Scale {
    steps: [f32; COLUMNS],
    floors: [f32; COLUMNS],
}

impl Scale {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
    fn of(
        format: Format,
        parts: &Parts,
        unit: &[u8],
        group: usize,
        columns: std::ops::Range<usize>,
    ) -> Self {
        let mut scale = Self { steps: [0.0; COLUMNS], floors: [0.0; COLUMNS] };
        let Self { steps, floors } = &mut scale;
        if format.wide_step {
            let wide = &unit.as_chunks::<4>().0[columns.clone()];
            steps.iter_mut().zip(wide).for_each(|(step, &wide)| *step = f32::from_le_bytes(wide));
        } else {
            let halves = &unit.as_chunks::<2>().0[columns.clone()];
            steps.iter_mut().zip(halves).for_each(|(step, &half)| *step = widen_half(half));
        }
        if format.floor {
            let halves = &unit[parts.floors..parts.factors].as_chunks::<2>().0[columns.clone()];
            floors.iter_mut().zip(halves).for_each(|(floor, &half)| *floor = widen_half(half));
        }
        let row = |row: usize| &unit[parts.factors + row * COLUMNS..][..COLUMNS][columns.clone()];
        match format.factors {
            Factors::One => {}
            Factors::Nibbles => {
                for ((step, floor), &both) in steps.iter_mut().zip(floors).zip(row(group)) {
                    *step *= f32::from(both & 15);
                    *floor *= f32::from(both >> 4);
                }
            }
            Factors::Steps | Factors::StepsAndFloors => {
                for (step, &factor) in steps.iter_mut().zip(row(group)) {
                    *step *= f32::from(factor.cast_signed());
                }
                if format.factors == Factors::StepsAndFloors {
                    for (floor, &factor) in floors.iter_mut().zip(row(format.groups() + group)) {
                        *floor *= f32::from(factor);
                    }
                }
            }
        }
        scale
    }
}

/// An f16 as f32, by arithmetic that becomes vector code.
#[inline]
fn widen_half(bytes: [u8; 2]) -> f32 {
    /// 2¹¹²: what lies between the exponents of the two types.
    const SHIFT: f32 = f32::from_bits(0x7780_0000);
    let bits = u32::from(u16::from_le_bytes(bytes));
    let finite = (f32::from_bits((bits & 0x7fff) << 13) * SHIFT).to_bits();
    // The largest exponent means infinity or no number.
    let special = if bits & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(finite | special | (bits & 0x8000) << 16)
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::*;

    #[test]
    fn halves_are_widened_exactly() {
        for bits in 0..=u16::MAX {
            let (found, expected) = (widen_half(bits.to_le_bytes()), f16::from_bits(bits).to_f32());
            assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan());
        }
    }
}
