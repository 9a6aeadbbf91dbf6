//! Products of a panel with rows that were rounded: whole numbers within a block, f32 between blocks.
//!
//! These are the plain loops that the vector code in `rounded_vectors` is compared with. The sum of a block is
//! exact. It is scaled by the steps of both sides and added in one rounding, block after block, so a row's
//! products do not depend on the rows beside it.

use super::format::{Factors, Format};
use super::rounded_rows::RoundedRows;
use super::scale::Scale;
use super::unit::{Parts, WORDS_BYTES};
use super::words::{SPAN, octet_place};
use crate::ops::simd::{InstructionSet, vectorised};
use crate::ops::tile::COLUMNS;

vectorised! {
    /// Puts the products of some rows with a panel into `products`, `[row][32]`.
    pub(super) fn multiply(
        format: Format,
        parts: &Parts,
        panel: &[u8],
        rows: &RoundedRows,
        products: &mut [f32],
        instructions: InstructionSet,
    ) {
        let spans = rows.spans;
        let count = rows.numbers.len() / spans.max(1);
        let products = products.as_chunks_mut::<COLUMNS>().0;
        for (row, products) in products.iter_mut().take(count).enumerate() {
            let mut sums = [0.0; COLUMNS];
            for (block, unit) in panel.chunks_exact(parts.bytes).enumerate() {
                let first = row * spans + block * (format.depth / SPAN);
                let scale = Scale::of(format, parts, unit, 0..COLUMNS);
                let whole = whole_sums(format, parts, unit, rows, first);
                let step = rows.steps[first];
                for (column, sum) in sums.iter_mut().enumerate() {
                    let product = whole.products[column] as f32;
                    *sum = instructions.fused(scale.steps[column] * step, product, *sum);
                    if format.floor {
                        let (floor, total) = if format.depth == SPAN {
                            (scale.floors[column], rows.totals[first])
                        } else {
                            (scale.floors[column] * step, whole.floors[column] as f32)
                        };
                        *sum = instructions.fused(-floor, total, *sum);
                    }
                }
            }
            *products = sums;
        }
    }
}

/// What a block of each column sums to, in steps and in floors of the block.
struct WholeSums {
    products: [i32; COLUMNS],
    floors: [i32; COLUMNS],
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn whole_sums(
    format: Format,
    parts: &Parts,
    unit: &[u8],
    rows: &RoundedRows,
    first: usize,
) -> WholeSums {
    let words = unit[parts.words..].as_chunks::<WORDS_BYTES>().0;
    let mut found = WholeSums { products: [0; COLUMNS], floors: [0; COLUMNS] };
    for group in 0..format.groups() {
        let mut dots = [0; COLUMNS];
        let mut total = 0;
        for depth in group * format.group..(group + 1) * format.group {
            let (span, place) = (depth / SPAN, depth % SPAN);
            let number = i32::from(rows.numbers[first + span][octet_place(place)]);
            total += number;
            let mut quants = [0; COLUMNS];
            for piece in format.pieces(place).into_iter().filter(|piece| piece.bits > 0) {
                let row = &words[span * format.bits + piece.word];
                for (quant, &word) in quants.iter_mut().zip(row.as_chunks::<4>().0) {
                    *quant |= piece.take(u32::from_le_bytes(word));
                }
            }
            for (dot, quant) in dots.iter_mut().zip(quants) {
                *dot += quant.cast_signed() * number;
            }
        }
        let factors = |row: usize| &unit[parts.factors + row * COLUMNS..][..COLUMNS];
        let offset = i32::from(format.offset);
        for (column, dot) in dots.into_iter().enumerate() {
            let (step, floor) = match format.factors {
                Factors::One => (1, 1),
                Factors::Steps => (i32::from(factors(group)[column].cast_signed()), 0),
                Factors::StepsAndFloors => (
                    i32::from(factors(group)[column]),
                    i32::from(factors(format.groups() + group)[column]),
                ),
                Factors::Nibbles => {
                    let both = i32::from(factors(group)[column]);
                    (both & 15, both >> 4)
                }
            };
            found.products[column] += step * (dot - offset * total);
            found.floors[column] += floor * total;
        }
    }
    found
}
