//! The rows of one forward pass, packed without padding.

use crate::model::{Rows, Run, Segment};

/// Tokens of several sequences, one sequence after another, and what is to be scored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    ids: Vec<u32>,
    positions: Vec<u32>,
    slots: Vec<u32>,
    segments: Vec<Segment>,
    targets: Vec<(usize, u32)>,
}

impl Batch {
    /// Adds the next tokens of a sequence that already has `earlier_tokens`.
    ///
    /// `blocks` are all blocks of the sequence, in order and filled one after the other, with room
    /// for the new tokens; each holds `block_tokens`.
    pub fn push(
        &mut self,
        ids: &[u32],
        earlier_tokens: usize,
        blocks: &[u32],
        block_tokens: usize,
    ) {
        let first_row = self.ids.len();
        let tokens = earlier_tokens + ids.len();
        self.ids.extend_from_slice(ids);
        self.positions.extend(earlier_tokens as u32..tokens as u32);
        let slots = blocks.iter().flat_map(|&block| {
            let first = block * block_tokens as u32;
            first..first + block_tokens as u32
        });
        self.slots.extend(slots.skip(earlier_tokens).take(ids.len()));
        let table = blocks
            .iter()
            .zip((0..tokens).step_by(block_tokens))
            .map(|(&block, first)| Run { block, tokens: block_tokens.min(tokens - first) as u32 })
            .collect();
        self.segments.push(Segment { rows: first_row..self.ids.len(), table });
    }

    /// Adds a whole sequence whose tokens from `first_target` on are scored; blocks as in
    /// [`Batch::push`].
    ///
    /// Its last token predicts nothing, so it is a target but not a row.
    pub fn push_scored(
        &mut self,
        ids: &[u32],
        first_target: usize,
        blocks: &[u32],
        block_tokens: usize,
    ) {
        let Some((_, rows)) = ids.split_last() else { return };
        let first_row = self.ids.len();
        self.push(rows, 0, blocks, block_tokens);
        let targets = ids.iter().enumerate().skip(first_target.max(1));
        self.targets.extend(targets.map(|(place, &id)| (first_row + place - 1, id)));
    }

    /// What the decoder is given.
    pub fn rows(&self) -> Rows<'_> {
        Rows {
            ids: &self.ids,
            positions: &self.positions,
            slots: &self.slots,
            segments: &self.segments,
        }
    }

    /// Pairs of a row and a token whose surprisal after that row is wanted, ascending by row.
    pub fn targets(&self) -> &[(usize, u32)] {
        &self.targets
    }

    /// The last row of every sequence.
    pub fn last_rows(&self) -> Vec<u32> {
        self.segments.iter().map(|segment| segment.rows.end.saturating_sub(1) as u32).collect()
    }

    /// How many rows are computed.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is nothing to compute.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_token_is_a_target_but_not_a_row() {
        let mut batch = Batch::default();
        batch.push_scored(&[5, 6, 7], 0, &[4], 16);
        batch.push_scored(&[8, 9, 10, 11], 3, &[2], 16);
        assert_eq!(batch.ids, [5, 6, 8, 9, 10]);
        assert_eq!(batch.positions, [0, 1, 0, 1, 2]);
        assert_eq!(batch.slots, [64, 65, 32, 33, 34]);
        assert_eq!(batch.segments[1].rows, 2..5);
        assert_eq!(batch.targets(), [(0, 6), (1, 7), (4, 11)]);
    }

    #[test]
    fn a_sequence_goes_on_where_its_blocks_have_room() {
        let mut batch = Batch::default();
        batch.push(&[1, 2, 3], 31, &[7, 0, 9], 16);
        assert_eq!(batch.positions, [31, 32, 33]);
        assert_eq!(batch.slots, [15, 144, 145]);
        let run = |block, tokens| Run { block, tokens };
        assert_eq!(batch.segments[0].table, [run(7, 16), run(0, 16), run(9, 2)]);
    }
}
