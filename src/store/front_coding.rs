//! Sequences that begin alike, each kept as what it has of its own.
//!
//! Sequences come in an order in which neighbours have much in common (candidates of a sample, questions
//! after the same examples). A row holds where its parent is left and what follows, so that the path from
//! a row up to its root spells the whole sequence. Parents are those rows on the way to the last sequence
//! that still belong to the new one, as in a prefix tree walked depth first; so no row is ever cut in two,
//! and paths stay as short as such a tree is deep.

/// The parent of a sequence that shares nothing.
pub(super) const NO_PARENT: i64 = 0;

/// The rows that spell the last sequence.
#[derive(Debug)]
pub(super) struct FrontCoder<T> {
    last: Vec<T>,
    /// Row and the place in the sequence where what it holds begins; the root first.
    path: Vec<(i64, usize)>,
}

/// Where a sequence branches off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    /// The row that holds what comes before, or [`NO_PARENT`].
    pub(super) parent: i64,
    /// How much of the sequence the parent's path spells.
    pub(super) start: usize,
}

impl<T> Default for FrontCoder<T> {
    fn default() -> Self {
        Self { last: Vec::new(), path: Vec::new() }
    }
}

impl<T: PartialEq + Copy> FrontCoder<T> {
    /// Where `sequence` leaves the last one. If nothing of it is left, the parent spells it whole.
    pub(super) fn branch(&mut self, sequence: &[T]) -> Branch {
        let start = self.last.iter().zip(sequence).take_while(|(one, other)| one == other).count();
        while self.path.last().is_some_and(|(_, from)| *from >= start) {
            self.path.pop();
        }
        self.last.truncate(start);
        Branch { parent: self.path.last().map_or(NO_PARENT, |(row, _)| *row), start }
    }

    /// Notes that `row` now holds what is left of `sequence` after its branch.
    pub(super) fn extend(&mut self, row: i64, branch: Branch, sequence: &[T]) {
        self.path.push((row, branch.start));
        self.last.extend_from_slice(&sequence[branch.start..]);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_sequence_is_spelled_by_its_path(
            mut sequences in prop::collection::vec(prop::collection::vec(0_u8..3, 0..12), 0..40),
            is_sorted: bool,
        ) {
            if is_sorted {
                sequences.sort();
            }
            let mut coder = FrontCoder::default();
            let mut rows: HashMap<i64, (Branch, Vec<u8>)> = HashMap::new();
            let mut kept = 0;
            for sequence in &sequences {
                let branch = coder.branch(sequence);
                let mut row = branch.parent;
                if branch.start < sequence.len() {
                    row = rows.len() as i64 + 1;
                    kept += sequence.len() - branch.start;
                    rows.insert(row, (branch, sequence[branch.start..].to_vec()));
                    coder.extend(row, branch, sequence);
                }
                let (mut spelled, mut length) = (Vec::new(), sequence.len());
                while row != NO_PARENT {
                    let (branch, own) = &rows[&row];
                    prop_assert!(branch.parent < row);
                    spelled.splice(0..0, own[..length - branch.start].iter().copied());
                    (row, length) = (branch.parent, branch.start);
                }
                prop_assert_eq!(&spelled, sequence);
            }
            if is_sorted {
                // In order, nothing that two sequences share is kept twice.
                let mut distinct: Vec<&[u8]> =
                    sequences.iter().flat_map(|one| (1..=one.len()).map(|end| &one[..end])).collect();
                distinct.sort_unstable();
                distinct.dedup();
                prop_assert_eq!(kept, distinct.len());
            }
        }
    }
}
