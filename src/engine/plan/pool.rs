//! The memory of keys and values, as numbered blocks.
//!
//! The pool hands out blocks and never more than there are. A [`Block`] counts its holders; when
//! the last one lets go, the block is back in the pool: nothing can be freed twice, freed too early
//! or forgotten. The lowest free number is handed out first, so that memory beyond the highest
//! number ever needed is never touched. It knows numbers only; the memory itself is the model's.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// A fixed number of equal blocks.
#[derive(Clone, Debug)]
pub struct BlockPool {
    free: Rc<RefCell<FreeBlocks>>,
    capacity: usize,
    block_tokens: usize,
}

/// The blocks that nobody holds: those that were returned, and all numbers from `untouched` on.
#[derive(Debug, Default)]
struct FreeBlocks {
    returned: BinaryHeap<Reverse<usize>>,
    untouched: usize,
}

/// A counted reference to a block; the block is free again when the last one is dropped.
#[derive(Clone, Debug)]
pub struct Block(Rc<HeldBlock>);

#[derive(Debug)]
struct HeldBlock {
    number: usize,
    free: Rc<RefCell<FreeBlocks>>,
}

impl Drop for HeldBlock {
    fn drop(&mut self) {
        self.free.borrow_mut().returned.push(Reverse(self.number));
    }
}

impl Block {
    /// Which block it is.
    pub fn number(&self) -> usize {
        self.0.number
    }
}

impl BlockPool {
    /// `capacity` blocks for the keys and values of `block_tokens` tokens each; at least one of both.
    pub fn new(capacity: usize, block_tokens: usize) -> Self {
        Self { free: Rc::default(), capacity: capacity.max(1), block_tokens: block_tokens.max(1) }
    }

    /// How many blocks there are.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Tokens in a block.
    pub fn block_tokens(&self) -> usize {
        self.block_tokens
    }

    /// How many blocks are free.
    pub fn free_blocks(&self) -> usize {
        let free = self.free.borrow();
        self.capacity - free.untouched + free.returned.len()
    }

    /// The most blocks that were held at once. Also one past the highest number ever handed out.
    pub fn peak_blocks(&self) -> usize {
        self.free.borrow().untouched
    }

    /// The lowest free block.
    pub fn take(&self) -> Option<Block> {
        let mut free = self.free.borrow_mut();
        let number = match free.returned.pop() {
            Some(Reverse(number)) => number,
            None if free.untouched < self.capacity => {
                free.untouched += 1;
                free.untouched - 1
            }
            None => return None,
        };
        Some(Block(Rc::new(HeldBlock { number, free: Rc::clone(&self.free) })))
    }

    /// `count` blocks, or none if there are fewer.
    pub fn take_all(&self, count: usize) -> Option<Vec<Block>> {
        if self.free_blocks() < count { None } else { (0..count).map(|_| self.take()).collect() }
    }

    /// Whether nobody holds the block.
    #[cfg(test)]
    pub(super) fn is_free(&self, number: usize) -> bool {
        let free = self.free.borrow();
        number >= free.untouched || free.returned.iter().any(|returned| returned.0 == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_with_their_last_holder_and_the_lowest_goes_first() {
        let pool = BlockPool::new(3, 16);
        let mut held = pool.take_all(3).unwrap();
        assert!(pool.take().is_none());
        let shared = held[1].clone();
        held.truncate(1);
        assert_eq!((pool.free_blocks(), shared.number()), (1, 1));
        assert!(pool.take_all(2).is_none());
        drop(shared);
        assert_eq!(pool.take().unwrap().number(), 1);
        drop(held);
        assert_eq!(pool.take().unwrap().number(), 0);
        assert_eq!((pool.free_blocks(), pool.peak_blocks()), (3, 3));
    }
}
