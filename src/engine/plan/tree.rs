//! The prefix tree: what a list of token sequences has in common.
//!
//! Sequences of an evaluation share most of their tokens. Here every distinct pair of a prefix and
//! the token after it is one node, and a maximal run of nodes between two branchings is a
//! [`Segment`], the unit that is computed. Sequences are divided by their next token and each group
//! shares what all its members begin with, so every token is looked at about once and segments come
//! out in depth-first order. Tokens are never copied, and there is no object per token.

use std::ops::Range;

use super::layout::SequenceLayout;

/// Tokens that are compared at once while looking for the end of a common prefix.
const COMPARED_TOKENS: usize = 64;

/// One sequence of token ids, and from where on its surprisals are wanted.
#[derive(Clone, Copy, Debug)]
pub struct TokenPath<'a> {
    /// All its tokens.
    pub ids: &'a [u32],
    /// Index of the first token whose surprisal is wanted; 0 means the same as 1.
    pub first_target: usize,
    /// What positions do not say, where it has images.
    pub layout: Option<&'a SequenceLayout>,
}

impl<'a> TokenPath<'a> {
    /// A sequence without images.
    pub fn of_tokens(ids: &'a [u32], first_target: usize) -> Self {
        Self { ids, first_target, layout: None }
    }
}

impl TokenPath<'_> {
    /// The tokens whose surprisal is wanted.
    fn targets(&self) -> Range<usize> {
        let len = self.ids.len();
        self.first_target.clamp(1, len.max(1))..len.max(1)
    }
}

/// What the last token of a sequence is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// It is scored and nothing follows it, so it needs no row. Sequences without a target need
    /// nothing at all.
    Target,
    /// Something is to follow it, so it needs a row.
    Row,
}

/// A maximal run of tokens between two branchings, or between a branching and an end.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The segment it continues.
    pub parent: Option<usize>,
    /// Position of its first token.
    pub start: usize,
    /// One past the position of its last token.
    pub end: usize,
    /// One past its last descendant, in depth-first order.
    pub subtree_end: usize,
    /// A sequence it is part of.
    path: usize,
    /// Position of the first token that some sequence through it wants scored.
    scored_from: usize,
    /// Where the surprisals of its scored tokens begin.
    first_slot: usize,
}

impl Segment {
    /// Positions of its scored tokens; possibly none.
    fn scored(&self) -> Range<usize> {
        self.scored_from.clamp(self.start, self.end)..self.end
    }

    /// The index, among the surprisals of all segments, of that of its token at `position`; `None` if it is not wanted.
    pub fn slot(&self, position: usize) -> Option<usize> {
        let scored = self.scored();
        scored.contains(&position).then(|| self.first_slot + position - scored.start)
    }
}

/// The distinct prefixes of a list of sequences.
#[derive(Clone, Debug)]
pub struct PrefixTree<'a> {
    paths: Vec<TokenPath<'a>>,
    path_end: PathEnd,
    segments: Vec<Segment>,
    /// The segment each sequence ends with, if anything of it is needed.
    leaves: Vec<Option<usize>>,
    /// The sequences of which something is needed, in depth-first order.
    order: Vec<usize>,
    scored_tokens: usize,
}

/// Sequences that agree in their first `depth` tokens and, below the root, in the next one.
struct Group {
    members: Range<usize>,
    depth: usize,
    parent: Option<usize>,
}

impl<'a> PrefixTree<'a> {
    /// The tree of `paths`. All other functions name a path by its index in this list.
    pub fn new(paths: Vec<TokenPath<'a>>, path_end: PathEnd) -> Self {
        let needed = |path: &TokenPath<'_>| match path_end {
            PathEnd::Target => !path.targets().is_empty(),
            PathEnd::Row => !path.ids.is_empty(),
        };
        let order: Vec<usize> = (0..paths.len()).filter(|&path| needed(&paths[path])).collect();
        let leaves = vec![None; paths.len()];
        let mut tree =
            Self { paths, path_end, segments: Vec::new(), leaves, order, scored_tokens: 0 };
        tree.divide();
        tree.link();
        tree
    }

    /// Makes the segments, in depth-first order.
    fn divide(&mut self) {
        let paths = &self.paths;
        let mut groups = vec![Group { members: 0..self.order.len(), depth: 0, parent: None }];
        while let Some(Group { members: range, depth, parent }) = groups.pop() {
            let members = &mut self.order[range.clone()];
            let Some(&path) = members.first() else { continue };
            let ids = paths[path].ids;
            let end = members.iter().skip(1).fold(ids.len(), |end, &member| {
                depth + common_tokens(&ids[depth..end], &paths[member].ids[depth..])
            });
            // Only sequences that differ from the first token on have no segment in common.
            let parent = if end > depth {
                self.segments.push(Segment {
                    parent,
                    start: depth,
                    end,
                    subtree_end: self.segments.len() + 1,
                    path,
                    scored_from: usize::MAX,
                    first_slot: 0,
                });
                Some(self.segments.len() - 1)
            } else {
                parent
            };
            let next = |member: &usize| paths[*member].ids.get(end).copied();
            members.sort_by_cached_key(next);
            let (mut first, earlier_groups) = (range.start, groups.len());
            for members in members.chunk_by(|one, other| next(one) == next(other)) {
                let group = first..first + members.len();
                first = group.end;
                if members.first().and_then(next).is_some() {
                    groups.push(Group { members: group, depth: end, parent });
                } else {
                    for &member in members {
                        self.leaves[member] = parent;
                    }
                }
            }
            groups[earlier_groups..].reverse();
        }
    }

    /// Tells segments what stands below them.
    fn link(&mut self) {
        for &path in &self.order {
            if let (Some(leaf), PathEnd::Target) = (self.leaves[path], self.path_end) {
                let scored_from = &mut self.segments[leaf].scored_from;
                *scored_from = self.paths[path].targets().start.min(*scored_from);
            }
        }
        for index in (0..self.segments.len()).rev() {
            let Segment { parent, subtree_end, scored_from, .. } = self.segments[index];
            if let Some(parent) = parent.map(|parent| &mut self.segments[parent]) {
                parent.subtree_end = parent.subtree_end.max(subtree_end);
                parent.scored_from = parent.scored_from.min(scored_from);
            }
        }
        for segment in &mut self.segments {
            segment.first_slot = self.scored_tokens;
            self.scored_tokens += segment.scored().len();
        }
    }

    /// All segments, in depth-first order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The tokens of a segment at `positions`, counted from the beginning of its sequences.
    pub fn tokens(&self, segment: &Segment, positions: Range<usize>) -> &'a [u32] {
        &self.paths[segment.path].ids[positions]
    }

    /// What positions do not say of a sequence.
    pub(super) fn layout(&self, path: usize) -> Option<&'a SequenceLayout> {
        self.paths.get(path).and_then(|path| path.layout)
    }

    /// What positions do not say of a segment and what comes before it.
    pub(super) fn segment_layout(&self, segment: &Segment) -> Option<&'a SequenceLayout> {
        self.layout(segment.path)
    }

    /// The segments that continue `index`.
    pub fn children(&self, index: usize) -> impl Iterator<Item = &Segment> {
        let end = self.segments[index].subtree_end;
        let mut child = index + 1;
        std::iter::from_fn(move || {
            let segment = self.segments.get(child).filter(|_| child < end)?;
            child = segment.subtree_end;
            Some(segment)
        })
    }

    /// How many tokens of a segment are computed: all, but for a last one that is only a target.
    pub fn rows(&self, index: usize) -> usize {
        let segment = &self.segments[index];
        let is_leaf = segment.subtree_end == index + 1;
        segment.end - segment.start - usize::from(is_leaf && self.path_end == PathEnd::Target)
    }

    /// The sequences of which something is needed, in depth-first order of their ends.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The segment a sequence ends with; `None` if nothing of it is needed.
    pub fn leaf(&self, path: usize) -> Option<usize> {
        self.leaves[path]
    }

    /// How many distinct surprisals are wanted.
    pub fn scored_tokens(&self) -> usize {
        self.scored_tokens
    }

    /// How many rows are computed: one for every distinct prefix that something follows.
    pub fn computed_tokens(&self) -> usize {
        (0..self.segments.len()).map(|index| self.rows(index)).sum()
    }

    /// How many tokens the sequences have, each counted in full.
    pub fn nominal_tokens(&self) -> usize {
        self.paths.iter().map(|path| path.ids.len()).sum()
    }

    /// What belongs to one sequence's targets, out of what belongs to the scored tokens of all segments;
    /// `missing` for a target that no segment has.
    pub fn of_targets<T: Copy>(&self, path: usize, all: &[T], missing: T) -> Vec<T> {
        let targets = self.paths[path].targets();
        let mut found = vec![missing; targets.len()];
        let mut next = self.leaves[path];
        while let Some(segment) = next.map(|index| &self.segments[index]) {
            let first = segment.start.max(targets.start);
            let Some(slot) = segment.slot(first) else { break };
            let own = first - targets.start..segment.end - targets.start;
            let count = own.len();
            found[own].copy_from_slice(&all[slot..slot + count]);
            next = segment.parent;
        }
        found
    }

    /// How many blocks the rows of each segment and its ancestors fill together, when every segment
    /// begins a block of its own.
    pub fn path_blocks(&self, block_tokens: usize) -> Vec<usize> {
        let mut blocks: Vec<usize> = Vec::with_capacity(self.segments.len());
        for (index, segment) in self.segments.iter().enumerate() {
            let earlier = segment.parent.map_or(0, |parent| blocks[parent]);
            blocks.push(earlier + self.rows(index).div_ceil(block_tokens));
        }
        blocks
    }
}

/// How many tokens two sequences have in common at their beginning.
pub(super) fn common_tokens(one: &[u32], other: &[u32]) -> usize {
    let whole = one.len().min(other.len());
    let chunks = one.chunks(COMPARED_TOKENS).zip(other.chunks(COMPARED_TOKENS));
    let equal = chunks.take_while(|(one, other)| one == other).count() * COMPARED_TOKENS;
    let start = equal.min(whole);
    let rest = one[start..whole].iter().zip(&other[start..whole]);
    start + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn tree<'a>(sequences: &'a [&'a [u32]]) -> PrefixTree<'a> {
        let paths = sequences.iter().map(|ids| TokenPath::of_tokens(ids, 0)).collect();
        PrefixTree::new(paths, PathEnd::Target)
    }

    #[test]
    fn candidates_share_their_question() {
        let sequences: [&[u32]; 5] = [&[1, 2, 3, 9], &[1, 2, 4], &[1, 2, 3, 8], &[1, 2, 3], &[7]];
        let tree = tree(&sequences);
        let runs: Vec<_> = tree
            .segments()
            .iter()
            .map(|segment| (segment.parent, tree.tokens(segment, segment.start..segment.end)))
            .collect();
        let expected: [(Option<usize>, &[u32]); 5] =
            [(None, &[1, 2]), (Some(0), &[3]), (Some(1), &[8]), (Some(1), &[9]), (Some(0), &[4])];
        assert_eq!(runs, expected);
        assert_eq!(
            (0..5).map(|path| tree.leaf(path)).collect::<Vec<_>>(),
            [Some(3), Some(4), Some(2), Some(1), None]
        );
        assert_eq!(tree.order(), [3, 2, 0, 1]);
        assert_eq!(
            (tree.nominal_tokens(), tree.computed_tokens(), tree.scored_tokens()),
            (15, 3, 5)
        );
        let all: Vec<f32> = (0..5u8).map(f32::from).collect();
        assert_eq!(tree.of_targets(0, &all, f32::NAN), [0.0, 1.0, 3.0]);
        assert!(tree.of_targets(4, &all, f32::NAN).is_empty());
    }

    #[test]
    fn long_common_prefixes_end_where_they_end() {
        let one: Vec<u32> = (0..300).collect();
        for end in [0, 1, 63, 64, 65, 128, 299, 300] {
            let mut other = one.clone();
            other.extend([5; 70]);
            if let Some(id) = other.get_mut(end) {
                *id = 1000;
            }
            assert_eq!(common_tokens(&one, &other), end);
            assert_eq!(common_tokens(&one[..end], &one), end);
        }
    }

    proptest! {
        /// One row per distinct prefix that something follows, one surprisal per distinct target.
        #[test]
        fn every_distinct_prefix_is_counted_once(
            requests in prop::collection::vec(
                (prop::collection::vec(0u32..3, 0..9), 0usize..9), 0..30)
        ) {
            let (mut rows, mut scored) = (BTreeSet::new(), BTreeSet::new());
            for (ids, first_target) in &requests {
                for target in (*first_target).max(1)..ids.len() {
                    scored.insert(&ids[..=target]);
                    rows.extend((1..=target).map(|end| &ids[..end]));
                }
            }
            let paths = requests
                .iter()
                .map(|(ids, first_target)| TokenPath::of_tokens(ids, *first_target))
                .collect();
            let tree = PrefixTree::new(paths, PathEnd::Target);
            prop_assert_eq!(tree.computed_tokens(), rows.len());
            prop_assert_eq!(tree.scored_tokens(), scored.len());
        }
    }
}
