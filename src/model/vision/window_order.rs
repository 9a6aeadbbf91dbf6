//! Tokens window by window.
//!
//! Layers that see windows get a tower's rows in the order of windows, so that each is a stretch of them; what the tower
//! gives is brought back into the order of the image.

/// The order of tokens, and how many each window has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WindowOrder {
    /// The token, counted row by row of the image, at each place.
    pub(super) tokens: Vec<u32>,
    /// Tokens of each window.
    pub(super) lengths: Vec<usize>,
}

impl WindowOrder {
    /// Squares of `side` tokens from the upper left corner on, row by row; those at the other ends may be smaller.
    pub(super) fn new([rows, columns]: [usize; 2], side: usize) -> Self {
        let mut order = Self { tokens: Vec::with_capacity(rows * columns), lengths: Vec::new() };
        for first_row in (0..rows).step_by(side) {
            for first_column in (0..columns).step_by(side) {
                let last_row = rows.min(first_row + side);
                let last_column = columns.min(first_column + side);
                for row in first_row..last_row {
                    let token = |column: usize| (row * columns + column) as u32;
                    order.tokens.extend((first_column..last_column).map(token));
                }
                order.lengths.push((last_row - first_row) * (last_column - first_column));
            }
        }
        order
    }

    /// The place of each token in this order.
    pub(super) fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.tokens.len()];
        for (place, &token) in self.tokens.iter().enumerate() {
            places[token as usize] = place as u32;
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_at_the_ends_are_smaller() {
        let order = WindowOrder::new([3, 5], 2);
        assert_eq!(order.tokens, [0, 1, 5, 6, 2, 3, 7, 8, 4, 9, 10, 11, 12, 13, 14]);
        assert_eq!(order.lengths, [4, 4, 2, 2, 2, 1]);
    }

    #[test]
    fn windows_that_fit_leave_no_empty_one() {
        assert_eq!(WindowOrder::new([4, 4], 2).lengths, [4; 4]);
        assert_eq!(WindowOrder::new([2, 2], 8).lengths, [4]);
    }

    #[test]
    fn places_undo_the_order() {
        for (grid, side) in [([3, 5], 2), ([7, 4], 3), ([1, 9], 4), ([6, 6], 1)] {
            let order = WindowOrder::new(grid, side);
            let count = grid[0] * grid[1];
            assert_eq!(order.lengths.iter().sum::<usize>(), count);
            let places = order.places();
            let back: Vec<u32> = places.iter().map(|&place| order.tokens[place as usize]).collect();
            assert_eq!(back, (0..count as u32).collect::<Vec<_>>());
        }
    }
}
