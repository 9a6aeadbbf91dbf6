//! The best of many hits, without sorting all of them.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use super::Hit;

/// Keeps the best hits of those that it is told, in any order.
#[derive(Debug)]
pub(super) struct Best {
    most: usize,
    kept: BinaryHeap<Reverse<Ranked>>,
}

/// A hit in the order of hits: the greater one is better.
#[derive(Debug)]
struct Ranked(Hit);

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.0.score.total_cmp(&other.0.score);
        by_score.then(other.0.passage.cmp(&self.0.passage))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

impl Best {
    /// Keeps at most so many.
    pub(super) fn of(most: usize) -> Self {
        Self { most, kept: BinaryHeap::new() }
    }

    /// Tells it of a hit.
    pub(super) fn add(&mut self, hit: Hit) {
        let hit = Reverse(Ranked(hit));
        if self.kept.len() < self.most {
            self.kept.push(hit);
        } else if let Some(mut worst) = self.kept.peek_mut()
            && hit < *worst
        {
            *worst = hit;
        }
    }

    /// The best, the best one first.
    pub(super) fn sorted(self) -> Vec<Hit> {
        self.kept.into_sorted_vec().into_iter().map(|Reverse(Ranked(hit))| hit).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_the_first_of_all_sorted(
            scores in proptest::collection::vec(0_u8..6, 0..60), most in 0_usize..20, turn in 0_usize..60,
        ) {
            let hits: Vec<Hit> = scores
                .iter()
                .enumerate()
                .map(|(passage, score)| Hit { passage, score: f64::from(*score) })
                .collect();
            let mut sorted = hits.clone();
            sorted.sort_by(|one, other| other.score.total_cmp(&one.score));
            sorted.truncate(most);
            let mut best = Best::of(most);
            let turn = turn.min(hits.len());
            hits[turn..].iter().chain(&hits[..turn]).for_each(|hit| best.add(*hit));
            prop_assert_eq!(best.sorted(), sorted);
        }
    }
}
