//! The way through a prefix tree: depth-first, as far at a time as a batch has room.
//!
//! Depth-first order keeps only the blocks of one path, and what the batch at hand has added beside
//! it. A batch takes segments one after another whether or not they continue each other, so it is
//! as broad as its budget allows, and a long segment is cut where the batch is full.

use std::ops::Range;

use super::batch::Batch;
use super::layout::SequenceLayout;
use super::pool::BlockPool;
use super::table::BlockTable;
use super::tree::PrefixTree;

/// A position in a depth-first walk through a prefix tree, and the blocks of the path that leads to it.
#[derive(Clone, Debug)]
pub(super) struct Walk<'t, 'a> {
    tree: &'t PrefixTree<'a>,
    pool: BlockPool,
    /// The segment at hand; as many as there are, if all are done.
    segment: usize,
    done_rows: usize,
    /// The ancestors of the segment at hand, each with how many runs lead to its end.
    ancestors: Vec<(usize, usize)>,
    table: BlockTable,
}

/// What one step of a walk added to a batch.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The segment.
    pub(super) segment: usize,
    /// Positions of the tokens that became rows.
    pub(super) positions: Range<usize>,
    /// The row of the first of them.
    pub(super) first_row: usize,
    /// Whether the segment is done with it.
    pub(super) ends_segment: bool,
}

impl<'t, 'a> Walk<'t, 'a> {
    /// A walk that begins at the root.
    pub(super) fn new(tree: &'t PrefixTree<'a>, pool: &BlockPool) -> Self {
        let (ancestors, table) = (Vec::new(), BlockTable::default());
        let mut walk =
            Self { tree, pool: pool.clone(), segment: 0, done_rows: 0, ancestors, table };
        walk.go_to(0);
        walk
    }

    /// The segment at hand: those before it are done.
    pub(super) fn segment(&self) -> usize {
        self.segment
    }

    /// Where the keys and values of the tokens up to here are.
    pub(super) fn table(&self) -> &BlockTable {
        &self.table
    }

    /// Adds at most `room` rows of the segment at hand to a batch; `None` if nothing is left or no
    /// block is free.
    ///
    /// Once a piece ends its segment, [`Self::proceed`] leads on.
    pub(super) fn advance(&mut self, batch: &mut Batch, room: usize) -> Option<Piece> {
        let segment = self.tree.segments().get(self.segment)?;
        let rows = self.tree.rows(self.segment);
        let start = segment.start + self.done_rows;
        let layout = self.tree.segment_layout(segment);
        let end = start + room.min(rows - self.done_rows);
        let end = self.undivided(layout, start..end, batch.is_empty())?;
        let first_row = batch.len();
        let ids = self.tree.tokens(segment, start..end);
        let added = batch.push(ids, (start, layout), &mut self.table, &self.pool);
        self.done_rows += added;
        (added > 0).then(|| Piece {
            segment: self.segment,
            positions: start..start + added,
            first_row,
            ends_segment: self.done_rows == rows,
        })
    }

    /// Where a piece of `positions` ends that divides no span: before the span, or behind it where the piece begins with it and there is
    /// nothing else in the batch. `None` where the span must wait for room.
    fn undivided(
        &self,
        layout: Option<&SequenceLayout>,
        positions: Range<usize>,
        is_first: bool,
    ) -> Option<usize> {
        let Some(layout) = layout else { return Some(positions.end) };
        let end = match layout.divided(positions.end) {
            None => positions.end,
            Some(span) if span.start > positions.start => span.start,
            Some(span) => is_first.then_some(span.end)?,
        };
        // What the pool has no room for would be cut off.
        let room = self.table.room(&self.pool);
        match layout.divided(positions.start + room.min(end - positions.start)) {
            Some(span) if span.start > positions.start => Some(span.start),
            Some(_) => None,
            None => Some(end),
        }
    }

    /// How many rows the span has that the next piece begins with, if it begins with one and the pool has room for all of it.
    pub(super) fn span_at_hand(&self) -> Option<usize> {
        let segment = self.tree.segments().get(self.segment)?;
        let start = segment.start + self.done_rows;
        let span = self.tree.segment_layout(segment)?.divided(start + 1)?;
        (span.start == start && span.len() <= self.table.room(&self.pool)).then_some(span.len())
    }

    /// Leaves a segment that is done for the next one.
    pub(super) fn proceed(&mut self) {
        self.ancestors.push((self.segment, self.table.runs().len()));
        self.go_to(self.segment + 1);
    }

    /// Leaves the segments that were worked on since `earlier` and all that continues them.
    pub(super) fn skip_since(&mut self, earlier: &Self) -> Range<usize> {
        let segments = self.tree.segments();
        let begun = self.segment + usize::from(self.done_rows > 0);
        let skipped = segments.get(earlier.segment..begun).unwrap_or_default();
        let worked_on = skipped
            .iter()
            .enumerate()
            .filter(|(index, _)| self.tree.rows(earlier.segment + index) > 0);
        let end = worked_on.map(|(_, segment)| segment.subtree_end).max().unwrap_or(begun);
        self.go_to(end);
        earlier.segment..end
    }

    /// Continues with `segment`, or with the first after it that has rows.
    fn go_to(&mut self, segment: usize) {
        let segments = self.tree.segments();
        self.segment = (segment..segments.len())
            .find(|&segment| self.tree.rows(segment) > 0)
            .unwrap_or(segments.len());
        self.done_rows = 0;
        while let Some(&(ancestor, _)) = self.ancestors.last()
            && segments[ancestor].subtree_end <= self.segment
        {
            self.ancestors.pop();
        }
        self.table.fork_back(self.ancestors.last().map_or(0, |(_, runs)| *runs));
    }
}
