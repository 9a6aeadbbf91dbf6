//! Attention on the CPU: tasks of a few tiles of rows, for all threads.
//!
//! A tile is up to 12 rows: the query heads of one key head, for one or more consecutive tokens. A few
//! tiles are computed together, which fetches keys and values once for all of them.
//! Their scores against every visible key are computed in full, then their softmax in two passes, then
//! the weighted sum of the values, key after key. So a row's bits depend on its own sequence alone:
//! not on block size, on where blocks begin, on the batch or on threads. Keys a row may not see are
//! never multiplied with, whatever they hold.

use std::cell::RefCell;
use std::ops::Range;

use candle_core::{DType, Result, Tensor};
use rayon::prelude::*;

use super::pass::{Scratch, TASK_TILES};
use super::table::Table;
use super::{AttentionRule, Segment};
use crate::ops::host::{self, Parts};
use crate::ops::kv::{HostBlocks, KvShape};
use crate::ops::simd::InstructionSet;
use crate::ops::tile::MOST_ROWS;

/// Fewer multiplications than this are done by one thread.
const SERIAL_PRODUCTS: usize = 1 << 21;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// What all tiles share.
pub(super) struct Layer<'a> {
    pub(super) instructions: InstructionSet,
    pub(super) queries: &'a [f32],
    pub(super) width: usize,
    pub(super) heads: usize,
    pub(super) kv_blocks: &'a HostBlocks,
    pub(super) shape: KvShape,
    pub(super) block_tokens: usize,
    pub(super) rule: &'a AttentionRule,
}

/// Tokens of one segment and one key head.
pub(super) struct Task<'a> {
    pub(super) rows: Range<usize>,
    pub(super) table: &'a Table<'a>,
    /// Position of the first row.
    pub(super) position: usize,
    pub(super) head: usize,
    /// As [`Segment::both_ways`].
    pub(super) both_ways: &'a [Range<usize>],
}

/// As [`super::attention`], for layers in host memory.
pub(super) fn attention(
    projected: &Tensor,
    heads: usize,
    segments: &[Segment],
    (kv_blocks, shape, block_tokens): (&HostBlocks, KvShape, usize),
    rule: &AttentionRule,
) -> Result<Tensor> {
    let (rows, width) = projected.dims2()?;
    let projected = projected.to_dtype(DType::F32)?.contiguous()?;
    let queries = host::numbers(&projected)?;
    let instructions = InstructionSet::detect();
    let layer = Layer {
        instructions,
        queries: &queries,
        width,
        heads,
        kv_blocks,
        shape,
        block_tokens,
        rule,
    };
    let group = heads / shape.heads;
    let task_tokens = (TASK_TILES * MOST_ROWS).div_ceil(group);
    let tables: Vec<Table<'_>> =
        segments.iter().map(|segment| Table::new(&segment.table)).collect();
    let mut tasks = Vec::new();
    let mut products = 0;
    for (segment, table) in segments.iter().zip(&tables) {
        let first = table.tokens() - segment.rows.len();
        products += segment.rows.len() * table.tokens() * heads * shape.key_size;
        for head in 0..shape.heads {
            for start in segment.rows.clone().step_by(task_tokens) {
                let rows = start..(start + task_tokens).min(segment.rows.end);
                let position = first + start - segment.rows.start;
                let both_ways = &segment.both_ways;
                tasks.push(Task { rows, table, position, head, both_ways });
            }
        }
    }
    let write = |output: &Parts<'_>| {
        let run = |task: &Task<'_>| {
            SCRATCH.with_borrow_mut(|scratch| layer.attend(task, scratch, output));
        };
        if products < SERIAL_PRODUCTS {
            tasks.iter().for_each(run);
        } else {
            tasks.par_iter().for_each(run);
        }
    };
    // SAFETY: segments cover the rows, so the tasks write every row and head.
    unsafe { host::filled((rows, heads * shape.value_size), write) }
}
