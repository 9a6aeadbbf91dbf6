//! Some of the test rows, drawn at random.

use crate::python::PythonRandom;

/// So many test rows, drawn without replacement. What is drawn with one seed is nested: a smaller draw is part of
/// every larger one, so that rows which were asked about once need not be asked about again.
///
/// It is no part of a config. Ranges of a reader (`test_range`) say what the data set is; a draw is a look at a part
/// of it, made after examples were retrieved, so that each row is asked about in the words that it has among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowDraw {
    /// How many rows; all, if there are no more.
    pub rows: usize,
    /// Which ones.
    pub seed: u64,
}

impl RowDraw {
    /// The places of the rows that are drawn out of `total`, ascending.
    pub fn places(&self, total: usize) -> Vec<usize> {
        let mut places: Vec<usize> = (0..total).collect();
        PythonRandom::from_seed(self.seed).shuffle(&mut places);
        places.truncate(self.rows);
        places.sort_unstable();
        places
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_smaller_draw_is_part_of_a_larger_one(
            total in 0_usize..60, rows in 0_usize..70, more in 0_usize..70, seed in any::<u64>(),
        ) {
            let few = RowDraw { rows, seed }.places(total);
            let many = RowDraw { rows: rows + more, seed }.places(total);
            prop_assert_eq!(few.len(), rows.min(total));
            prop_assert!(few.is_sorted() && few.iter().all(|place| many.contains(place)));
            prop_assert!(many.iter().all(|&place| place < total));
        }
    }

    #[test]
    fn seeds_draw_differently() {
        let drawn = |seed| RowDraw { rows: 10, seed }.places(100);
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }
}
