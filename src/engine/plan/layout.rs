//! Where the tokens of a sequence stand that has images, and what must be computed together.

use std::ops::Range;

use crate::model::spec::Place;

/// What a sequence's positions do not say of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SequenceLayout {
    /// Where each token stands; empty where that is its position.
    pub places: Vec<Place>,
    /// Where the token behind the last one stands.
    pub after: u32,
    /// Positions that see each other both ways, in order and apart: each span is computed in one pass.
    pub both_ways: Vec<Range<usize>>,
}

impl SequenceLayout {
    /// Where the token at `position` stands, which may be behind the sequence.
    pub(super) fn place(&self, position: usize) -> Place {
        match self.places.get(position) {
            Some(&place) => place,
            None if self.places.is_empty() => [position as u32; 3],
            None => [self.after + (position - self.places.len()) as u32; 3],
        }
    }

    /// The span that a cut before `position` would divide.
    pub(super) fn divided(&self, position: usize) -> Option<Range<usize>> {
        let mut spans = self.both_ways.iter();
        spans.find(|span| span.start < position && position < span.end).cloned()
    }

    /// The spans with a position in `positions`.
    pub(super) fn spans(&self, positions: &Range<usize>) -> Vec<Range<usize>> {
        let touches =
            |span: &&Range<usize>| span.start < positions.end && positions.start < span.end;
        self.both_ways.iter().filter(touches).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_behind_a_sequence_count_on_from_its_end() {
        let places = vec![[0; 3], [1, 1, 1], [1, 1, 2], [1, 2, 1], [1, 2, 2]];
        let layout = SequenceLayout { places, after: 3, both_ways: vec![1..5, 9..11] };
        assert_eq!(layout.place(3), [1, 2, 1]);
        assert_eq!((layout.place(5), layout.place(7)), ([3; 3], [5; 3]));
        assert_eq!(SequenceLayout::default().place(7), [7; 3]);
        assert_eq!((layout.divided(1), layout.divided(5)), (None, None));
        assert_eq!(layout.divided(2), Some(1..5));
        assert_eq!((layout.spans(&(0..1)), layout.spans(&(0..5))), (vec![], vec![1..5; 1]));
    }
}
