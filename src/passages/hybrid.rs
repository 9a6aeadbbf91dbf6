//! Passages by the ranks that several indexes give them.

use std::collections::BTreeMap;

use super::{Hit, PassageError, PassageIndex, best::Best};

/// How much the first ranks are held back; the value of the source.
const RANK_CONSTANT: f64 = 60.0;

/// Hits of each index that are looked at, unless more are asked for.
const DEPTH: usize = 100;

/// Reciprocal rank fusion: a passage scores Σ 1 / (60 + its rank) over the indexes that find it, ranks counted from 1.
/// Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
/// SIGIR 2009. Each index is asked for its best 100 passages, or for `top_k` if that is more.
#[derive(Debug)]
pub struct HybridIndex<'a> {
    indexes: Vec<Box<dyn PassageIndex + 'a>>,
}

impl<'a> HybridIndex<'a> {
    /// Fuses what these find.
    pub fn new(indexes: Vec<Box<dyn PassageIndex + 'a>>) -> Self {
        Self { indexes }
    }
}

impl PassageIndex for HybridIndex<'_> {
    fn search(&self, queries: &[String], top_k: usize) -> Result<Vec<Vec<Hit>>, PassageError> {
        let mut scores: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); queries.len()];
        for index in &self.indexes {
            let found = index.search(queries, top_k.max(DEPTH))?;
            for (scores, hits) in scores.iter_mut().zip(found) {
                for (hit, rank) in hits.into_iter().zip(1_u32..) {
                    *scores.entry(hit.passage).or_default() +=
                        1.0 / (RANK_CONSTANT + f64::from(rank));
                }
            }
        }
        let fused = |scores: BTreeMap<usize, f64>| {
            let mut best = Best::of(top_k);
            for (passage, score) in scores {
                best.add(Hit { passage, score });
            }
            best.sorted()
        };
        Ok(scores.into_iter().map(fused).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Finds the same whatever is asked.
    #[derive(Clone, Debug)]
    struct Fixed(Vec<usize>);

    impl PassageIndex for Fixed {
        fn search(&self, queries: &[String], top_k: usize) -> Result<Vec<Vec<Hit>>, PassageError> {
            let hits = self.0.iter().take(top_k).map(|&passage| Hit { passage, score: 1.0 });
            Ok(vec![hits.collect(); queries.len()])
        }
    }

    fn fused(indexes: &[&[usize]], top_k: usize) -> Vec<Hit> {
        let boxed = |found: &&[usize]| Box::new(Fixed(found.to_vec())) as Box<dyn PassageIndex>;
        let index = HybridIndex::new(indexes.iter().map(boxed).collect());
        index.search(&["q".to_owned()], top_k).unwrap().remove(0)
    }

    #[test]
    fn ranks_are_added_and_scores_are_not() {
        let hits = fused(&[&[7, 3, 5], &[3, 9]], 3);
        let expected = [(3, 1.0 / 62.0 + 1.0 / 61.0), (7, 1.0 / 61.0), (9, 1.0 / 62.0)];
        let found: Vec<_> = hits.iter().map(|hit| (hit.passage, hit.score)).collect();
        assert_eq!(found, expected);
        assert_eq!(fused(&[&[], &[]], 3), []);
    }

    proptest! {
        #[test]
        fn neither_index_comes_first(
            one in Just((0..30).collect::<Vec<usize>>()).prop_shuffle(),
            other in Just((0..30).collect::<Vec<usize>>()).prop_shuffle(),
            length in 0_usize..30, top_k in 1_usize..35,
        ) {
            let one = &one[..length];
            prop_assert_eq!(fused(&[one, &other], top_k), fused(&[&other, one], top_k));
        }
    }
}
