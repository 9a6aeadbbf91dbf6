//! Panels of units widened to f32, for the kernel or on the way to the sums of a few rows.
//!
//! What is here are plain loops over the columns, which every processor can run, and which the vector
//! code in `vectors` is compared with. Products of quants and steps have at most 24 bits, so only
//! taking the floor away rounds, and it does not matter whether it is fused with the product.

use std::ops::Range;

use super::format::Format;
use super::scale::Scale;
use super::unit::{Parts, WORDS_BYTES};
use super::words::SPAN;
use crate::ops::simd::{InstructionSet, vectorised};
use crate::ops::tile::COLUMNS;

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
        let numbers = numbers.as_chunks_mut::<COLUMNS>().0;
        let depths = first..first + numbers.len();
        let mut numbers = numbers.iter_mut();
        for_each_depth(format, parts, panel, depths, |_, columns| {
            if let Some(kept) = numbers.next() {
                *kept = *columns;
            }
        });
    }

    /// Puts the products of a few rows with a panel into `products`, `[row][32]`, summed as the kernel
    /// with `instructions` sums them. The numbers of `rows` stand side by side, depth by depth.
    pub(super) fn multiply(
        format: Format,
        parts: &Parts,
        panel: &[u8],
        count: usize,
        rows: &[f32],
        products: &mut [f32],
        instructions: InstructionSet,
    ) {
        let products = &mut products.as_chunks_mut::<COLUMNS>().0[..count];
        products.fill([0.0; COLUMNS]);
        for_each_depth(format, parts, panel, 0..rows.len() / count, |depth, columns| {
            for (number, sums) in rows[depth * count..].iter().zip(&mut *products) {
                for (sum, column) in sums.iter_mut().zip(columns) {
                    *sum = instructions.fused(*number, *column, *sum);
                }
            }
        });
    }
}

/// Calls `each` with each of `depths` and its numbers.
#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn for_each_depth(
    format: Format,
    parts: &Parts,
    panel: &[u8],
    depths: Range<usize>,
    mut each: impl FnMut(usize, &[f32; COLUMNS]),
) {
    let offset = f32::from(format.offset);
    let (mut blocks, mut scale) = (Scale::ZERO, Scale::ZERO);
    for depth in depths.clone() {
        let (block, inside) = (depth / format.depth, depth % format.depth);
        let unit = &panel[block * parts.bytes..][..parts.bytes];
        if depth == depths.start || inside == 0 {
            blocks = Scale::of(format, parts, unit, 0..COLUMNS);
        }
        if depth == depths.start || inside.is_multiple_of(format.group) {
            scale = blocks.of_group(format, parts, unit, inside / format.group, 0..COLUMNS);
        }
        let words = unit[parts.words..].as_chunks::<WORDS_BYTES>().0;
        let mut quants = [0_u32; COLUMNS];
        for piece in format.pieces(inside % SPAN).into_iter().filter(|piece| piece.bits > 0) {
            let row = &words[inside / SPAN * format.bits + piece.word];
            for (quant, &word) in quants.iter_mut().zip(row.as_chunks::<4>().0) {
                *quant |= piece.take(u32::from_le_bytes(word));
            }
        }
        let mut numbers = [0.0; COLUMNS];
        for (column, number) in numbers.iter_mut().enumerate() {
            *number = (quants[column] as f32 - offset) * scale.steps[column] - scale.floors[column];
        }
        each(depth, &numbers);
    }
}
