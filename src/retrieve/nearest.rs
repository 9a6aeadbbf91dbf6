//! The vectors with the largest inner products, in the order in which OpenCompass's index has them.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use super::{Corpus, EncoderName, RetrieveError};

/// Stands for a row where there are not enough.
pub(super) const NO_ROW: isize = -1;

/// The vectors of all rows of a data set.
#[derive(Debug)]
pub(super) struct EmbeddedRows {
    pub(super) train: Vec<Vec<f32>>,
    pub(super) test: Vec<Vec<f32>>,
}

impl EmbeddedRows {
    /// Embeds what rows are found by.
    pub(super) fn of(corpus: &Corpus<'_>, encoder: EncoderName<'_>) -> Result<Self, RetrieveError> {
        let texts: Vec<String> = corpus.train_texts().chain(corpus.test_texts()).collect();
        let mut train = corpus.models.embed(encoder, &texts)?;
        if train.len() != texts.len()
            || !train.windows(2).all(|pair| pair[0].len() == pair[1].len())
        {
            return Err(RetrieveError::Vectors {
                encoder: encoder.encoder.to_owned(),
                texts: texts.len(),
                vectors: train.len(),
            });
        }
        let test = train.split_off(corpus.dataset.train.len());
        Ok(Self { train, test })
    }

    /// The `count` training rows nearest to a test row, the nearest first; [`NO_ROW`] where they run out.
    pub(super) fn nearest(&self, test_row: usize, count: usize) -> Vec<isize> {
        let found = self.test.get(test_row).map_or_else(Vec::new, |query| {
            let products = self.train.iter().map(|row| inner_product(row, query));
            largest(products, count)
        });
        let missing = count - found.len();
        let found = found.into_iter().map(usize::cast_signed);
        found.chain(std::iter::repeat_n(NO_ROW, missing)).collect()
    }
}

/// Σ aᵢ·bᵢ, rounded once, so that equal vectors have equal products whatever their length.
pub(super) fn inner_product(one: &[f32], other: &[f32]) -> f32 {
    let products = one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b));
    products.sum::<f64>() as f32
}

/// A row with its product; of equal ones the later row is the better one.
#[derive(PartialEq)]
struct Ranked(f32, usize);

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The places of the `count` largest numbers, the largest first.
///
/// Equal ones are as FAISS has them, and many rows of a data set can be the same: a number takes the place of the
/// worst one only where it is larger, so the first ones stay; among those that stay, the last comes first.
pub(super) fn largest(numbers: impl Iterator<Item = f32>, count: usize) -> Vec<usize> {
    let mut best: BinaryHeap<Reverse<Ranked>> = BinaryHeap::new();
    for (place, number) in numbers.enumerate() {
        if best.len() < count {
            best.push(Reverse(Ranked(number, place)));
        } else if best.peek().is_some_and(|Reverse(worst)| number > worst.0) {
            best.pop();
            best.push(Reverse(Ranked(number, place)));
        }
    }
    best.into_sorted_vec().into_iter().map(|Reverse(Ranked(_, place))| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_products_come_as_faiss_has_them() {
        let places = |numbers: &[f32], count| largest(numbers.iter().copied(), count);
        assert_eq!(places(&[1.0; 5], 5), [4, 3, 2, 1, 0]);
        assert_eq!(places(&[1.0; 5], 3), [2, 1, 0]);
        assert_eq!(places(&[1.0; 5], 1), [0]);
        assert_eq!(places(&[1.0, 2.0, 2.0, 1.0, 3.0, 2.0, 1.0], 4), [4, 5, 2, 1]);
        assert_eq!(places(&[0.0, 0.0, 0.0, 0.0, 5.0, 0.0], 4), [4, 3, 2, 1]);
        assert_eq!(places(&[1.0], 3), [0]);
    }
}
