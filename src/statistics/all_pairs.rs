//! All differences among several variants, judged together.

use super::{
    Clusters, Interval, Resampling, Unstated,
    pair_moments::{PairDesign, PairMoments},
    reference::Reference,
};

/// The differences of all pairs among K variants on the same samples, so that with 95 % confidence all
/// intervals hold at once, and in 5 % of all comparisons at most an equal pair is called different.
///
/// **Max-T.** Each pair's difference is divided by its standard error. How large the largest of these gets
/// where there is no difference is found by giving each sample (or cluster) a random sign, the same in all
/// pairs, so that whatever correlates the pairs stays: P. H. Westfall and S. S. Young, "Resampling-Based
/// Multiple Testing" (1993), section 2.6; J. P. Romano and M. Wolf, "Exact and Approximate Stepdown Methods
/// for Multiple Hypothesis Testing", Journal of the American Statistical Association 100 (2005), 94–108.
///
/// *Signs instead of a bootstrap:* of two variants the p is then exact for any number of samples, for shares
/// it is the exact `McNemar` test's; tails may be heavy, for the sum of squares never changes. The bootstrap of
/// a studentised difference breaks down with few samples that differ: a resample may hold none of them.
/// *Signs instead of exchanged labels:* a pair's statistic depends on that pair alone, so that pairs which do
/// differ leave the others' p as it is (Westfall and Young's subset pivotality).
///
/// *Twice, the more careful counts:* with signs on the differences (the null hypothesis imposed: exact), and on
/// what is left of them after their means (so that intervals hold where there are differences). Normal numbers
/// with the same covariance are a third reference, for the intervals of all scores and the p of numbers: where
/// few samples differ, signs fall into a handful of values, which is enough for a p and too little for a width.
///
/// *One step:* an interval and its p never contradict each other. With a p above 5 % the interval holds zero, with
/// a smaller one zero is its end at most: then the direction of a difference is known, not its least size.
#[derive(Clone, Debug, PartialEq)]
pub struct AllPairs {
    /// Each pair once, in the order (0, 1), (0, 2), …, (1, 2), ….
    pub pairs: Vec<PairDifference>,
    /// How many standard errors a difference must have, for [`Power`](super::Power); infinite where
    /// nothing would do.
    pub critical_value: f64,
    means: Vec<f64>,
}

/// The difference between two of several variants, second less first, in the unit of the scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairDifference {
    /// The number of one variant.
    pub first: usize,
    /// The number of the other, larger.
    pub second: usize,
    /// The mean difference.
    pub difference: f64,
    /// Its p after correction for all pairs, from 1 / (resamples + 1) to 1.
    pub p: f64,
    /// The simultaneous 95 % interval. For shares it is Tango's score interval
    /// ([`McNemar::interval_95`](super::McNemar::interval_95)) with the critical value of all pairs, which has
    /// a width where no sample differs; for other numbers the difference and so many standard errors to
    /// each side.
    pub interval: Result<Interval, Unstated>,
}

/// The highest mean less the lowest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The variant with the highest mean; of equal ones the first.
    pub highest: usize,
    /// The variant with the lowest mean; of equal ones the first.
    pub lowest: usize,
    /// Their difference, in the unit of the scores.
    pub difference: f64,
    /// Its simultaneous 95 % interval, which allows for their having been picked, from 0 on.
    pub interval: Result<Interval, Unstated>,
}

impl AllPairs {
    /// Of each variant's score for each sample, in one order. Scores that are all 0 or 1 are shares.
    pub fn of(
        variants: &[&[f64]],
        clusters: &Clusters,
        resampling: Resampling,
    ) -> Result<Self, Unstated> {
        let resampling = resampling.checked()?;
        for scores in variants {
            if scores.len() != clusters.samples() {
                let (first, second) = (scores.len(), clusters.samples());
                return Err(Unstated::Lengths { first, second });
            }
            if !scores.iter().all(|score| score.is_finite()) {
                return Err(Unstated::NotFinite);
            }
        }
        if clusters.count() == 0 {
            return Err(Unstated::FewSamples { found: 0, needed: 1 });
        }
        #[expect(clippy::float_cmp, reason = "a share is made of whole numbers")]
        let are_shares = variants.iter().all(|of| of.iter().all(|&one| one == 0.0 || one == 1.0));
        let scores = variants.iter().flat_map(|of| of.iter());
        let largest = scores.fold(0.0_f64, |max, one| max.max(one.abs()));
        let design = PairDesign { clusters, are_shares, largest };
        let moments: Vec<PairMoments> = (0..variants.len())
            .flat_map(|first| (first + 1..variants.len()).map(move |second| (first, second)))
            .map(|pair| design.moments(pair, (variants[pair.0], variants[pair.1])))
            .collect();
        let reference = Reference::of(variants, &moments, &design, resampling);
        let judged = |pair: &PairMoments| reference.judged(pair, &design);
        let pairs = moments.iter().map(judged).collect();
        let mean = |scores: &&[f64]| scores.iter().sum::<f64>() / scores.len() as f64;
        let means = variants.iter().map(mean).collect();
        Ok(Self { pairs, critical_value: reference.critical_value, means })
    }

    /// The pair of two variants, in either order.
    pub fn pair(&self, one: usize, other: usize) -> Option<&PairDifference> {
        let wanted = (one.min(other), one.max(other));
        self.pairs.iter().find(|pair| (pair.first, pair.second) == wanted)
    }

    /// The highest mean less the lowest; nothing of fewer than two variants.
    pub fn spread(&self) -> Option<Spread> {
        let better = |than: fn(&f64, &f64) -> bool| {
            (1..self.means.len()).fold(0, |best, index| {
                if than(&self.means[index], &self.means[best]) { index } else { best }
            })
        };
        let (highest, mut lowest) = (better(f64::gt), better(f64::lt));
        if highest == lowest {
            lowest = 1; // All are equal.
        }
        let pair = self.pair(highest, lowest)?;
        let interval = pair.interval.map(|Interval { low, high }| {
            let (low, high) = if highest > lowest { (low, high) } else { (-high, -low) };
            Interval { low: low.max(0.0), high: high.max(0.0) }
        });
        Some(Spread { highest, lowest, difference: pair.difference.abs(), interval })
    }
}

#[cfg(test)]
mod tests {
    use rand_mt::Mt64;

    use super::*;
    use crate::statistics::McNemar;

    fn of(variants: &[&[f64]], resamples: usize) -> AllPairs {
        let clusters = Clusters::singletons(variants[0].len());
        AllPairs::of(variants, &clusters, Resampling { resamples, seed: 4 }).unwrap()
    }

    #[test]
    fn one_pair_of_shares_has_the_exact_p() {
        let first: Vec<f64> = (0..60).map(|sample| f64::from(u8::from(sample < 23))).collect();
        let second: Vec<f64> =
            (0..60).map(|sample| f64::from(u8::from((3..35).contains(&sample)))).collect();
        let exact = McNemar { only_first_right: 3, only_second_right: 12 }.exact_p();
        let found = of(&[&first, &second], 100_000).pairs[0];
        assert!((found.p - exact).abs() < 0.003, "{} instead of {exact}", found.p);
        assert!((found.difference - 9.0 / 60.0).abs() < 1e-12);
    }

    #[test]
    fn an_interval_and_its_p_agree() {
        let mut random = Mt64::new(11);
        let (mut small, mut large) = (0, 0);
        for round in 0..300_u64 {
            let labels: Vec<u64> = (0..120).map(|_| random.next_u64() % 50).collect();
            let clusters = match round % 3 {
                0 => Clusters::by_label(&labels),
                _ => Clusters::singletons(120),
            };
            let mut column = |better: u64| -> Vec<f64> {
                let score = |draw: u64| match round % 2 {
                    0 => f64::from(u8::from(draw % 100 < 40 + better)),
                    _ => (draw % 1000 + 10 * better) as f64,
                };
                (0..120).map(|_| score(random.next_u64())).collect()
            };
            let columns = [column(0), column(0), column(15), column(30)];
            let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            let resampling = Resampling { resamples: 400, seed: round };
            for pair in AllPairs::of(&slices, &clusters, resampling).unwrap().pairs {
                let Ok(Interval { low, high }) = pair.interval else { continue };
                let (is_in, is_inside) = (low <= 0.0 && high >= 0.0, low < 0.0 && high > 0.0);
                assert!(if pair.p > 0.05 { is_in } else { !is_inside }, "{pair:?}");
                if pair.p <= 0.05 { small += 1 } else { large += 1 }
            }
        }
        assert!(small > 200 && large > 200, "{small} {large}");
    }

    #[test]
    fn nothing_is_ever_no_number() {
        let mut random = Mt64::new(12);
        for round in 0..400 {
            let samples = 1 + round % 12;
            let kinds = 1 + (random.next_u64() % 4);
            let mut column = || -> Vec<f64> {
                let offset = (random.next_u64() % 3) as f64 / 10.0;
                (0..samples).map(|_| offset + (random.next_u64() % kinds) as f64).collect()
            };
            let columns = [column(), column(), column()];
            let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            let all = of(&slices, 99);
            assert!(!all.critical_value.is_nan());
            for pair in &all.pairs {
                assert!(pair.p > 0.0 && pair.p <= 1.0 && pair.difference.is_finite());
                if let Ok(Interval { low, high }) = pair.interval {
                    assert!(samples >= 10 && low <= pair.difference && pair.difference <= high);
                }
            }
            let spread = all.spread().unwrap();
            assert!(spread.difference >= 0.0);
            assert!(spread.interval.is_err() || spread.interval.unwrap().low >= 0.0);
        }
    }

    #[test]
    fn equal_variants_say_nothing_and_one_sample_less() {
        let same = of(&[&[1.0, 0.0, 1.0], &[1.0, 0.0, 1.0]], 100);
        assert!((same.pairs[0].p - 1.0).abs() < 1e-15);
        assert_eq!(same.pairs[0].interval, Err(Unstated::FewSamples { found: 3, needed: 10 }));
        assert_eq!(same.spread().unwrap().highest, 0);
        assert!((of(&[&[1.0], &[0.0]], 100).pairs[0].p - 1.0).abs() < 1e-15);
        assert!(of(&[&[1.0, 0.0]], 100).spread().is_none());
    }

    #[test]
    fn the_spread_is_positive_whichever_is_better() {
        let low: Vec<f64> = (0..80).map(|sample| f64::from(sample % 7)).collect();
        let high: Vec<f64> =
            low.iter().zip(0..).map(|(x, at)| x + 1.0 + f64::from(at % 3)).collect();
        for variants in [[&*low, &*high], [&*high, &*low]] {
            let spread = of(&variants, 500).spread().unwrap();
            let interval = spread.interval.unwrap();
            assert!(spread.difference > 1.0 && interval.low > 1.0 && interval.high > interval.low);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let clusters = Clusters::singletons(2);
        let resampling = Resampling::default();
        let refused =
            |variants: &[&[f64]]| AllPairs::of(variants, &clusters, resampling).unwrap_err();
        assert_eq!(refused(&[&[1.0]]), Unstated::Lengths { first: 1, second: 2 });
        assert_eq!(refused(&[&[1.0, f64::INFINITY]]), Unstated::NotFinite);
        let none = AllPairs::of(&[&[]], &Clusters::singletons(0), resampling);
        assert_eq!(none, Err(Unstated::FewSamples { found: 0, needed: 1 }));
    }
}
