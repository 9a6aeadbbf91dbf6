//! A block of rows times panels of a weight: the loops around the kernel.
//!
//! A task takes a block of rows and some panels. It copies its rows into tiles of up to 12, in the
//! order in which the kernel reads them. A chunk of a panel then stays in the second-level cache while
//! all tiles pass over it.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use rayon::prelude::*;

use super::panels::{BlockSize, Panels};
use crate::ops::aligned::Aligned;
use crate::ops::quantised::{RoundedRows, Rounding};
use crate::ops::simd::{InstructionSet, vectorised};
use crate::ops::tile::{self, COLUMNS, MOST_ROWS, Rows, Tile};

/// No block of many rows has fewer.
const LEAST_ROWS: usize = 4 * MOST_ROWS;
/// A weight of so many numbers stays in caches however often it is read, and is read by more and smaller blocks of rows.
const SMALL_WEIGHT: usize = 1 << 20;
/// Numbers of a cache line.
const LINE: usize = 16;
/// Multiplications worth a task of their own: several times what it costs to wake a thread.
const TASK_PRODUCTS: usize = 1 << 21;

/// Scratch memory of one thread.
#[derive(Default)]
struct Scratch {
    rows: Aligned<f32>,
    products: Aligned<f32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
    /// A chunk of a panel whose numbers had to be widened.
    static WIDENED: RefCell<Aligned<f32>> = RefCell::default();
}

/// Rows copied for the kernel.
pub(in crate::ops) struct RowBlock<'a> {
    instructions: InstructionSet,
    /// Which of all rows these are.
    pub(in crate::ops) rows: Range<usize>,
    depth: usize,
    numbers: &'a [f32],
    /// The same rows as each kind of blocks wants them rounded.
    rounded: [OnceCell<RoundedRows>; 2],
}

impl<'a> RowBlock<'a> {
    fn pack<'r>(
        numbers: &'a mut Aligned<f32>,
        rows: Range<usize>,
        depth: usize,
        row: impl Fn(usize) -> &'r [f32],
    ) -> Self {
        numbers.reserve(rows.len() * depth);
        let mut rest = &mut numbers[..rows.len() * depth];
        for first in rows.clone().step_by(MOST_ROWS) {
            let count = MOST_ROWS.min(rows.end - first);
            let (tile, others) = rest.split_at_mut(count * depth);
            side_by_side(tile, count, |place| row(first + place));
            rest = others;
        }
        let rounded = [OnceCell::new(), OnceCell::new()];
        Self { instructions: InstructionSet::detect(), rows, depth, numbers, rounded }
    }

    /// Which of all rows some of the block's are.
    pub(in crate::ops) fn among_all(&self, rows: Range<usize>) -> Range<usize> {
        self.rows.start + rows.start..self.rows.start + rows.end
    }

    /// The rows, rounded.
    fn round(&self, rounding: Rounding) -> RoundedRows {
        let mut rows = vec![vec![0.0; self.depth]; self.rows.len()];
        for (tile, rows) in rows.chunks_mut(MOST_ROWS).enumerate() {
            let tile = &self.numbers[tile * MOST_ROWS * self.depth..];
            for (depth, numbers) in tile.chunks_exact(rows.len()).take(self.depth).enumerate() {
                for (row, number) in rows.iter_mut().zip(numbers) {
                    row[depth] = *number;
                }
            }
        }
        RoundedRows::of(rounding, rows.iter().map(Vec::as_slice))
    }

    /// Puts the products with a panel into `products`, `[rows][32]`.
    pub(in crate::ops) fn multiply<P: Panels>(
        &self,
        panels: &P,
        panel: usize,
        products: &mut [f32],
    ) {
        self.multiply_and(panels, panel, products, |_, _| ());
    }

    /// As [`Self::multiply`], and hands the products of some rows of the block to `finish` as soon as they are there: they are in the
    /// nearest cache then.
    pub(in crate::ops) fn multiply_and<P: Panels>(
        &self,
        panels: &P,
        panel: usize,
        products: &mut [f32],
        mut finish: impl FnMut(Range<usize>, &mut [f32]),
    ) {
        let whole = 0..self.rows.len();
        if let Some(rounding) = panels.rounding(panel) {
            let rows = self.rounded[rounding as usize].get_or_init(|| self.round(rounding));
            panels.multiply_rounded(self.instructions, panel, rows, products);
            return finish(whole, products);
        }
        if self.rows.len() <= MOST_ROWS {
            // Scratch memory may be longer than what is in it.
            let rows = (self.rows.len(), &self.numbers[..self.rows.len() * self.depth]);
            if panels.multiply_few(self.instructions, panel, rows, products) {
                return finish(whole, products);
            }
        }
        if self.depth == 0 {
            products.fill(0.0);
            return finish(whole, products);
        }
        WIDENED.with_borrow_mut(|scratch| {
            for depth in (0..self.depth).step_by(P::CHUNK) {
                let end = (depth + P::CHUNK).min(self.depth);
                let b = [(panels.chunk(panel, depth..end, scratch), end - depth)];
                for first in whole.clone().step_by(MOST_ROWS) {
                    let rows = MOST_ROWS.min(self.rows.len() - first);
                    let start = first * self.depth + depth * rows;
                    let tile = Tile {
                        rows,
                        vectors: 2,
                        a: Rows::Packed(&self.numbers[start..]),
                        b: &b,
                        b_stride: COLUMNS,
                        c_stride: COLUMNS,
                        accumulate: depth > 0,
                    };
                    let products = &mut products[first * COLUMNS..(first + rows) * COLUMNS];
                    tile::multiply(self.instructions, &tile, products);
                    if end == self.depth {
                        finish(first..first + rows, products);
                    }
                }
            }
        });
    }
}

/// Puts the numbers of `count` rows side by side, depth by depth, as the kernel reads them.
pub(in crate::ops) fn side_by_side<'r>(
    tile: &mut [f32],
    count: usize,
    row: impl Fn(usize) -> &'r [f32],
) {
    if count == MOST_ROWS {
        return interleave(tile, &std::array::from_fn::<_, MOST_ROWS, _>(row));
    }
    for place in 0..count {
        let kept = tile[place..].iter_mut().step_by(count);
        kept.zip(row(place)).for_each(|(kept, number)| *kept = *number);
    }
}

vectorised! {
    /// Puts the numbers of whole rows side by side, depth by depth.
    fn interleave(tile: &mut [f32], rows: &[&[f32]; MOST_ROWS]) {
        // A cache line of four rows at a time, in squares of four by four, which the compiler turns in registers. Of more rows the lines
        // would push one another out of the nearest cache where rows are some pages apart.
        let (lines, rest) = tile.as_chunks_mut::<MOST_ROWS>().0.as_chunks_mut::<LINE>();
        let whole = lines.len();
        let stored = rows.map(|row| &row.as_chunks::<LINE>().0[..whole]);
        for (place, line) in lines.iter_mut().enumerate() {
            for first in (0..MOST_ROWS).step_by(4) {
                let own: [&[f32; LINE]; 4] = std::array::from_fn(|row| &stored[first + row][place]);
                for (number, square) in line.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                    for (depth, kept) in square.iter_mut().enumerate() {
                        for (row, own) in own.iter().enumerate() {
                            kept[first + row] = own[4 * number + depth];
                        }
                    }
                }
            }
        }
        for (depth, kept) in rest.iter_mut().enumerate() {
            for (kept, row) in kept.iter_mut().zip(rows) {
                *kept = row[LINE * whole + depth];
            }
        }
    }
}

/// Calls `task` for every block of rows and group of panels, on all threads.
///
/// A block should have this `size`, and fewer rows where a weight is small. `row` gives a row of `depth` numbers. `task` gets scratch memory of `rows of the block ×
/// products_per_row` numbers, which hold anything.
pub(in crate::ops) fn for_each_block<'r>(
    rows: usize,
    depth: usize,
    panels: usize,
    size: BlockSize,
    products_per_row: usize,
    row: impl Fn(usize) -> &'r [f32] + Sync,
    task: impl Fn(&RowBlock<'_>, Range<usize>, &mut [f32]) + Sync,
) {
    if rows == 0 || panels == 0 {
        return;
    }
    let most_rows = (size.bytes / (4 * depth.max(1))).clamp(LEAST_ROWS, 32 * MOST_ROWS);
    // A panel costs about as much for one row as for eight: it has to be fetched.
    let products = rows.max(8) * depth * panels * COLUMNS;
    let threads = rayon::current_num_threads();
    let tasks = if threads == 1 { 1 } else { (products / TASK_PRODUCTS).clamp(1, 4 * threads) };
    // Rows are copied once for every group of panels, so a weight that is near is better read for each task anew.
    let most_rows = if size.is_read_as_it_lies && depth * panels * COLUMNS <= SMALL_WEIGHT {
        most_rows.min(rows.div_ceil(tasks)).max(LEAST_ROWS)
    } else {
        most_rows
    };
    let block_rows = even(rows, most_rows).next_multiple_of(MOST_ROWS).min(rows);
    let blocks = rows.div_ceil(block_rows);
    let group_panels = even(panels, panels.div_ceil(tasks.div_ceil(blocks)));
    let groups = panels.div_ceil(group_panels);
    let run = |index: usize| {
        let (block, group) = (index / groups, index % groups);
        let rows = block * block_rows..((block + 1) * block_rows).min(rows);
        let panels = group * group_panels..((group + 1) * group_panels).min(panels);
        SCRATCH.with_borrow_mut(|scratch| {
            let products_size = rows.len() * products_per_row;
            scratch.products.reserve(products_size);
            let block = RowBlock::pack(&mut scratch.rows, rows, depth, &row);
            task(&block, panels, &mut scratch.products[..products_size]);
        });
    };
    if blocks * groups == 1 || tasks == 1 {
        (0..blocks * groups).for_each(run);
    } else {
        (0..blocks * groups).into_par_iter().for_each(run);
    }
}

/// The size of equal parts of `whole` that are no larger than `most`.
fn even(whole: usize, most: usize) -> usize {
    whole.div_ceil(whole.div_ceil(most.max(1)).max(1)).max(1)
}
