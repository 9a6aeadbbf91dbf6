//! What sequences that are done left behind, for those that begin like them.
//!
//! A tree of computed tokens, cut where sequences part. Each node knows the blocks from the very beginning to its last
//! token, so whoever goes on from any place in it takes a list and counts up: nothing is copied. What was found out
//! about a token, given those before it, is kept beside it. When blocks are short, the leaf that was of no use for
//! longest goes first.

use std::collections::{BTreeMap, BTreeSet};

use super::pool::{Block, BlockPool};
use super::table::BlockTable;

/// Tokens whose keys and values are still there, as a tree; `K` is what is known of a token.
#[derive(Debug)]
pub struct PrefixCache<K> {
    nodes: Vec<Option<Node<K>>>,
    /// Nodes of sequences that share nothing, by their first token.
    roots: BTreeMap<u32, usize>,
    /// Nodes that nothing continues, the one of no use for longest first.
    leaves: BTreeSet<(u64, usize)>,
    vacant: Vec<usize>,
    /// Counts look-ups.
    clock: u64,
    tokens: usize,
}

#[derive(Debug)]
struct Node<K> {
    parent: Option<usize>,
    /// Position of its first token.
    start: usize,
    ids: Vec<u32>,
    /// For each of its tokens.
    known: Vec<Option<K>>,
    /// Blocks from the beginning of its sequences to its last token, with how many tokens of each are theirs.
    runs: Vec<(Block, usize)>,
    children: BTreeMap<u32, usize>,
    used: u64,
}

/// How far a sequence is there.
#[derive(Debug)]
pub struct CachedPrefix<K> {
    /// How many of its tokens.
    pub tokens: usize,
    /// What is known of each of these tokens.
    pub known: Vec<Option<K>>,
    runs: Vec<(Block, usize)>,
}

impl<K> CachedPrefix<K> {
    /// A table that goes on after the first `tokens` of these tokens, in blocks of its own.
    pub(super) fn table(&self, tokens: usize) -> BlockTable {
        BlockTable::behind(truncated(&self.runs, tokens))
    }
}

impl<K> Default for PrefixCache<K> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            roots: BTreeMap::new(),
            leaves: BTreeSet::new(),
            vacant: Vec::new(),
            clock: 0,
            tokens: 0,
        }
    }
}

impl<K: Clone> PrefixCache<K> {
    /// How many tokens are there.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// The longest beginning of `ids` that is there. It is of use from now on.
    pub fn find(&mut self, ids: &[u32]) -> CachedPrefix<K> {
        let path = self.walk(ids);
        self.clock += 1;
        let mut found = CachedPrefix { tokens: 0, known: Vec::new(), runs: Vec::new() };
        for &(index, common) in &path {
            self.touch(index);
            if let Some(node) = &self.nodes[index] {
                found.tokens += common;
                found.known.extend_from_slice(&node.known[..common]);
                found.runs.clone_from(&node.runs);
            }
        }
        found.runs = truncated(&found.runs, found.tokens);
        found
    }

    /// How many tokens at the beginning of `ids` are there.
    pub fn common_tokens(&self, ids: &[u32]) -> usize {
        self.walk(ids).iter().map(|(_, common)| common).sum()
    }

    /// Keeps the tokens `ids`, whose keys and values are in the blocks of `table`, with what is `known` of each. What is
    /// there already stays where it is; where nothing was known of a token, or `is_better`, it is learnt.
    pub(super) fn keep(
        &mut self,
        ids: &[u32],
        table: &BlockTable,
        known: &[Option<K>],
        is_better: impl Fn(&K, &K) -> bool,
    ) {
        self.clock += 1;
        let path = self.walk(ids);
        let mut done = 0;
        let mut last = None;
        for &(index, common) in &path {
            if let Some(node) = &mut self.nodes[index] {
                for (old, new) in node.known.iter_mut().zip(&known[done..done + common]) {
                    match (&old, new) {
                        (None, Some(_)) => old.clone_from(new),
                        (Some(have), Some(found)) if is_better(found, have) => old.clone_from(new),
                        _ => {}
                    }
                }
            }
            self.touch(index);
            (done, last) = (done + common, Some((index, common)));
        }
        if done == ids.len() {
            return;
        }
        let parent = last.map(|(index, common)| {
            self.split(index, common);
            index
        });
        let node = Node {
            parent,
            start: done,
            ids: ids[done..].to_vec(),
            known: known[done..].to_vec(),
            runs: truncated(&table.held_runs(), ids.len()),
            children: BTreeMap::new(),
            used: self.clock,
        };
        self.tokens += node.ids.len();
        self.add(node);
    }

    /// Forgets leaves until `count` blocks are free; whether they are.
    pub fn make_room(&mut self, count: usize, pool: &BlockPool) -> bool {
        while pool.free_blocks() < count {
            let Some(&(_, leaf)) = self.leaves.first() else { return false };
            self.forget(leaf);
        }
        true
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self { clock: self.clock, ..Self::default() };
    }

    /// The nodes that `ids` lead through, each with how many of its tokens agree.
    fn walk(&self, ids: &[u32]) -> Vec<(usize, usize)> {
        let (mut path, mut done) = (Vec::new(), 0);
        let mut children = &self.roots;
        while let Some(&index) = ids.get(done).and_then(|id| children.get(id))
            && let Some(node) = &self.nodes[index]
        {
            let pairs = node.ids.iter().zip(&ids[done..]);
            let common = pairs.take_while(|(one, other)| one == other).count();
            path.push((index, common));
            done += common;
            if common < node.ids.len() {
                break;
            }
            children = &node.children;
        }
        path
    }

    /// Notes that a node was of use.
    fn touch(&mut self, index: usize) {
        let clock = self.clock;
        if let Some(node) = &mut self.nodes[index] {
            if self.leaves.remove(&(node.used, index)) {
                self.leaves.insert((clock, index));
            }
            node.used = clock;
        }
    }

    /// Cuts a node in two behind its first `common` tokens, of which there is one at least.
    fn split(&mut self, index: usize, common: usize) {
        let Some(node) = &mut self.nodes[index] else { return };
        if common >= node.ids.len() {
            return;
        }
        let below = Node {
            parent: Some(index),
            start: node.start + common,
            ids: node.ids.split_off(common),
            known: node.known.split_off(common),
            runs: node.runs.clone(),
            children: std::mem::take(&mut node.children),
            used: node.used,
        };
        node.runs = truncated(&node.runs, below.start);
        let (used, children) = (node.used, below.children.values().copied().collect::<Vec<_>>());
        self.leaves.remove(&(used, index));
        let below = self.add(below);
        for child in children {
            if let Some(child) = &mut self.nodes[child] {
                child.parent = Some(below);
            }
        }
    }

    /// Puts a node below its parent.
    fn add(&mut self, node: Node<K>) -> usize {
        let (parent, used, is_leaf) = (node.parent, node.used, node.children.is_empty());
        let first = node.ids.first().copied();
        let index = self.vacant.pop().unwrap_or_else(|| {
            self.nodes.push(None);
            self.nodes.len() - 1
        });
        self.nodes[index] = Some(node);
        if is_leaf {
            self.leaves.insert((used, index));
        }
        let siblings = match parent.and_then(|parent| self.nodes[parent].as_mut()) {
            Some(above) => {
                if let Some(parent) = parent {
                    self.leaves.remove(&(above.used, parent));
                }
                &mut above.children
            }
            None => &mut self.roots,
        };
        siblings.extend(first.map(|first| (first, index)));
        index
    }

    /// Forgets a leaf.
    fn forget(&mut self, index: usize) {
        let Some(node) = self.nodes[index].take() else { return };
        self.leaves.remove(&(node.used, index));
        self.vacant.push(index);
        self.tokens -= node.ids.len();
        let first = node.ids.first();
        match node.parent.and_then(|parent| self.nodes[parent].as_mut().zip(Some(parent))) {
            Some((above, parent)) => {
                first.and_then(|first| above.children.remove(first));
                if above.children.is_empty() {
                    self.leaves.insert((above.used, parent));
                }
            }
            None => _ = first.and_then(|first| self.roots.remove(first)),
        }
    }
}

/// The blocks of the first `tokens` tokens.
fn truncated(runs: &[(Block, usize)], tokens: usize) -> Vec<(Block, usize)> {
    let mut left = tokens;
    let mut kept = Vec::new();
    for (block, count) in runs {
        if left == 0 {
            break;
        }
        let own = left.min(*count);
        kept.push((block.clone(), own));
        left -= own;
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn table(pool: &BlockPool, tokens: usize) -> Option<BlockTable> {
        let mut table = BlockTable::default();
        (0..tokens).all(|_| table.push(pool).is_some()).then_some(table)
    }

    #[test]
    fn what_is_common_is_kept_once_and_the_oldest_leaf_goes_first() {
        let pool = BlockPool::new(6, 2);
        let mut cache = PrefixCache::<u32>::default();
        let keep = |cache: &mut PrefixCache<u32>, ids: &[u32]| {
            let found = cache.find(ids);
            let mut own = found.table(found.tokens);
            (found.tokens..ids.len()).for_each(|_| assert!(own.push(&pool).is_some()));
            let known: Vec<Option<u32>> = ids.iter().map(|id| Some(id * 10)).collect();
            cache.keep(ids, &own, &known, |_, _| false);
            found.tokens
        };
        assert_eq!(keep(&mut cache, &[1, 2, 3, 4]), 0);
        assert_eq!(keep(&mut cache, &[1, 2, 3, 5]), 3);
        assert_eq!(keep(&mut cache, &[1, 9]), 1);
        assert_eq!((cache.tokens(), pool.free_blocks()), (6, 2));
        assert_eq!(cache.find(&[1, 2, 3, 4, 7]).known, [Some(10), Some(20), Some(30), Some(40)]);
        // 5 is of no use for longest; its block alone is freed, those it shares stay.
        assert!(cache.make_room(3, &pool));
        assert_eq!(cache.common_tokens(&[1, 2, 3, 5]), 3);
        assert!(!cache.make_room(7, &pool));
        assert_eq!((cache.tokens(), pool.free_blocks()), (0, 6));
    }

    proptest! {
        /// Whatever is found is what was kept, and once all is forgotten every block is free.
        #[test]
        fn what_is_found_was_kept(
            sequences in prop::collection::vec(
                (prop::collection::vec(0u32..3, 1..14), 0usize..12), 1..40),
            block_tokens in 1usize..5,
            blocks in 8usize..40,
        ) {
            let pool = BlockPool::new(blocks, block_tokens);
            let mut cache = PrefixCache::<Vec<u32>>::default();
            // The token that was last written into each slot, with those before it.
            let mut slots = BTreeMap::<usize, Vec<u32>>::new();
            for (ids, room) in &sequences {
                cache.make_room((*room).min(blocks), &pool);
                let found = cache.find(ids);
                prop_assert_eq!(found.tokens, cache.common_tokens(ids));
                let places: Vec<usize> = found
                    .table(found.tokens)
                    .runs()
                    .flat_map(|(block, count)| (block * block_tokens..).take(count))
                    .collect();
                for (at, place) in places.iter().enumerate() {
                    prop_assert_eq!(&slots[place], &ids[..=at]);
                    prop_assert_eq!(found.known[at].as_deref(), Some(&ids[..=at]));
                }
                let mut own = found.table(found.tokens);
                let needed = (ids.len() - found.tokens).div_ceil(block_tokens);
                if !cache.make_room(needed, &pool) {
                    continue;
                }
                for at in found.tokens..ids.len() {
                    let slot = own.push(&pool);
                    slots.insert(slot.unwrap(), ids[..=at].to_vec());
                }
                let known: Vec<_> = (0..ids.len()).map(|at| Some(ids[..=at].to_vec())).collect();
                cache.keep(ids, &own, &known, |_, _| false);
                prop_assert_eq!(cache.common_tokens(ids), ids.len());
            }
            cache.clear();
            prop_assert_eq!(pool.free_blocks(), blocks);
            prop_assert!(table(&pool, blocks * block_tokens).is_some());
        }
    }
}
