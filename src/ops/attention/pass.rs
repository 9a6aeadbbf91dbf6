//! Rows of one task from queries to what they attend to.

use std::ops::Range;

use super::paged::{Layer, Task};
use super::softmax::{Curve, softmax};
use crate::ops::aligned::Aligned;
use crate::ops::host::Parts;
use crate::ops::kv::KvShape;
use crate::ops::linear::block::side_by_side;
use crate::ops::tile::{self, COLUMNS, MOST_ROWS, Rows, Tile, VECTOR};

/// Tiles of one task: they meet the same keys and values.
pub(super) const TASK_TILES: usize = 4;
/// Scores take at most this many numbers (1 MiB); long contexts get fewer rows at a time.
const MOST_SCORES: usize = 1 << 18;
/// Keys that meet all tiles of a task before the next ones do: they stay in a core's own cache.
const KEY_STRETCH: usize = 256;
/// As many values; the kernel takes up its sums anew for each stretch.
const VALUE_STRETCH: usize = 1024;
/// Blocks whose values are added in one go.
const STRETCH_PARTS: usize = 32;
/// Scratch memory of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    queries: Aligned<f32>,
    scores: Aligned<f32>,
    sums: Aligned<f32>,
}

impl Layer<'_> {
    /// Cuts a task into rows whose scores fit the scratch memory.
    pub(super) fn attend(&self, task: &Task<'_>, scratch: &mut Scratch, output: &Parts<'_>) {
        let last = task.position + task.rows.len() - 1;
        let visible = |position| self.rule.visible(position, task.both_ways);
        let longest = visible(last).end - visible(task.position).start + COLUMNS + 3 * VECTOR;
        let most_rows = (MOST_SCORES / longest).clamp(1, TASK_TILES * MOST_ROWS);
        let pass_rows = most_rows - if most_rows < MOST_ROWS { 0 } else { most_rows % MOST_ROWS };
        let all = task.rows.len() * (self.heads / self.shape.heads);
        for first in (0..all).step_by(pass_rows) {
            self.pass(task, first..(first + pass_rows).min(all), scratch, output);
        }
    }

    /// Rows count heads within tokens: row r is head r mod group of token r div group.
    ///
    /// A stretch of keys, and later of their values, meets one tile of rows after the other, so it is
    /// fetched once for all of them.
    fn pass(&self, task: &Task<'_>, rows: Range<usize>, scratch: &mut Scratch, output: &Parts<'_>) {
        let KvShape { key_size, value_size, .. } = self.shape;
        let group = self.heads / self.shape.heads;
        let token = |row: usize| row / group;
        let head = |row: usize| task.head * group + row % group;
        let visible = |row: usize| self.rule.visible(task.position + token(row), task.both_ways);
        let seen = visible(rows.start).start..visible(rows.end - 1).end;
        let tiles = || {
            let firsts = rows.clone().step_by(MOST_ROWS);
            firsts.map(|first| first..(first + MOST_ROWS).min(rows.end))
        };

        // The rows of each tile, scaled.
        scratch.queries.reserve(rows.len() * key_size);
        for tile in tiles() {
            let kept = &mut scratch.queries[(tile.start - rows.start) * key_size..];
            let kept = &mut kept[..tile.len() * key_size];
            side_by_side(kept, tile.len(), |place| {
                let row = tile.start + place;
                let start = (task.rows.start + token(row)) * self.width + head(row) * key_size;
                &self.queries[start..start + key_size]
            });
            let scale = self.rule.scale as f32;
            for number in kept.iter_mut() {
                *number *= scale;
            }
        }

        // Scores of all keys; what a block's columns hold beyond its tokens is overwritten by the
        // next block's, or lies behind the last key.
        let base = aligned(seen.start.saturating_sub(VECTOR));
        let stride = (seen.end - base + COLUMNS).next_multiple_of(VECTOR) + VECTOR;
        scratch.scores.reserve(rows.len() * stride);
        for keys in stretches(&seen, KEY_STRETCH) {
            for tile in tiles() {
                let own = visible(tile.start).start..visible(tile.end - 1).end;
                let first = tile.start - rows.start;
                let queries = &scratch.queries[first * key_size..];
                let scores = &mut scratch.scores[first * stride..];
                let own = common(&own, &keys);
                self.put_scores(task, (queries, tile.len()), own, (scores, stride, base));
            }
        }

        // Their softmax, without its denominator.
        let mut totals = [0f32; TASK_TILES * MOST_ROWS];
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
            *total =
                softmax(self.instructions, scores, visible.start - base..visible.end - base, curve);
        }

        // The values, key after key: first those that only some rows of a tile see, one token at a
        // time, then those that all see, then again those that some see.
        let value_stride = self.kv_blocks.value_stride();
        scratch.sums.reserve(rows.len() * value_stride);
        scratch.sums[..rows.len() * value_stride].fill(0.0);
        let joint = |tile: &Range<usize>| {
            let joint = visible(tile.end - 1).start..visible(tile.start).end;
            if joint.is_empty() { seen.end..seen.end } else { joint }
        };
        let mut add = |own: Range<usize>, keys: Range<usize>| {
            let first = own.start - rows.start;
            let scores = &scratch.scores[first * stride..];
            let sums = &mut scratch.sums[first * value_stride..];
            self.add_values(task, own.len(), keys, (scores, stride, base), sums);
        };
        let tokens = |tile: &Range<usize>| {
            let tile = tile.clone();
            (token(tile.start)..=token(tile.end - 1)).map(move |token| {
                let own = (token * group).max(tile.start)..((token + 1) * group).min(tile.end);
                (visible(own.start), own)
            })
        };
        for tile in tiles() {
            for (visible, own) in tokens(&tile) {
                add(own, visible.start..visible.end.min(joint(&tile).start));
            }
        }
        for keys in stretches(&seen, VALUE_STRETCH) {
            for tile in tiles() {
                let keys = common(&joint(&tile), &keys);
                add(tile, keys);
            }
        }
        for tile in tiles() {
            for (visible, own) in tokens(&tile) {
                add(own, visible.start.max(joint(&tile).end)..visible.end);
            }
        }

        for (index, row) in rows.enumerate() {
            let start = ((task.rows.start + token(row)) * self.heads + head(row)) * value_size;
            // SAFETY: each row and head belongs to one pass of one task.
            let output = unsafe { output.part(start..start + value_size) };
            let factor = 1.0 / totals[index];
            for (output, sum) in output.iter_mut().zip(&scratch.sums[index * value_stride..]) {
                *output = sum * factor;
            }
        }
    }

    /// Puts the products of a tile's `queries` with `keys` into its `scores`.
    fn put_scores(
        &self,
        task: &Task<'_>,
        (queries, rows): (&[f32], usize),
        keys: Range<usize>,
        (scores, stride, base): (&mut [f32], usize, usize),
    ) {
        for part in task.table.parts(keys) {
            let start = aligned(part.place);
            let first_key = part.key - (part.place - start);
            let keys = &self.kv_blocks.keys(part.block, task.head)[start..];
            let columns = part.place + part.tokens - start;
            for column in (0..columns).step_by(COLUMNS) {
                let tile = Tile {
                    rows,
                    vectors: if columns - column > VECTOR { 2 } else { 1 },
                    a: Rows::Packed(queries),
                    b: &[(&keys[column..], self.shape.key_size)],
                    b_stride: self.block_tokens,
                    c_stride: stride,
                    accumulate: false,
                };
                let scores = &mut scores[first_key - base + column..];
                tile::multiply(self.instructions, &tile, scores);
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

/// The start of the vector that a number at `place` is in.
fn aligned(place: usize) -> usize {
    place / VECTOR * VECTOR
}

/// `keys` in parts that end at multiples of `size`.
fn stretches(keys: &Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    let Range { start, end } = *keys;
    (start / size..end.div_ceil(size))
        .map(move |part| (part * size).max(start)..((part + 1) * size).min(end))
}

/// What two ranges have in common; it may be empty.
fn common(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    one.start.max(other.start)..one.end.min(other.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_cover_the_keys() {
        let cut = |keys: Range<usize>| stretches(&keys, 8).collect::<Vec<_>>();
        assert_eq!(cut(5..25), [5..8, 8..16, 16..24, 24..25]);
        assert_eq!(cut(8..16), vec![(8..16)]);
        assert!(cut(9..9).iter().all(Range::is_empty));
        assert!(common(&(0..4), &(6..9)).is_empty());
    }
}
