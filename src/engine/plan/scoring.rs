//! What is computed when, for surprisals.

use std::ops::Range;

use super::batch::Batch;
use super::pool::BlockPool;
use super::tree::PrefixTree;
use super::walk::{Piece, Walk};

/// The batches that compute every surprisal of a prefix tree once.
///
/// A row is computed where something follows it, and scored for everything that follows it: the row
/// at a branching has one target for each branch. The size of a batch is said anew for each one, and
/// a batch that could not be computed can be put back.
#[derive(Clone, Debug)]
pub struct ScoreSchedule<'t, 'a> {
    tree: &'t PrefixTree<'a>,
    walk: Walk<'t, 'a>,
    before: Walk<'t, 'a>,
}

/// A forward pass whose rows are scored.
#[derive(Debug, Default)]
pub struct ScoreBatch {
    /// The rows.
    pub rows: Batch,
    /// Pairs of a row and a token whose surprisal after that row is wanted, ascending by row.
    pub targets: Vec<(usize, u32)>,
    /// For each target, the index of its surprisal among those of all segments.
    pub slots: Vec<usize>,
}

impl<'t, 'a> ScoreSchedule<'t, 'a> {
    /// The batches of `tree`, with keys and values in `pool`.
    ///
    /// Every path of the tree must fit into the pool ([`PrefixTree::path_blocks`]).
    pub fn new(tree: &'t PrefixTree<'a>, pool: &BlockPool) -> Self {
        let walk = Walk::new(tree, pool);
        Self { tree, before: walk.clone(), walk }
    }

    /// The next batch, of at most `batch_tokens` rows, but of one at least; `None` at the end.
    ///
    /// The batch before it must be gone, or its blocks are not free yet.
    pub fn next_batch(&mut self, batch_tokens: usize) -> Option<ScoreBatch> {
        self.before = self.walk.clone();
        let mut batch = ScoreBatch::default();
        let batch_tokens = batch_tokens.max(1);
        while let Some(room) = batch_tokens.checked_sub(batch.rows.len()).filter(|&room| room > 0)
            && let Some(piece) = self.walk.advance(&mut batch.rows, room)
        {
            self.aim(&mut batch, &piece);
            if piece.ends_segment {
                self.walk.proceed();
            }
        }
        (!batch.rows.is_empty()).then_some(batch)
    }

    /// Adds the targets of a piece's rows.
    fn aim(&self, batch: &mut ScoreBatch, piece: &Piece) {
        let segment = &self.tree.segments()[piece.segment];
        for (row, position) in piece.positions.clone().enumerate() {
            let row = piece.first_row + row;
            let next = position + 1;
            let within = (next < segment.end).then_some(segment);
            let branches = (next == segment.end).then(|| self.tree.children(piece.segment));
            for segment in within.into_iter().chain(branches.into_iter().flatten()) {
                let token = self.tree.tokens(segment, next..next + 1).first();
                if let (Some(slot), Some(&token)) = (segment.slot(next), token) {
                    batch.targets.push((row, token));
                    batch.slots.push(slot);
                }
            }
        }
    }

    /// Undoes the latest batch: the next one begins with the same row.
    pub fn put_back(&mut self, batch: ScoreBatch) {
        drop(batch);
        self.walk = self.before.clone();
    }

    /// Goes on without the latest batch and all that depends on it: the segments that stay without
    /// surprisals.
    pub fn give_up(&mut self, batch: ScoreBatch) -> Range<usize> {
        drop(batch);
        self.walk.skip_since(&self.before)
    }

    /// Index of the first segment that has surprisals missing once the latest batch is computed.
    pub fn finished_segments(&self) -> usize {
        self.walk.segment()
    }
}
