//! The rows of one forward pass.

use std::ops::Range;

use super::pool::{Block, BlockPool};
use super::table::BlockTable;

/// Rows of several sequences, packed one after another without padding.
///
/// It holds a share in every block it names, so that none is handed out again before the batch is
/// gone.
#[derive(Debug, Default)]
pub struct Batch {
    ids: Vec<u32>,
    positions: Vec<u32>,
    slots: Vec<u32>,
    segments: Vec<BatchSegment>,
    held: Vec<Block>,
}

/// Consecutive tokens of one sequence in a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchSegment {
    /// Their rows.
    pub rows: Range<usize>,
    /// Blocks, and how many tokens of each, of the whole sequence up to the last of these rows, in
    /// the order of positions. Some may be written by other rows of the same batch.
    pub runs: Vec<(u32, u32)>,
}

impl Batch {
    /// Adds the next tokens of the sequence of `table`, the first of them at `position`: as many as
    /// `pool` has room for. Tells how many.
    pub(super) fn push(
        &mut self,
        ids: &[u32],
        position: usize,
        table: &mut BlockTable,
        pool: &BlockPool,
    ) -> usize {
        let first_row = self.len();
        self.slots.extend(ids.iter().map_while(|_| table.push(pool)).map(|slot| slot as u32));
        let rows = self.slots.len() - first_row;
        if rows > 0 {
            self.ids.extend_from_slice(&ids[..rows]);
            self.positions.extend((position..position + rows).map(|position| position as u32));
            let runs = table.runs().map(|(block, tokens)| (block as u32, tokens as u32)).collect();
            self.segments.push(BatchSegment { rows: first_row..first_row + rows, runs });
            self.held.extend(table.blocks().cloned());
        }
        rows
    }

    /// The token of each row.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Each row's place in its own sequence.
    pub fn positions(&self) -> &[u32] {
        &self.positions
    }

    /// Where each row's keys and values belong, in tokens from the start of the pool.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The sequences, in the order of their rows.
    pub fn segments(&self) -> &[BatchSegment] {
        &self.segments
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is nothing to compute.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}
