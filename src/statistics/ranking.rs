//! How well a search ranks what it should find.
//!
//! The figures are those of `trec_eval` (NIST), to which `tests/ranking_fixtures.rs` holds them. It knows neither
//! queries nor texts: a [`Ranking`] is the relevance of what was found, best first, beside the relevances of all that
//! could have been found.

use std::cmp::Ordering;

/// What a found item is worth in a discounted gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// Its relevance, as `trec_eval`'s `ndcg_cut` has it (Järvelin and Kekäläinen 2002).
    Linear,
    /// 2^relevance − 1, which sets apart what is highly relevant (Burges et al. 2005). With relevances of 0 and 1 it is
    /// the same.
    Exponential,
}

impl Gain {
    fn of(self, relevance: f64) -> f64 {
        match self {
            Self::Linear => relevance,
            Self::Exponential => relevance.exp2() - 1.0,
        }
    }
}

/// The result of one search beside what it should have found.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The relevance of each found item, the best one first; 0 is irrelevant, as is what is below.
    found: Vec<f64>,
    /// The relevances of all items that are relevant, the highest first.
    ideal: Vec<f64>,
}

impl Ranking {
    /// The relevances of what was found, best first, and of everything that was judged, in any order. Nothing if no
    /// item is relevant: no search can find anything then, and no figure says how well it did. Nothing either where a
    /// relevance is no finite number.
    pub fn new(found: Vec<f64>, judged: &[f64]) -> Option<Self> {
        let mut ideal: Vec<f64> = judged.iter().copied().filter(|&one| one > 0.0).collect();
        ideal.sort_by(|one, other| other.total_cmp(one));
        let are_numbers = found.iter().chain(judged).all(|one| one.is_finite());
        (are_numbers && !ideal.is_empty()).then_some(Self { found, ideal })
    }

    /// Whether an item is either relevant or not, so that both gains are the same.
    pub fn is_binary(&self) -> bool {
        self.ideal.iter().all(|one| one.total_cmp(&1.0).is_eq())
    }

    fn relevant_in(&self, k: usize) -> usize {
        self.found.iter().take(k).filter(|&&one| one > 0.0).count()
    }

    /// The share of the relevant items that are among the first `k`.
    pub fn recall(&self, k: usize) -> f64 {
        self.relevant_in(k) as f64 / self.ideal.len() as f64
    }

    /// Whether any of the first `k` is relevant.
    pub fn hit(&self, k: usize) -> bool {
        self.relevant_in(k) > 0
    }

    /// The share of `k` places that hold something relevant; a place that holds nothing counts as irrelevant. Zero for
    /// no places.
    pub fn precision(&self, k: usize) -> f64 {
        self.relevant_in(k) as f64 / k.max(1) as f64
    }

    /// One by the place of the first relevant item, or zero if it is not among the first `k`. Its mean is MRR@k.
    pub fn reciprocal_rank(&self, k: usize) -> f64 {
        let place = self.found.iter().take(k).position(|&one| one > 0.0);
        place.map_or(0.0, |place| 1.0 / (place + 1) as f64)
    }

    /// The mean, over all relevant items, of the precision at the place of each; zero for those that are not among the
    /// first `k`. Its mean is MAP@k, `trec_eval`'s `map_cut`.
    pub fn average_precision(&self, k: usize) -> f64 {
        let places = self.found.iter().take(k).zip(1..).filter(|(relevance, _)| **relevance > 0.0);
        let precisions =
            places.zip(1..).map(|((_, place), found)| f64::from(found) / f64::from(place));
        // A sum of nothing is −0.
        (precisions.sum::<f64>() + 0.0) / self.ideal.len() as f64
    }

    /// The gain of the first `k` places, each divided by log₂(place + 1), by the largest that any ranking has there.
    pub fn ndcg(&self, k: usize, gain: Gain) -> f64 {
        let discounted = |relevances: &[f64]| -> f64 {
            let places = relevances.iter().take(k).zip(2_u32..);
            let gains = places.map(|(one, place)| gain.of(one.max(0.0)) / f64::from(place).log2());
            // A sum of nothing is −0.
            gains.sum::<f64>() + 0.0
        };
        let best = discounted(&self.ideal);
        if best > 0.0 { discounted(&self.found) / best } else { 0.0 }
    }
}

/// The order in which `trec_eval` has items of a run, whatever their file says: by score, the highest first, and of
/// equal scores by name, the last first.
pub fn trec_order(one: (f64, &str), other: (f64, &str)) -> Ordering {
    other.0.total_cmp(&one.0).then_with(|| other.1.cmp(one.1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_gold_at_the_first_place_is_all_there_is() {
        let ranking = Ranking::new(vec![1.0, 0.0, 0.0], &[1.0]).unwrap();
        for k in [1, 3, 10] {
            let figures =
                [ranking.ndcg(k, Gain::Linear), ranking.recall(k), ranking.reciprocal_rank(k)];
            assert!(figures.iter().all(|one| (one - 1.0).abs() < 1e-12), "{figures:?}");
        }
        assert!((ranking.precision(10) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_gains_differ_by_the_highly_relevant() {
        let ranking = Ranking::new(vec![1.0, 3.0], &[3.0, 1.0, 0.0]).unwrap();
        let log3 = 3_f64.log2();
        let linear = (1.0 + 3.0 / log3) / (3.0 + 1.0 / log3);
        let exponential = (1.0 + 7.0 / log3) / (7.0 + 1.0 / log3);
        assert!((ranking.ndcg(2, Gain::Linear) - linear).abs() < 1e-12);
        assert!((ranking.ndcg(2, Gain::Exponential) - exponential).abs() < 1e-12);
    }

    #[test]
    fn nothing_relevant_is_no_zero() {
        assert_eq!(Ranking::new(vec![0.0], &[0.0]), None);
        assert_eq!(Ranking::new(Vec::new(), &[]), None);
        assert_eq!(Ranking::new(vec![f64::NAN], &[1.0]), None);
        let missed = Ranking::new(Vec::new(), &[2.0]).unwrap();
        assert_eq!((missed.average_precision(5), missed.ndcg(5, Gain::Exponential)), (0.0, 0.0));
        assert_eq!((missed.ndcg(0, Gain::Linear), missed.precision(0)), (0.0, 0.0));
    }

    #[test]
    fn equal_scores_come_by_name_backwards() {
        let mut items = [(1.0, "a"), (2.0, "b"), (1.0, "c")];
        items.sort_by(|one, other| trec_order(*one, *other));
        assert_eq!(items.map(|(_, name)| name), ["b", "c", "a"]);
    }

    proptest! {
        #[test]
        fn every_figure_is_a_share_and_the_ideal_has_all(
            mut judged in proptest::collection::vec(0_u8..4, 1..20), k in 1_usize..25,
        ) {
            judged[0] = judged[0].max(1);
            let judged: Vec<f64> = judged.into_iter().map(f64::from).collect();
            let mut ideal = judged.clone();
            ideal.sort_by(|one, other| other.total_cmp(one));
            let (asked, best) = (Ranking::new(judged.clone(), &judged).unwrap(), Ranking::new(ideal, &judged).unwrap());
            for gain in [Gain::Linear, Gain::Exponential] {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&asked.ndcg(k, gain)));
                prop_assert!((best.ndcg(k, gain) - 1.0).abs() < 1e-12);
            }
            prop_assert!(best.average_precision(k) + 1e-12 >= asked.average_precision(k));
            prop_assert!((0.0..=1.0).contains(&asked.recall(k)));
            prop_assert_eq!(asked.hit(k), asked.reciprocal_rank(k) > 0.0);
        }
    }
}
