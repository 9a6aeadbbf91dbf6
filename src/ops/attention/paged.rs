//! Attention on the CPU, a tile of rows at a time.
//!
//! A tile is up to 12 rows: the query heads of one key head, for one or more consecutive tokens.
//! Its scores against every visible key are computed in full, then their softmax in two passes, then
//! the weighted sum of the values, key after key. So a row's bits depend on its own sequence alone:
//! not on block size, on where blocks begin, on the batch or on threads. Keys a row may not see are
//! never multiplied with, whatever they hold.

use std::cell::RefCell;
use std::ops::Range;

use candle_core::{DType, Result, Tensor};
use rayon::prelude::*;

use super::softmax::{Curve, softmax};
use super::table::Table;
use super::{AttentionRule, Segment};
use crate::ops::aligned::Aligned;
use crate::ops::host::{self, Parts};
use crate::ops::kv::{HostBlocks, KvShape};
use crate::ops::simd::InstructionSet;
use crate::ops::tile::{self, COLUMNS, MOST_ROWS, Rows, Tile, VECTOR};

/// Tiles of one task: they read the same keys and values, which then stay in the cache.
const TASK_TILES: usize = 4;
/// Scores of a tile take at most this many numbers (1 MiB); long contexts get fewer rows a tile.
const MOST_SCORES: usize = 1 << 18;
/// Blocks whose values are added in one go.
const STRETCH_PARTS: usize = 32;
/// Fewer multiplications than this are done by one thread.
const SERIAL_PRODUCTS: usize = 1 << 21;

/// Scratch memory of one thread.
#[derive(Default)]
struct Scratch {
    queries: Aligned<f32>,
    scores: Aligned<f32>,
    sums: Aligned<f32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// What all tiles share.
struct Layer<'a> {
    instructions: InstructionSet,
    queries: &'a [f32],
    width: usize,
    heads: usize,
    kv_blocks: &'a HostBlocks,
    shape: KvShape,
    block_tokens: usize,
    rule: &'a AttentionRule,
}

/// Tokens of one segment and one key head.
struct Task<'a> {
    rows: Range<usize>,
    table: &'a Table<'a>,
    /// Position of the first row.
    position: usize,
    head: usize,
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
                tasks.push(Task { rows, table, position, head });
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

impl Layer<'_> {
    /// Cuts a task into tiles.
    fn attend(&self, task: &Task<'_>, scratch: &mut Scratch, output: &Parts<'_>) {
        let group = self.heads / self.shape.heads;
        let end = task.position + task.rows.len();
        let longest = end - self.rule.visible(task.position).start + self.block_tokens + 4 * VECTOR;
        let tile_rows = (MOST_SCORES / longest).clamp(1, MOST_ROWS);
        let all = task.rows.len() * group;
        for first in (0..all).step_by(tile_rows) {
            self.tile(task, first..(first + tile_rows).min(all), scratch, output);
        }
    }

    /// Rows count heads within tokens: row r is head r mod group of token r div group.
    fn tile(&self, task: &Task<'_>, rows: Range<usize>, scratch: &mut Scratch, output: &Parts<'_>) {
        let KvShape { key_size, value_size, .. } = self.shape;
        let group = self.heads / self.shape.heads;
        let count = rows.len();
        let token = |row: usize| row / group;
        let head = |row: usize| task.head * group + row % group;
        let visible = |row: usize| self.rule.visible(task.position + token(row));
        let seen = visible(rows.start).start..visible(rows.end - 1).end;

        // The rows of the tile, scaled.
        scratch.queries.reserve(MOST_ROWS * key_size);
        for (place, row) in rows.clone().enumerate() {
            let start = (task.rows.start + token(row)) * self.width + head(row) * key_size;
            let query = &self.queries[start..start + key_size];
            let scaled = scratch.queries[place..].iter_mut().step_by(count);
            for (scaled, number) in scaled.zip(query) {
                *scaled = number * self.rule.scale as f32;
            }
        }

        // Scores of all keys; what a block's columns hold beyond its tokens is overwritten by the
        // next block's, or lies behind the last key.
        let aligned = |place: usize| place / VECTOR * VECTOR;
        let base = aligned(seen.start.saturating_sub(VECTOR));
        let stride = (seen.end - base + COLUMNS).next_multiple_of(VECTOR) + VECTOR;
        scratch.scores.reserve(MOST_ROWS * stride);
        for part in task.table.parts(seen.clone()) {
            let start = aligned(part.place);
            let first_key = part.key - (part.place - start);
            let keys = &self.kv_blocks.keys(part.block, task.head)[start..];
            let columns = part.place + part.tokens - start;
            for column in (0..columns).step_by(COLUMNS) {
                let tile = Tile {
                    rows: count,
                    vectors: if columns - column > VECTOR { 2 } else { 1 },
                    a: Rows::Packed(&scratch.queries),
                    b: &[(&keys[column..], key_size)],
                    b_stride: self.block_tokens,
                    c_stride: stride,
                    accumulate: false,
                };
                let scores = &mut scratch.scores[first_key - base + column..];
                tile::multiply(self.instructions, &tile, scores);
            }
        }

        // Their softmax, without its denominator.
        let mut totals = [0f32; MOST_ROWS];
        for ((row, scores), total) in
            rows.clone().zip(scratch.scores.chunks_mut(stride)).zip(&mut totals)
        {
            let visible = visible(row);
            let slopes = self.rule.position_slopes.as_ref();
            let position = task.position + token(row);
            let curve = Curve {
                soft_cap: self.rule.score_soft_cap.map(|cap| cap as f32),
                slope: slopes.map(|slopes| slopes.of_row(head(row), position, self.rule.scale)),
                first_key: base,
                sink: self.rule.sinks.as_ref().map(|sinks| sinks[head(row)]),
            };
            *total = softmax(scores, visible.start - base..visible.end - base, curve);
        }

        // The values, key after key: first those that only some rows see, one token at a time,
        // then those that all see, then again those that some see.
        let value_stride = self.kv_blocks.value_stride();
        scratch.sums.reserve(MOST_ROWS * value_stride);
        scratch.sums[..count * value_stride].fill(0.0);
        let joint = visible(rows.end - 1).start..visible(rows.start).end;
        let joint = if joint.is_empty() { seen.end..seen.end } else { joint };
        let mut add = |rows: Range<usize>, keys: Range<usize>| {
            let scores = &scratch.scores[rows.start * stride..];
            let sums = &mut scratch.sums[rows.start * value_stride..];
            self.add_values(task, rows.len(), keys, (scores, stride, base), sums);
        };
        let tokens = token(rows.start)..token(rows.end - 1) + 1;
        let of_token = |token: usize| {
            let own = (token * group).max(rows.start)..((token + 1) * group).min(rows.end);
            (visible(own.start), own.start - rows.start..own.end - rows.start)
        };
        for (visible, own) in tokens.clone().map(of_token) {
            add(own, visible.start..visible.end.min(joint.start));
        }
        add(0..count, joint.clone());
        for (visible, own) in tokens.map(of_token) {
            add(own, visible.start.max(joint.end)..visible.end);
        }

        for (index, row) in rows.enumerate() {
            let start = ((task.rows.start + token(row)) * self.heads + head(row)) * value_size;
            // SAFETY: each row and head belongs to one tile of one task.
            let output = unsafe { output.part(start..start + value_size) };
            let factor = 1.0 / totals[index];
            for (output, sum) in output.iter_mut().zip(&scratch.sums[index * value_stride..]) {
                *output = sum * factor;
            }
        }
    }

    /// Adds the values of `keys`, times the rows' weights in `scores`, to `sums`.
    fn add_values(
        &self,
        task: &Task<'_>,
        rows: usize,
        keys: Range<usize>,
        (scores, stride, base): (&[f32], usize, usize),
        sums: &mut [f32],
    ) {
        if keys.start >= keys.end {
            return;
        }
        let value_stride = self.kv_blocks.value_stride();
        // The kernel keeps its sums in registers over all the parts it is given at once.
        let mut parts = task.table.parts(keys).peekable();
        while let Some(first) = parts.peek() {
            let scores = &scores[first.key - base..];
            let mut stretch: [(&[f32], usize); STRETCH_PARTS] = [(&[], 0); STRETCH_PARTS];
            let mut count = 0;
            for (place, part) in stretch.iter_mut().zip(&mut parts) {
                let values = self.kv_blocks.values(part.block, task.head);
                *place = (&values[part.place * value_stride..], part.tokens);
                count += 1;
            }
            for column in (0..value_stride).step_by(COLUMNS) {
                let mut columns = stretch;
                for (values, _) in &mut columns[..count] {
                    *values = &values[column..];
                }
                let tile = Tile {
                    rows,
                    vectors: if value_stride - column > VECTOR { 2 } else { 1 },
                    a: Rows::Apart(scores, stride),
                    b: &columns[..count],
                    b_stride: value_stride,
                    c_stride: value_stride,
                    accumulate: true,
                };
                tile::multiply(self.instructions, &tile, &mut sums[column..]);
            }
        }
    }
}
