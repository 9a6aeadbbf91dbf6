//! Regions of the heap: all that a call made, gone at once when nothing older holds it.
//!
//! Values are never freed one by one. A function of a task is called for every row, though, so a call is a region: what it
//! made lies behind what was there before, and only containers that are older could hold it. As long as none of these was
//! written to, the heap is cut back to where the region began.

use super::limits::Spent;

/// How many values of each kind there are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lengths {
    pub(super) lists: usize,
    pub(super) tuples: usize,
    pub(super) dicts: usize,
    pub(super) sets: usize,
    pub(super) functions: usize,
    pub(super) iterators: usize,
}

impl Lengths {
    /// Takes the lower number of each kind.
    pub(super) fn lower_to(&mut self, other: &Self) {
        self.lists = self.lists.min(other.lists);
        self.dicts = self.dicts.min(other.dicts);
        self.sets = self.sets.min(other.sets);
        self.iterators = self.iterators.min(other.iterators);
    }
}

/// A region.
#[derive(Debug, Default)]
pub(super) struct Region {
    /// How much there was when it began.
    pub(super) begun: Lengths,
    /// The oldest of each kind that was written to since.
    pub(super) written: Lengths,
    /// What had been spent when it began.
    pub(super) spent: Spent,
}

impl Region {
    /// One that begins here.
    pub(super) fn new(begun: Lengths, spent: Spent) -> Self {
        // Nothing was written to yet, so the oldest is younger than all.
        Self { begun, written: begun, spent }
    }

    /// Whether nothing older was written to.
    pub(super) fn is_closed(&self) -> bool {
        let Self { begun, written, .. } = self;
        written.lists >= begun.lists
            && written.dicts >= begun.dicts
            && written.sets >= begun.sets
            && written.iterators >= begun.iterators
    }
}
