//! Where the keys and values of one sequence's tokens are.

use super::pool::{Block, BlockPool};

/// The blocks of a sequence's tokens, in the order of their positions.
///
/// A block may be read by many sequences but is only ever written by the one that began it: a fork
/// begins a block of its own, and nothing is ever copied.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockTable {
    runs: Vec<(Block, usize)>,
    /// How many runs are shared with the sequence this one forked from.
    shared: usize,
    /// Blocks set aside for tokens to come.
    reserved: Vec<Block>,
}

impl BlockTable {
    /// A sequence that goes on after all tokens so far, in blocks of its own.
    pub(super) fn fork(&self) -> Self {
        Self { runs: self.runs.clone(), shared: self.runs.len(), reserved: Vec::new() }
    }

    /// A sequence that goes on behind `runs`, in blocks of its own.
    pub(super) fn behind(runs: Vec<(Block, usize)>) -> Self {
        Self { shared: runs.len(), runs, reserved: Vec::new() }
    }

    /// Goes back to the first `runs` runs and forks there.
    pub(super) fn fork_back(&mut self, runs: usize) {
        self.runs.truncate(runs);
        self.shared = self.runs.len();
    }

    /// Room for one more token: its slot, counted in tokens from the start of the pool.
    ///
    /// `None` if it needs a block and there is none.
    pub(super) fn push(&mut self, pool: &BlockPool) -> Option<usize> {
        let block_tokens = pool.block_tokens();
        let own = self.runs.get_mut(self.shared..).and_then(<[_]>::last_mut);
        if let Some((block, tokens)) = own.filter(|(_, tokens)| *tokens < block_tokens) {
            *tokens += 1;
            return Some(block.number() * block_tokens + *tokens - 1);
        }
        let block = self.reserved.pop().or_else(|| pool.take())?;
        let slot = block.number() * block_tokens;
        self.runs.push((block, 1));
        Some(slot)
    }

    /// How many tokens there is room for.
    pub(super) fn room(&self, pool: &BlockPool) -> usize {
        let block_tokens = pool.block_tokens();
        let own = self.runs.get(self.shared..).and_then(<[_]>::last);
        let begun = own.map_or(0, |(_, tokens)| block_tokens - tokens);
        // A pool without an end is counted in, too.
        let free = self.reserved.len().saturating_add(pool.free_blocks());
        free.saturating_mul(block_tokens).saturating_add(begun)
    }

    /// Takes back the newest token; a block that is empty then is reserved again.
    pub(super) fn pop(&mut self) {
        if let Some((block, tokens)) = self.runs.pop() {
            if tokens > 1 {
                self.runs.push((block, tokens - 1));
            } else {
                self.reserved.push(block);
            }
        }
    }

    /// Blocks and how many tokens of each are this sequence's, in the order of their positions.
    pub(super) fn runs(&self) -> impl ExactSizeIterator<Item = (usize, usize)> {
        self.runs.iter().map(|(block, tokens)| (block.number(), *tokens))
    }

    /// As [`Self::runs`], with a share in each block.
    pub(super) fn held_runs(&self) -> Vec<(Block, usize)> {
        self.runs.clone()
    }

    /// The blocks of all its runs.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.runs.iter().map(|(block, _)| block)
    }

    /// Sets further blocks aside for tokens to come.
    pub(super) fn reserve(&mut self, blocks: Vec<Block>) {
        self.reserved.extend(blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_shares_what_is_there_and_writes_elsewhere() {
        let pool = BlockPool::new(4, 2);
        let mut prompt = BlockTable::default();
        let slots: Vec<_> = (0..3).filter_map(|_| prompt.push(&pool)).collect();
        assert_eq!(slots, [0, 1, 2]);
        let mut sample = prompt.fork();
        sample.reserve(pool.take_all(1).unwrap());
        assert_eq!(sample.push(&pool), Some(4));
        assert_eq!(sample.runs().collect::<Vec<_>>(), [(0, 2), (1, 1), (2, 1)]);
        assert_eq!(prompt.push(&pool), Some(3));
        sample.pop();
        drop(prompt);
        assert_eq!(sample.push(&pool), Some(4));
        assert_eq!(pool.free_blocks(), 1);
        drop(sample);
        assert_eq!(pool.free_blocks(), 4);
    }
}
