//! What texts begin with in common, once.

use std::{collections::HashMap, ops::Range};

use super::token_marks::{MarkLists, TokenMarks};
use crate::report::page::{SegmentToken, Segments};

/// Texts that are told one after another, as a tree of stretches.
#[derive(Default)]
pub(super) struct TextTree {
    tokens: Vec<MarkedToken>,
    nodes: Vec<Node>,
    /// The node after a node that begins with a token.
    next: HashMap<(Option<usize>, Token), usize>,
}

/// A token of a text, with where its bytes come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MarkedToken {
    pub(super) token: SegmentToken,
    pub(super) marks: TokenMarks,
}

/// Where a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextEnd(usize);

struct Node {
    parent: Option<usize>,
    /// Its tokens among all.
    tokens: Range<usize>,
}

/// A token with the bits of its surprisal and its marks.
type Token = (u32, Option<u32>, TokenMarks);

fn token(own: &MarkedToken) -> Token {
    (own.token.piece, own.token.nll.map(f32::to_bits), own.marks)
}

impl TextTree {
    /// Adds a text.
    pub(super) fn add(&mut self, text: &[MarkedToken]) -> TextEnd {
        let mut parent = None;
        let mut rest = text;
        while let Some(first) = rest.first() {
            let key = (parent, token(first));
            let Some(&node) = self.next.get(&key) else { break };
            let own = &self.tokens[self.nodes[node].tokens.clone()];
            let shared =
                own.iter().zip(rest).take_while(|(one, other)| token(one) == token(other)).count();
            let is_whole = shared == own.len();
            parent = Some(if is_whole { node } else { self.split(node, shared) });
            rest = &rest[shared..];
            if !is_whole {
                break;
            }
        }
        if rest.is_empty()
            && let Some(end) = parent
        {
            return TextEnd(end);
        }
        let start = self.tokens.len();
        self.tokens.extend(rest);
        let node = self.push(parent, start..self.tokens.len());
        TextEnd(node)
    }

    /// Adds a node and makes it known to its parent.
    fn push(&mut self, parent: Option<usize>, tokens: Range<usize>) -> usize {
        let node = self.nodes.len();
        if let Some(first) = self.tokens.get(tokens.start).filter(|_| !tokens.is_empty()) {
            self.next.insert((parent, token(first)), node);
        }
        self.nodes.push(Node { parent, tokens });
        node
    }

    /// Cuts a node in two after so many tokens; gives the new one, which is the first part. The second keeps its
    /// number, because texts end there.
    fn split(&mut self, node: usize, after: usize) -> usize {
        let Node { parent, tokens } = &self.nodes[node];
        let (parent, middle, start) = (*parent, tokens.start + after, tokens.start);
        let first = self.push(parent, start..middle);
        self.next.insert((Some(first), token(&self.tokens[middle])), node);
        self.nodes[node] =
            Node { parent: Some(first), tokens: middle..self.nodes[node].tokens.end };
        first
    }

    /// Writes the stretches that the texts are made of, near the texts that need them first; gives the segment in
    /// which each of `ends` ends. `lists` are those of the tokens' marks, `bytes_of` tells how much of a text a piece is.
    pub(super) fn write(
        self,
        ends: &[TextEnd],
        model: usize,
        lists: &MarkLists,
        bytes_of: &dyn Fn(u32) -> usize,
        segments: &mut Segments,
    ) -> Vec<usize> {
        let mut written: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut found = Vec::with_capacity(ends.len());
        for TextEnd(end) in ends {
            let mut way = vec![*end];
            let mut at = *end;
            while let Some(parent) =
                self.nodes[at].parent.filter(|parent| written[*parent].is_none())
            {
                way.push(parent);
                at = parent;
            }
            for node in way.into_iter().rev() {
                let Node { parent, tokens } = &self.nodes[node];
                let parent = parent.and_then(|parent| written[parent]);
                let own = &self.tokens[tokens.clone()];
                let marks =
                    lists.joined(own.iter().map(|own| (own.marks, bytes_of(own.token.piece))));
                let own = own.iter().map(|own| own.token);
                written[node].get_or_insert_with(|| segments.push(parent, model, own, marks));
            }
            found.push(written[*end].unwrap_or_default());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::report::page::Mark;

    fn tokens(pieces: &[u32]) -> Vec<MarkedToken> {
        let token = |piece: u32| SegmentToken { piece, nll: Some(piece as f32) };
        let marked = |&piece| MarkedToken { token: token(piece), marks: TokenMarks::default() };
        pieces.iter().map(marked).collect()
    }

    fn written(tree: TextTree, ends: &[TextEnd]) -> (Segments, Vec<usize>) {
        let mut segments = Segments::default();
        let found = tree.write(ends, 0, &MarkLists::default(), &|_| 1, &mut segments);
        (segments, found)
    }

    proptest! {
        #[test]
        fn every_text_is_the_chain_of_its_segments_and_nothing_shared_is_written_twice(
            texts in prop::collection::vec(prop::collection::vec(0_u32..3, 0..8), 1..30),
        ) {
            let mut tree = TextTree::default();
            let ends: Vec<TextEnd> = texts.iter().map(|own| tree.add(&tokens(own))).collect();
            let (segments, found) = written(tree, &ends);
            for (text, last) in texts.iter().zip(found) {
                let own: Vec<SegmentToken> = tokens(text).iter().map(|own| own.token).collect();
                prop_assert_eq!(segments.text(last), own);
            }
            let distinct: BTreeSet<&[u32]> =
                texts.iter().flat_map(|text| (1..=text.len()).map(|end| &text[..end])).collect();
            prop_assert_eq!(segments.tokens(), distinct.len());
        }
    }

    #[test]
    fn a_token_with_another_surprisal_is_another_token() {
        let mut tree = TextTree::default();
        let other = [MarkedToken {
            token: SegmentToken { piece: 1, nll: None },
            marks: TokenMarks::default(),
        }];
        let ends = [tree.add(&tokens(&[1])), tree.add(&other), tree.add(&other)];
        assert_eq!(written(tree, &ends).1, [0, 1, 1]);
    }

    #[test]
    fn a_token_from_another_place_is_another_token() {
        let mut lists = MarkLists::default();
        let mut of = |style| {
            let marks = lists.of_tokens(
                &[1, 1],
                &[Mark { bytes: 1, style: 1 }, Mark { bytes: 1, style }],
                0,
            );
            let own = tokens(&[1, 2]).into_iter().zip(marks);
            own.map(|(own, marks)| MarkedToken { marks, ..own }).collect::<Vec<_>>()
        };
        let texts = [of(1), of(2), of(1)];
        let mut tree = TextTree::default();
        let ends: Vec<TextEnd> = texts.iter().map(|own| tree.add(own)).collect();
        let mut segments = Segments::default();
        let found = tree.write(&ends, 0, &lists, &|_| 1, &mut segments);
        assert_eq!((found[0], segments.tokens()), (found[2], 3));
        assert_ne!(found[0], found[1]);
    }
}
