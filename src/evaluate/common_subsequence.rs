//! The longest common subsequence of two texts, word by word: what stands in both in the same order.
//!
//! There may be several of the same length. Where only the length counts that does not matter; where the
//! words themselves count, the programs that compute ROUGE pick different ones, and are followed.

/// Which side is shortened where both ways back through the table are as good.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnTie {
    /// The left one.
    ShortenLeft,
    /// The right one.
    ShortenRight,
}

/// How long it is. Takes memory for one row alone.
pub(super) fn common_length<T: PartialEq>(left: &[T], right: &[T]) -> usize {
    let mut row = vec![0_usize; right.len() + 1];
    for item in left {
        let mut diagonal = 0;
        for (column, other) in right.iter().enumerate() {
            let above = row[column + 1];
            row[column + 1] = if item == other { diagonal + 1 } else { above.max(row[column]) };
            diagonal = above;
        }
    }
    row[right.len()]
}

/// The places in `left` of the items of one, last first.
pub(super) fn common_places<T: PartialEq>(left: &[T], right: &[T], on_tie: OnTie) -> Vec<usize> {
    let columns = right.len() + 1;
    let mut lengths = vec![0_u32; (left.len() + 1) * columns];
    for (index, item) in left.iter().enumerate() {
        for (column, other) in right.iter().enumerate() {
            let above = index * columns + column + 1;
            let own = above + columns;
            lengths[own] = if item == other {
                lengths[above - 1] + 1
            } else {
                lengths[above].max(lengths[own - 1])
            };
        }
    }
    let (mut row, mut column) = (left.len(), right.len());
    let mut places = Vec::new();
    while row > 0 && column > 0 {
        let own = row * columns + column;
        let (above, before) = (lengths[own - columns], lengths[own - 1]);
        if left[row - 1] == right[column - 1] {
            (row, column) = (row - 1, column - 1);
            places.push(row);
        } else if above > before || above == before && on_tie == OnTie::ShortenLeft {
            row -= 1;
        } else {
            column -= 1;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_both_in_order_is_common() {
        let words = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        let (left, right) = (words("a b c d"), words("b x d a"));
        assert_eq!(common_length(&left, &right), 2);
        assert_eq!(common_places(&left, &right, OnTie::ShortenLeft), [3, 1]);
        assert_eq!(common_length(&left, &[]), 0);
    }

    #[test]
    fn a_tie_goes_to_the_side_that_is_asked_for() {
        let (left, right) = (['a', 'b'], ['b', 'a']);
        assert_eq!(common_places(&left, &right, OnTie::ShortenLeft), [0]);
        assert_eq!(common_places(&left, &right, OnTie::ShortenRight), [1]);
    }
}
