//! Panels of units widened to f32, for the kernel or on the way to the sums of one row.
//!
//! Everything here is plain loops over vectors of 16 columns, which become vector code.

use std::ops::Range;

use super::format::Format;
use super::scale::Scale;
use super::unit::{Parts, QUAD, mask};
use crate::ops::simd::{InstructionSet, vectorised};
use crate::ops::tile::{COLUMNS, VECTOR};

/// Most depths that are widened together; a group is as many, or half, or a multiple.
const SPAN: usize = 32;
/// 2²³: in front of so few bits they are the last of a number's mantissa, which converts them.
const MANTISSA: f32 = 8_388_608.0;
/// Vectors of 16 columns of four depths.
const VECTORS: usize = QUAD * COLUMNS / VECTOR;

vectorised! {
    /// Widens the blocks of a panel from `first` on, `[depth][32]`. `first` is a multiple of 32, and so is
    /// the depth of `numbers`.
    pub(super) fn widen(
        format: Format,
        parts: &Parts,
        panel: &[u8],
        first: usize,
        numbers: &mut [f32],
    ) {
        let quads = numbers.as_chunks_mut::<{ QUAD * COLUMNS }>().0;
        let depths = first..first + quads.len() * QUAD;
        let mut quads = quads.iter_mut();
        for_each_quad(format, parts, panel, depths, |quad| {
            if let Some(kept) = quads.next() {
                *kept = *quad;
            }
        });
    }

    /// The products of a row with a panel, summed as the kernel with `instructions` sums them. A row's
    /// sums wait for each other, and widening fills the time.
    pub(super) fn multiply_row(
        format: Format,
        parts: &Parts,
        panel: &[u8],
        row: &[f32],
        instructions: InstructionSet,
    ) -> [f32; COLUMNS] {
        let mut sums = [0.0; COLUMNS];
        let mut row = row.as_chunks::<QUAD>().0.iter();
        for_each_quad(format, parts, panel, 0..row.len() * QUAD, |quad| {
            if let Some(numbers) = row.next() {
                for (number, columns) in numbers.iter().zip(quad.as_chunks::<COLUMNS>().0) {
                    for (sum, column) in sums.iter_mut().zip(columns) {
                        *sum = instructions.fused(*number, *column, *sum);
                    }
                }
            }
        });
        sums
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn for_each_quad(
    format: Format,
    parts: &Parts,
    panel: &[u8],
    depths: Range<usize>,
    each: impl FnMut(&[f32; QUAD * COLUMNS]),
) {
    match (format.bits, format.floor) {
        ((2, 0), _) => widen_bits::<2, 0, true>(format, parts, panel, depths, each),
        ((2, _), _) => widen_bits::<2, 1, false>(format, parts, panel, depths, each),
        ((4, 0), false) => widen_bits::<4, 0, false>(format, parts, panel, depths, each),
        ((4, 0), true) => widen_bits::<4, 0, true>(format, parts, panel, depths, each),
        ((4, 1), false) => widen_bits::<4, 1, false>(format, parts, panel, depths, each),
        ((4, 1), true) => widen_bits::<4, 1, true>(format, parts, panel, depths, each),
        ((4, _), _) => widen_bits::<4, 2, false>(format, parts, panel, depths, each),
        _ => widen_bits::<8, 0, false>(format, parts, panel, depths, each),
    }
}

/// Calls `each` with the numbers of every four `depths`, `[4][32]`.
#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn widen_bits<const LOW: usize, const HIGH: usize, const FLOOR: bool>(
    format: Format,
    parts: &Parts,
    panel: &[u8],
    depths: Range<usize>,
    mut each: impl FnMut(&[f32; QUAD * COLUMNS]),
) {
    let zero = MANTISSA + f32::from(format.offset);
    let span = format.group.min(SPAN);
    let quads = span / QUAD;
    let mut scale = Scale::ZERO;
    for first in depths.clone().step_by(span) {
        let (block, depth) = (first / format.depth, first % format.depth);
        let unit = &panel[block * parts.bytes..][..parts.bytes];
        let rows = |start: usize, bits: usize| {
            let rows = unit[start..].as_chunks::<VECTOR>().0;
            &rows[depth / QUAD * bits..][..quads * bits]
        };
        let (low, high) = (rows(parts.low, LOW), rows(parts.high, HIGH));
        if first == depths.start || depth == 0 {
            scale = Scale::of(format, parts, unit, 0..COLUMNS);
        }
        let group = depth / format.group;
        let Scale { steps, floors } = scale.of_group(format, parts, unit, group, 0..COLUMNS);
        for quad in 0..quads {
            let Some(low) = low.get(quad * LOW..(quad + 1) * LOW) else { return };
            let Some(high) = high.get(quad * HIGH..(quad + 1) * HIGH) else { return };
            let mut numbers = [0.0; QUAD * COLUMNS];
            let vectors = numbers.as_chunks_mut::<VECTOR>().0;
            for vector in 0..VECTORS {
                let first = vector * VECTOR % COLUMNS;
                for (column, number) in vectors[vector].iter_mut().enumerate() {
                    let plane = |rows: &[[u8; VECTOR]], bits: usize| {
                        let row = u32::from(rows[vector * bits / 8][column]);
                        row >> (vector * bits % 8) & u32::from(mask(bits))
                    };
                    let mut quant = plane(low, LOW);
                    if HIGH > 0 {
                        quant |= plane(high, HIGH) << LOW;
                    }
                    let quant = f32::from_bits(MANTISSA.to_bits() | quant) - zero;
                    *number = quant * steps[first + column];
                    if FLOOR {
                        *number -= floors[first + column];
                    }
                }
            }
            each(&numbers);
        }
    }
}
