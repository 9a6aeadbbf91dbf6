//! A block of rows times panels of a weight: the loops around the kernel.
//!
//! A task takes a block of rows and some panels. It copies its rows into tiles of up to 12, cut
//! into chunks of [`CHUNK`] of the depth, so that what the kernel reads side by side lies close
//! together. A chunk of a panel then stays in the nearest cache while all tiles pass over it.

use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;

use crate::ops::aligned::Aligned;
use crate::ops::simd::InstructionSet;
use crate::ops::tile::{self, COLUMNS, MOST_ROWS, Stored, Tile};

/// Depth of a chunk: with 32 columns, 32 KiB of f32.
const CHUNK: usize = 256;
/// Numbers between two rows of a tile's chunk. A little more than the chunk, so that the rows do
/// not compete for the same places in the cache.
const STRIDE: usize = CHUNK + 16;
/// Bytes that a block of rows should fill: most of a core's own second-level cache.
const BLOCK_BYTES: usize = 640 << 10;
/// Multiplications worth a task of their own.
const TASK_PRODUCTS: usize = 1 << 19;

/// Scratch memory of one thread.
#[derive(Default)]
struct Scratch {
    rows: Aligned<f32>,
    products: Aligned<f32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Rows copied for the kernel.
pub(in crate::ops) struct RowBlock<'a> {
    instructions: InstructionSet,
    /// Which of all rows these are.
    pub(in crate::ops) rows: Range<usize>,
    depth: usize,
    numbers: &'a [f32],
}

impl<'a> RowBlock<'a> {
    fn pack<'r>(
        numbers: &'a mut Aligned<f32>,
        rows: Range<usize>,
        depth: usize,
        row: impl Fn(usize) -> &'r [f32],
    ) -> Self {
        let chunks = depth.div_ceil(CHUNK);
        numbers.reserve(rows.len().next_multiple_of(MOST_ROWS) * chunks * STRIDE);
        for (place, number) in rows.clone().enumerate() {
            let (tile, tile_row) = (place / MOST_ROWS, place % MOST_ROWS);
            for (chunk, part) in row(number).chunks(CHUNK).enumerate() {
                let start = ((tile * chunks + chunk) * MOST_ROWS + tile_row) * STRIDE;
                numbers[start..start + part.len()].copy_from_slice(part);
            }
        }
        Self { instructions: InstructionSet::detect(), rows, depth, numbers }
    }

    /// Puts the products with a panel into `products`, `[rows][32]`.
    pub(in crate::ops) fn multiply<T: Stored>(&self, panel: &[T], products: &mut [f32]) {
        let chunks = self.depth.div_ceil(CHUNK);
        for (chunk, b) in panel.chunks(CHUNK * COLUMNS).enumerate() {
            for first in (0..self.rows.len()).step_by(MOST_ROWS) {
                let start = (first / MOST_ROWS * chunks + chunk) * MOST_ROWS * STRIDE;
                let tile = Tile {
                    rows: MOST_ROWS.min(self.rows.len() - first),
                    vectors: 2,
                    depth: b.len() / COLUMNS,
                    a: &self.numbers[start..],
                    a_stride: STRIDE,
                    b,
                    b_stride: COLUMNS,
                    c_stride: COLUMNS,
                    accumulate: chunk > 0,
                };
                tile::multiply(self.instructions, &tile, &mut products[first * COLUMNS..]);
            }
        }
    }
}

/// Calls `task` for every block of rows and group of panels, on all threads.
///
/// `row` gives a row of `depth` numbers. `task` gets scratch memory of `rows of the block ×
/// products_per_row` numbers, which hold anything.
pub(in crate::ops) fn for_each_block<'r>(
    rows: usize,
    depth: usize,
    panels: usize,
    products_per_row: usize,
    row: impl Fn(usize) -> &'r [f32] + Sync,
    task: impl Fn(&RowBlock<'_>, Range<usize>, &mut [f32]) + Sync,
) {
    if rows == 0 || panels == 0 {
        return;
    }
    let most_rows = (BLOCK_BYTES / (4 * depth.max(1))).clamp(4 * MOST_ROWS, 32 * MOST_ROWS);
    let block_rows = even(rows, most_rows).next_multiple_of(MOST_ROWS).min(rows);
    let blocks = rows.div_ceil(block_rows);
    // A panel costs about as much for one row as for four: it has to be fetched.
    let products = rows.max(4) * depth * panels * COLUMNS;
    let threads = rayon::current_num_threads();
    let tasks = if threads == 1 { 1 } else { (products / TASK_PRODUCTS).clamp(1, 4 * threads) };
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
