//! Attention of a batch as a list of work for a device.
//!
//! A device computes attention in blocks of threads, each for a few query rows against a range of keys
//! (`kernels/paged_attention.cu`). What every block does is laid out here, once for all layers of a
//! batch, and needs no device: windows, scores and types are the kernel's affair.
//!
//! Rows of long segments are cut into tiles whose keys are read from front to back. Rows of short ones,
//! as in decoding, would leave most of a device idle: their keys are cut into parts of fixed length,
//! whose results are merged. Parts that neighbouring segments share, because their sequences begin alike,
//! are read once for all of them. Where a row's keys are cut depends on its own sequence alone.

use super::table::Table;
use super::{Segment, span_at};

/// Keys of one part of a row that is computed in parts.
pub const SPLIT_KEYS: usize = 256;
/// Query rows of a block that computes parts.
pub const DECODE_ROWS: usize = 16;
/// The part number of a row that is computed as a whole.
pub const WHOLE: u32 = u32::MAX;

/// The work of one block for each key head.
///
/// The query heads of one key head are stacked, token after token: row s of the stack is head
/// s mod group of batch row `first_row` + s div group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Item {
    /// Batch row of the first token of the stack.
    pub first_row: u32,
    /// The first row of the stack that is computed.
    pub first_stacked: u32,
    /// How many rows of the stack are computed.
    pub stacked: u32,
    /// Where the slot of position 0 stands in the schedule's slots.
    pub first_slot: u32,
    /// Position of the first key.
    pub first_key: u32,
    /// Position after the last key.
    pub end_key: u32,
    /// Which part of its rows this is, or [`WHOLE`].
    pub split: u32,
    /// Fills up 32 bytes.
    pub unused: u32,
}

/// What the blocks of a device do for one batch, in every layer with as many query heads per key head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Position of every row in its sequence.
    pub positions: Vec<u32>,
    /// The first position of every row's span and the one after its last, two numbers for each: of a row that is in none, its own.
    pub spans: Vec<u32>,
    /// Where each token of each segment is kept.
    pub slots: Vec<u32>,
    /// The parts of row r are numbered from `splits[r]` up to `splits[r + 1]`; none if it is computed as
    /// a whole.
    pub splits: Vec<u32>,
    /// Tiles of many rows, longest first.
    pub prefill: Vec<Item>,
    /// Few rows against at most [`SPLIT_KEYS`] keys.
    pub decode: Vec<Item>,
}

/// A segment of few rows.
struct ShortSegment {
    first_row: usize,
    rows: usize,
    first_slot: usize,
    tokens: usize,
}

impl Schedule {
    /// The work for `segments`, which cover the batch in order, kept in blocks of `block_tokens`.
    ///
    /// `group` is the number of query heads of a key head, `tile_rows` the rows of the stack that one
    /// block takes where there are many.
    pub fn new(segments: &[Segment], block_tokens: usize, group: usize, tile_rows: usize) -> Self {
        let (group, tile_rows) = (group.max(1), tile_rows.max(1));
        let mut schedule = Self { splits: vec![0], ..Self::default() };
        let mut shorts: Vec<ShortSegment> = Vec::new();
        for segment in segments {
            let tokens = segment.tokens();
            let rows = segment.rows.len();
            let first_position = tokens.saturating_sub(rows);
            let first_slot = schedule.slots.len();
            for part in Table::new(&segment.table).parts(0..tokens) {
                let first = part.block * block_tokens + part.place;
                schedule.slots.extend((first..first + part.tokens).map(|slot| slot as u32));
            }
            schedule.positions.extend((first_position..tokens).map(|position| position as u32));
            // What a row sees is there.
            let span = |position: usize| match span_at(&segment.both_ways, position) {
                Some(span) => [span.start as u32, span.end.min(tokens) as u32],
                None => [position as u32, position as u32 + 1],
            };
            schedule.spans.extend((first_position..tokens).flat_map(span));

            let is_short = rows <= (DECODE_ROWS / group).max(1);
            let parts = if is_short { tokens.div_ceil(SPLIT_KEYS) } else { 1 };
            let mut splits = schedule.splits.last().copied().unwrap_or_default();
            for _ in 0..rows {
                splits += if parts > 1 { parts as u32 } else { 0 };
                schedule.splits.push(splits);
            }
            let item = Item {
                first_row: segment.rows.start as u32,
                first_stacked: 0,
                stacked: (rows * group) as u32,
                first_slot: first_slot as u32,
                first_key: 0,
                end_key: tokens as u32,
                split: WHOLE,
                unused: 0,
            };
            if parts > 1 {
                let first_row = segment.rows.start;
                shorts.push(ShortSegment { first_row, rows, first_slot, tokens });
            } else if is_short {
                schedule.decode.extend(tiles(item, DECODE_ROWS));
            } else {
                // A tile's keys end with those that its last token sees.
                schedule.prefill.extend(tiles(item, tile_rows).map(|tile| {
                    let last = (tile.first_stacked + tile.stacked - 1) as usize / group;
                    let [_, end_key] = span(first_position + last);
                    Item { end_key, ..tile }
                }));
            }
        }
        schedule.prefill.sort_by_key(|item| std::cmp::Reverse(item.end_key));
        schedule.split(&shorts, group);
        schedule
    }

    /// Adds the parts of segments that are computed in parts.
    fn split(&mut self, shorts: &[ShortSegment], group: usize) {
        let longest = shorts.iter().map(|short| short.tokens).max().unwrap_or(0);
        for part in 0..longest.div_ceil(SPLIT_KEYS) {
            let keys = part * SPLIT_KEYS..(part + 1) * SPLIT_KEYS;
            let mut rest = shorts;
            while let Some((first, others)) = rest.split_first() {
                if first.tokens <= keys.start {
                    rest = others;
                    continue;
                }
                let slots = |short: &ShortSegment| {
                    let slots = short.first_slot + keys.start..short.first_slot + keys.end;
                    (short.tokens >= keys.end).then(|| self.slots.get(slots)).flatten()
                };
                let shared = slots(first);
                let mut rows = first.rows;
                let mut taken = 1;
                for other in others {
                    let follows = other.first_row == first.first_row + rows;
                    if !follows || shared.is_none() || slots(other) != shared {
                        break;
                    }
                    rows += other.rows;
                    taken += 1;
                }
                let item = Item {
                    first_row: first.first_row as u32,
                    first_stacked: 0,
                    stacked: (rows * group) as u32,
                    first_slot: first.first_slot as u32,
                    first_key: keys.start as u32,
                    end_key: keys.end.min(first.tokens) as u32,
                    split: part as u32,
                    unused: 0,
                };
                self.decode.extend(tiles(item, DECODE_ROWS));
                rest = &rest[taken..];
            }
        }
    }

    /// How many partial results there are.
    pub fn parts(&self) -> usize {
        self.splits.last().map_or(0, |&parts| parts as usize)
    }
}

/// `item` cut into items of at most `rows` rows of its stack.
fn tiles(item: Item, rows: usize) -> impl Iterator<Item = Item> {
    (0..item.stacked).step_by(rows).map(move |first_stacked| Item {
        first_stacked,
        stacked: (item.stacked - first_stacked).min(rows as u32),
        ..item
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::Run;
    use super::*;

    const BLOCK_TOKENS: usize = 32;

    /// A segment of the last `rows` of a sequence of `tokens` in the first of these blocks.
    fn segment(first_row: usize, rows: usize, blocks: &[u32], tokens: usize) -> Segment {
        let run = |(index, &block): (usize, &u32)| Run {
            block,
            tokens: (tokens - index * BLOCK_TOKENS).min(BLOCK_TOKENS) as u32,
        };
        let blocks = blocks.iter().take(tokens.div_ceil(BLOCK_TOKENS));
        let table = blocks.enumerate().map(run).collect();
        Segment::causal(first_row..first_row + rows, table)
    }

    #[test]
    fn every_row_head_and_key_is_computed_once() {
        let long: Vec<u32> = (0..20).collect();
        let fork: Vec<u32> = (0..16).chain(40..44).collect();
        let segments = [
            segment(0, 70, &[30, 31, 32], 80),
            segment(70, 1, &long, 620),
            segment(71, 1, &fork, 610),
            segment(72, 2, &[33], 9),
            segment(74, 1, &long, 513),
        ];
        let mut seeing = segments.clone();
        seeing[0].both_ways = vec![10..14, 14..79];
        seeing[3].both_ways = std::iter::once(7..9).collect();
        for (segments, group) in
            [&segments, &seeing].into_iter().flat_map(|all| [1, 3, 8, 71].map(|group| (all, group)))
        {
            let schedule = Schedule::new(segments, BLOCK_TOKENS, group, 64);
            let mut seen = HashSet::new();
            for item in schedule.prefill.iter().chain(&schedule.decode) {
                for stacked in item.first_stacked..item.first_stacked + item.stacked {
                    let row = item.first_row as usize + stacked as usize / group;
                    let end = schedule.spans[2 * row + 1];
                    let is_whole = schedule.splits[row] == schedule.splits[row + 1];
                    assert_eq!(is_whole, item.split == WHOLE);
                    for key in item.first_key..item.end_key.min(end) {
                        let slot = schedule.slots[(item.first_slot + key) as usize];
                        let segment = segments.iter().find(|s| s.rows.contains(&row)).unwrap();
                        let run = segment.table[key as usize / BLOCK_TOKENS];
                        let place = key % BLOCK_TOKENS as u32;
                        assert_eq!(slot, run.block * BLOCK_TOKENS as u32 + place);
                        assert!(seen.insert((row, stacked as usize % group, key)));
                    }
                }
            }
            let keys: usize = segments
                .iter()
                .flat_map(|segment| {
                    let tokens = segment.tokens();
                    let end = |position| {
                        span_at(&segment.both_ways, position).map_or(position + 1, |span| span.end)
                    };
                    (tokens - segment.rows.len()..tokens).map(end)
                })
                .sum();
            assert_eq!(seen.len(), keys * group);
        }
    }

    #[test]
    fn what_sequences_share_is_read_once() {
        let blocks = |own: u32| (0..16).chain([own]).collect::<Vec<u32>>();
        let segments: Vec<Segment> =
            (0..4).map(|row| segment(row, 1, &blocks(20 + row as u32), 530)).collect();
        let schedule = Schedule::new(&segments, BLOCK_TOKENS, 4, 64);
        // Two shared parts of all four rows, and four of their own.
        let stacked: Vec<u32> = schedule.decode.iter().map(|item| item.stacked).collect();
        assert_eq!(stacked, [16, 16, 4, 4, 4, 4]);
        assert_eq!(schedule.splits, [0, 3, 6, 9, 12]);
    }
}
