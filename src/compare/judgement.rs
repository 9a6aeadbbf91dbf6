//! All differences of one kind of number among several members.

use indexmap::IndexMap;

use super::{Difference, Unsaid, pair_numbers::PairNumbers};
use crate::statistics::{
    AllPairs, Clusters, Interval, PairedDifference, Power, Resampling, Spread, Unstated,
    bootstrap_95, holm,
};

/// Fewer samples carry no interval, as `statistics` has it for everything that is resampled.
const FEWEST: usize = 10;

/// Numbers of several members for the same samples, and how they are judged.
pub(super) struct Numbers<'a> {
    /// For each member one of each sample; a gap where it has none.
    pub(super) columns: Vec<Vec<Option<f64>>>,
    /// What is said for one of these numbers: 100 for shares in points.
    pub(super) factor: f64,
    /// Which samples belong together; each is on its own without it.
    pub(super) clusters: Option<&'a [String]>,
    pub(super) resampling: Resampling,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Judgement {
    /// Each pair once, in the order (0, 1), (0, 2), …, (1, 2), …: the second, left, less the first, right.
    pub(super) pairs: Vec<Difference>,
    /// The highest mean less the lowest.
    pub(super) spread: Option<Spread>,
    /// How many standard errors a difference must have.
    pub(super) critical_value: Option<f64>,
    /// Samples for which every member has a number.
    pub(super) samples_of_all: usize,
}

impl Numbers<'_> {
    /// Judges each pair alone and all together.
    pub(super) fn judged(&self) -> Judgement {
        let members = self.columns.len();
        let samples = self.columns.first().map_or(0, Vec::len);
        let places: Vec<(usize, usize)> = (0..members)
            .flat_map(|first| (first + 1..members).map(move |second| (first, second)))
            .collect();
        let of_all: Vec<usize> = (0..samples)
            .filter(|&sample| self.columns.iter().all(|column| column[sample].is_some()))
            .collect();
        let complete: Vec<Vec<f64>> =
            self.columns.iter().map(|column| numbers(column, &of_all)).collect();
        let columns: Vec<&[f64]> = complete.iter().map(Vec::as_slice).collect();
        let together = AllPairs::of(&columns, &self.clusters_of(&of_all), self.resampling);
        let critical_value = together.as_ref().ok().map(|all| all.critical_value);
        let bootstraps = self.bootstraps(&places);
        let mut pairs: Vec<Difference> = places
            .iter()
            .zip(bootstraps)
            .map(|(&(first, second), bootstrap)| {
                let mut pair = self.alone(first, second, bootstrap, critical_value);
                pair.samples_of_all = of_all.len();
                match &together {
                    Ok(all) => self.add_together(&mut pair, all, first, second),
                    Err(why) => pair.unstated.push(Unsaid::new("simultaneous interval", why)),
                }
                pair
            })
            .collect();
        let p: Vec<f64> = pairs.iter().map(|pair| pair.p.unwrap_or(f64::NAN)).collect();
        for (pair, adjusted) in pairs.iter_mut().zip(holm(&p)) {
            pair.p_holm = pair.p.map(|_| adjusted);
        }
        let spread = together.as_ref().ok().and_then(AllPairs::spread);
        Judgement { pairs, spread, critical_value, samples_of_all: of_all.len() }
    }

    fn add_together(&self, pair: &mut Difference, all: &AllPairs, first: usize, second: usize) {
        let Some(found) = all.pair(first, second) else { return };
        pair.value_of_all = Some(found.difference * self.factor);
        pair.p_adjusted = Some(found.p);
        pair.is_real = found.p <= 0.05;
        let interval = pair.stated("simultaneous interval", found.interval, self.factor);
        (pair.simultaneous_low, pair.simultaneous_high) = interval;
    }

    /// A pair by itself, on the samples that both have.
    fn alone(
        &self,
        first: usize,
        second: usize,
        bootstrap: Option<Result<Interval, Unstated>>,
        critical_value: Option<f64>,
    ) -> Difference {
        let own = self.pair(first, second);
        let samples = own.first.len();
        let mut pair = Difference { samples, ..Difference::default() };
        let found = PairedDifference::of_clusters(&own.first, &own.second, &own.clusters);
        let found = match found {
            Ok(found) => found,
            Err(why) => {
                pair.unstated.push(Unsaid::new("difference", &why));
                return pair;
            }
        };
        pair.value = Some(found.mean * self.factor);
        let counts = own.mcnemar();
        let interval = match counts {
            Some(_) if samples < FEWEST => {
                Err(Unstated::FewSamples { found: samples, needed: FEWEST })
            }
            Some(counts) => counts.interval_95(samples).ok_or(Unstated::NoScatter),
            None => found.interval,
        };
        (pair.low, pair.high) = pair.stated("interval", interval, self.factor);
        if let Some(counts) = counts {
            (pair.p, pair.mid_p) = (Some(counts.exact_p()), Some(counts.mid_p()));
        } else {
            (pair.p, pair.t) = (Some(found.p), found.t);
        }
        if let Some(interval) = bootstrap {
            let interval = pair.stated("bootstrap interval", interval, self.factor);
            (pair.bootstrap_low, pair.bootstrap_high) = interval;
        }
        let power = critical_value.and_then(Power::of_critical_value);
        let could_show = power.and_then(|power| {
            if counts.is_some() {
                return power.smallest_share_difference(samples, own.discordant());
            }
            let deviation = found.standard_error? * (samples as f64).sqrt();
            power.smallest_mean_difference(samples, deviation)
        });
        pair.could_show = could_show.filter(|_| samples >= FEWEST).map(|own| own * self.factor);
        pair
    }

    /// Bootstrap intervals of all pairs of numbers that are no shares. Pairs of the same samples see the same
    /// resamples.
    fn bootstraps(&self, places: &[(usize, usize)]) -> Vec<Option<Result<Interval, Unstated>>> {
        let mut intervals = vec![None; places.len()];
        let mut of_samples: IndexMap<Vec<usize>, Vec<usize>> = IndexMap::new();
        for (index, &(first, second)) in places.iter().enumerate() {
            of_samples.entry(self.common(first, second)).or_default().push(index);
        }
        for (samples, indices) in of_samples {
            let differences: Vec<(usize, Vec<f64>)> = indices
                .into_iter()
                .map(|index| (index, self.pair(places[index].0, places[index].1)))
                .filter(|(_, own)| !own.are_shares)
                .map(|(index, own)| (index, own.differences()))
                .collect();
            let columns: Vec<&[f64]> =
                differences.iter().map(|(_, column)| column.as_slice()).collect();
            if columns.is_empty() {
                continue;
            }
            let found = bootstrap_95(&columns, &self.clusters_of(&samples), self.resampling);
            for (place, (index, _)) in differences.iter().enumerate() {
                intervals[*index] = Some(match &found {
                    Ok(found) => found[place],
                    Err(why) => Err(*why),
                });
            }
        }
        intervals
    }

    /// The samples that two members both have a number for.
    fn common(&self, first: usize, second: usize) -> Vec<usize> {
        let (first, second) = (&self.columns[first], &self.columns[second]);
        let has_both = |&sample: &usize| first[sample].is_some() && second[sample].is_some();
        (0..first.len()).filter(has_both).collect()
    }

    fn pair(&self, first: usize, second: usize) -> PairNumbers {
        let samples = self.common(first, second);
        PairNumbers::new(
            numbers(&self.columns[first], &samples),
            numbers(&self.columns[second], &samples),
            self.clusters_of(&samples),
            self.clusters.is_some(),
        )
    }

    fn clusters_of(&self, samples: &[usize]) -> Clusters {
        match self.clusters {
            None => Clusters::singletons(samples.len()),
            Some(labels) => {
                let labels: Vec<&str> =
                    samples.iter().map(|&sample| labels[sample].as_str()).collect();
                Clusters::by_label(&labels)
            }
        }
    }
}

/// The numbers of these samples, all of which have one.
fn numbers(column: &[Option<f64>], samples: &[usize]) -> Vec<f64> {
    samples.iter().filter_map(|&sample| column[sample]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(columns: &[Vec<Option<f64>>], clusters: Option<&[String]>) -> Judgement {
        let (columns, resampling) = (columns.to_vec(), Resampling::default());
        Numbers { columns, factor: 100.0, clusters, resampling }.judged()
    }

    fn is_near(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found - expected).abs() < 1e-9)
    }

    /// 40 samples: the first right on 20, the second on these but 2 and on 12 others, the third as the first.
    fn shares() -> Vec<Vec<Option<f64>>> {
        let column = |is_right: &dyn Fn(usize) -> bool| {
            (0..40).map(|sample| Some(f64::from(u8::from(is_right(sample))))).collect()
        };
        let first = |sample: usize| sample < 20;
        vec![column(&first), column(&|sample| (2..32).contains(&sample)), column(&first)]
    }

    // python3 -c "
    // from math import comb
    // b, c, n = 2, 12, 40
    // exact = 2 * sum(comb(14, k) for k in range(3)) / 2**14
    // print(exact, exact - comb(14, 2) / 2**14)"
    const EXACT_P: f64 = 0.012_939_453_125;
    const MID_P: f64 = 0.007_385_253_906_25;

    #[test]
    fn shares_are_judged_by_what_differs() {
        let found = judged(&shares(), None);
        let pair = &found.pairs[0];
        assert_eq!((pair.samples, pair.samples_of_all), (40, 40));
        assert!(is_near(pair.value, 25.0), "{pair:?}");
        assert!(is_near(pair.p, EXACT_P) && is_near(pair.mid_p, MID_P), "{pair:?}");
        // The smallest of three p-values counts threefold.
        assert!(is_near(pair.p_holm, 3.0 * EXACT_P), "{pair:?}");
        assert_eq!((pair.t, pair.bootstrap_low), (None, None));
        let equal = &found.pairs[1];
        assert!(is_near(equal.value, 0.0) && is_near(equal.p, 1.0), "{equal:?}");
        assert!(!equal.is_real && equal.could_show.is_none(), "{equal:?}");
        assert!(is_near(found.pairs[2].value, -25.0), "{found:?}");
        let spread = found.spread.unwrap();
        assert_eq!((spread.highest, spread.lowest), (1, 0));
        let (low, high) = (pair.simultaneous_low.unwrap(), pair.simultaneous_high.unwrap());
        assert!(low < pair.low.unwrap() && high > pair.high.unwrap(), "{pair:?}");
        assert_eq!(pair.is_real, pair.p_adjusted.unwrap() <= 0.05);
    }

    #[test]
    fn a_gap_leaves_the_pairs_it_touches() {
        let mut columns = shares();
        columns[2][0] = None;
        let found = judged(&columns, None);
        let samples: Vec<usize> = found.pairs.iter().map(|pair| pair.samples).collect();
        assert_eq!(samples, [40, 39, 39]);
        assert!(found.pairs.iter().all(|pair| pair.samples_of_all == 39), "{found:?}");
        assert!(is_near(found.pairs[0].value, 25.0), "{found:?}");
        // Without sample 0 the first is right on 19 of 39, the second on 30.
        assert!(is_near(found.pairs[0].value_of_all, 100.0 * 11.0 / 39.0), "{found:?}");
    }

    #[test]
    fn few_samples_have_no_interval() {
        let columns: Vec<Vec<Option<f64>>> =
            shares().iter().map(|column| column[16..25].to_vec()).collect();
        let pair = &judged(&columns, None).pairs[0];
        assert_eq!((pair.low, pair.simultaneous_low, pair.could_show), (None, None, None));
        assert!(pair.why_unstated("interval").unwrap().starts_with("9 independent samples"));
        assert!(pair.why_unstated("simultaneous interval").is_some(), "{pair:?}");
        assert!(pair.value.is_some() && pair.p.is_some(), "{pair:?}");
    }

    // Differences (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11): mean 5.5, standard deviation √13.
    // python3: t = 5.5 / sqrt(13 / 12)
    const T: f64 = 5.284_229_075_567_875;

    #[test]
    fn other_numbers_have_a_t_and_a_bootstrap() {
        let column = |step: f64| (0..12).map(|sample| Some(f64::from(sample) * step)).collect();
        let found = judged(&[column(1.0), column(2.0)], None);
        let pair = &found.pairs[0];
        assert!(is_near(pair.value, 550.0) && pair.mid_p.is_none(), "{pair:?}");
        assert!(is_near(pair.t, T), "{pair:?}");
        assert!(pair.bootstrap_low.unwrap() < 550.0 && pair.bootstrap_high.unwrap() > 550.0);
        assert!(pair.could_show.unwrap() > 0.0 && pair.is_real, "{pair:?}");
    }

    #[test]
    fn clusters_are_drawn_whole() {
        let columns = shares();
        let labels: Vec<String> = (0..40).map(|sample| (sample / 20).to_string()).collect();
        let pair = &judged(&columns, Some(&labels)).pairs[0];
        assert!(pair.why_unstated("interval").unwrap().starts_with("2 independent"), "{pair:?}");
        assert_eq!(pair.mid_p, None);
        // A cluster for each sample: what is left is Student's instead of McNemar's.
        let labels: Vec<String> = (0..40).map(|sample| sample.to_string()).collect();
        let pair = &judged(&columns, Some(&labels)).pairs[0];
        assert!(pair.t.is_some() && pair.low.is_some(), "{pair:?}");
    }
}
