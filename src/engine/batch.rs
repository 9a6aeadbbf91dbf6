//! The rows of one forward pass, packed without padding.

use crate::model::Rows;

/// Tokens of several sequences, one sequence after another, and what is to be scored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    ids: Vec<u32>,
    positions: Vec<u32>,
    ends: Vec<usize>,
    targets: Vec<(usize, u32)>,
}

impl Batch {
    /// Adds the next tokens of a sequence that already has `earlier_tokens`.
    pub fn push(&mut self, ids: &[u32], earlier_tokens: usize) {
        let first = earlier_tokens as u32;
        self.ids.extend_from_slice(ids);
        self.positions.extend(first..first + ids.len() as u32);
        self.ends.push(self.ids.len());
    }

    /// Adds a whole sequence whose tokens from `first_target` on are scored.
    ///
    /// Its last token predicts nothing, so it is a target but not a row.
    pub fn push_scored(&mut self, ids: &[u32], first_target: usize) {
        let Some((_, rows)) = ids.split_last() else { return };
        let first_row = self.ids.len();
        self.push(rows, 0);
        let targets = ids.iter().enumerate().skip(first_target.max(1));
        self.targets.extend(targets.map(|(place, &id)| (first_row + place - 1, id)));
    }

    /// What the decoder is given.
    pub fn rows(&self) -> Rows<'_> {
        Rows { ids: &self.ids, positions: &self.positions, ends: &self.ends }
    }

    /// Pairs of a row and a token whose surprisal after that row is wanted, ascending by row.
    pub fn targets(&self) -> &[(usize, u32)] {
        &self.targets
    }

    /// The last row of every sequence.
    pub fn last_rows(&self) -> Vec<u32> {
        self.ends.iter().map(|&end| end.saturating_sub(1) as u32).collect()
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
        batch.push_scored(&[5, 6, 7], 0);
        batch.push_scored(&[8, 9, 10, 11], 3);
        assert_eq!(batch.ids, [5, 6, 8, 9, 10]);
        assert_eq!(batch.positions, [0, 1, 0, 1, 2]);
        assert_eq!(batch.rows().segments().collect::<Vec<_>>(), [0..2, 2..5]);
        assert_eq!(batch.targets(), [(0, 6), (1, 7), (4, 11)]);
    }
}
