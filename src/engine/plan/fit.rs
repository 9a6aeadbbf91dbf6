//! Which sequences are planned together, and which fit nowhere.

use super::pool::BlockPool;
use super::tree::{PathEnd, PrefixTree, TokenPath};

/// A prefix tree whose every path fits into the pool.
#[derive(Clone, Debug)]
pub struct FittingTree<'a> {
    /// The tree.
    pub tree: PrefixTree<'a>,
    /// For each path of the tree, the index of its sequence in the list given to [`fit`].
    pub members: Vec<usize>,
}

/// A sequence that does not fit into the pool even alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OversizedSequence {
    /// Its index in the list given to [`fit`].
    pub member: usize,
    /// Blocks it needs.
    pub blocks: usize,
}

/// One tree for all sequences, but for those that do not fit into the pool.
///
/// `more_blocks` tells how many blocks a sequence needs beside those of its path. Every fork begins a
/// new block, so a path of a tree can need more blocks than its sequence alone; such sequences get
/// trees of their own, and whether a sequence can be answered never depends on the others.
pub fn fit<'a>(
    paths: &[TokenPath<'a>],
    path_end: PathEnd,
    pool: &BlockPool,
    more_blocks: &dyn Fn(usize) -> usize,
) -> (Vec<FittingTree<'a>>, Vec<OversizedSequence>) {
    let (mut trees, mut oversized) = (Vec::new(), Vec::new());
    let mut groups = vec![(0..paths.len()).collect::<Vec<usize>>()];
    while let Some(members) = groups.pop() {
        let tree = PrefixTree::new(members.iter().map(|&member| paths[member]).collect(), path_end);
        let path_blocks = tree.path_blocks(pool.block_tokens());
        let blocks = |path: usize| {
            tree.leaf(path).map_or(0, |leaf| path_blocks[leaf] + more_blocks(members[path]))
        };
        let (fitting, others): (Vec<usize>, Vec<usize>) =
            (0..members.len()).partition(|&path| blocks(path) <= pool.capacity());
        if others.is_empty() {
            trees.push(FittingTree { tree, members });
        } else if let [member] = members.as_slice() {
            oversized.push(OversizedSequence { member: *member, blocks: blocks(0) });
        } else {
            groups.extend(others.into_iter().rev().map(|path| vec![members[path]]));
            groups.push(fitting.into_iter().map(|path| members[path]).collect());
        }
    }
    (trees, oversized)
}
