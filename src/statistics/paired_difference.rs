//! The mean difference between two variants on the same samples.

use super::{
    Clusters, Interval, Unstated,
    distribution::{student_975, student_two_sided},
};

/// Values that are not the commonest one must be so many: the scatter of fewer is not known.
pub(super) const FEWEST_DIFFERING: usize = 10;

/// What two variants' numbers for the same samples say about their difference, second less first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedDifference {
    /// The mean of the differences, in the unit of the numbers.
    pub mean: f64,
    /// Its standard error, in the same unit; unknown of one sample or cluster.
    pub standard_error: Option<f64>,
    /// Student's t, the mean in standard errors; unknown where nothing scatters.
    pub t: Option<f64>,
    /// Two-sided p of no difference; never a guess from no scatter (see [`PairedDifference::of`]).
    pub p: f64,
    /// The 95 % interval of the mean difference, in the unit of the numbers.
    pub interval: Result<Interval, Unstated>,
    /// Pearson's correlation of the two, from −1 to 1: the higher, the more pairing gains. Unknown where
    /// one of them is constant.
    pub correlation: Option<f64>,
}

impl PairedDifference {
    /// Of numbers for the same samples, which are independent of each other.
    ///
    /// The paired t test, as `scipy.stats.ttest_rel(second, first)` and its `confidence_interval(0.95)`.
    /// See Miller, "Adding Error Bars to Evals" (2024), arXiv:2411.00640, section 4.2.
    ///
    /// The interval is not stated where the differences are one number, 0 as a rule, but for fewer than 10.
    ///
    /// Where all differences are the same number there is no t. Then p is that of the sign test,
    /// 2^(1−n): 1 of one sample, and 1 where the two are equal everywhere.
    pub fn of(first: &[f64], second: &[f64]) -> Result<Self, Unstated> {
        Self::of_clusters(first, second, &Clusters::singletons(first.len()))
    }

    /// Of numbers for samples in clusters.
    ///
    /// The standard error is the jackknife's over clusters, √((G−1)/G · Σ(m₍₋g₎ − m)²) with the mean m₍₋g₎
    /// without cluster g, and t has G − 1 degrees of freedom: of the sandwich estimators the one that few
    /// clusters of unequal size mislead least; see J. G. `MacKinnon`, M. Ø. Nielsen and M. D. Webb, "Fast and
    /// Reliable Jackknife and Bootstrap Methods for Cluster-Robust Inference", Journal of Applied
    /// Econometrics 38 (2023), 671–694. With a sample in each cluster both are [`PairedDifference::of`]'s.
    /// The interval is not stated below 30 clusters of several samples.
    pub fn of_clusters(
        first: &[f64],
        second: &[f64],
        clusters: &Clusters,
    ) -> Result<Self, Unstated> {
        for length in [second.len(), clusters.samples()] {
            if first.len() != length {
                return Err(Unstated::Lengths { first: first.len(), second: length });
            }
        }
        if first.is_empty() {
            return Err(Unstated::FewSamples { found: 0, needed: 1 });
        }
        if !first.iter().chain(second).all(|value| value.is_finite()) {
            return Err(Unstated::NotFinite);
        }
        let n = first.len() as f64;
        let differences = || first.iter().zip(second).map(|(first, second)| second - first);
        let mean = differences().sum::<f64>() / n;
        let residuals = clusters.sums(differences().map(|difference| difference - mean));
        let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
        let groups = clusters.count() as f64;
        let correlation = correlation(first, second);
        let sign_test = if mean.abs() > 0.0 { 2_f64.powf(1.0 - groups) } else { 1.0 };
        let unstated = |standard_error, why| Self {
            mean,
            standard_error,
            t: None,
            p: sign_test,
            interval: Err(why),
            correlation,
        };
        if clusters.count() < 2 {
            return Ok(unstated(None, Unstated::FewSamples { found: clusters.count(), needed: 2 }));
        }
        let largest = first.iter().chain(second).fold(0.0_f64, |max, value| max.max(value.abs()));
        let standard_error = clusters.jackknife_error(&residuals);
        if is_rounding(squares, largest, n) {
            return Ok(unstated(Some(0.0), Unstated::NoScatter));
        }
        let t = mean / standard_error;
        let half = student_975(groups - 1.0) * standard_error;
        let beside = beside_the_middle(&differences().collect::<Vec<f64>>());
        let is_thin = beside < FEWEST_DIFFERING && beside + 1 < first.len();
        let interval = clusters.checked().and_then(|()| {
            let thin = Unstated::FewDiffer { found: beside, needed: FEWEST_DIFFERING };
            if is_thin { Err(thin) } else { Ok(Interval { low: mean - half, high: mean + half }) }
        });
        Ok(Self {
            mean,
            standard_error: Some(standard_error),
            t: Some(t),
            p: student_two_sided(t, groups - 1.0),
            interval,
            correlation,
        })
    }
}

/// How many values are not the middle one: of a column that is 0 but for three samples, three.
pub(super) fn beside_the_middle(values: &[f64]) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let largest = values.iter().fold(0.0_f64, |max, value| max.max(value.abs()));
    let middle = sorted.get(values.len() / 2).copied().unwrap_or(0.0);
    values.iter().filter(|&value| (value - middle).abs() > 4.0 * f64::EPSILON * largest).count()
}

/// Whether a sum of squares is no more than the rounding of n numbers up to `largest`.
pub(super) fn is_rounding(squares: f64, largest: f64, n: f64) -> bool {
    squares.sqrt() <= 4.0 * f64::EPSILON * largest * n.sqrt()
}

/// Pearson's correlation, as `scipy.stats.pearsonr`; nothing where one side is constant.
fn correlation(first: &[f64], second: &[f64]) -> Option<f64> {
    let n = first.len() as f64;
    let centred = |values: &[f64]| -> Option<Vec<f64>> {
        let mean = values.iter().sum::<f64>() / n;
        let centred: Vec<f64> = values.iter().map(|value| value - mean).collect();
        let norm = centred.iter().map(|value| value * value).sum::<f64>();
        let largest = values.iter().fold(0.0_f64, |max, value| max.max(value.abs()));
        let is_constant = is_rounding(norm, largest, n);
        (!is_constant).then(|| centred.iter().map(|value| value / norm.sqrt()).collect())
    };
    let product: f64 = centred(first)?.iter().zip(centred(second)?).map(|(a, b)| a * b).sum();
    Some(product.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_are_no_difference() {
        let same = PairedDifference::of(&[0.1, 0.7, 0.3], &[0.1, 0.7, 0.3]).unwrap();
        assert!(same.mean.abs() < 1e-15 && (same.p - 1.0).abs() < 1e-15);
        assert_eq!((same.t, same.interval), (None, Err(Unstated::NoScatter)));
    }

    #[test]
    fn a_constant_difference_has_the_sign_test() {
        let first: Vec<f64> = (0..10).map(|value| f64::from(value) * 0.37).collect();
        let second: Vec<f64> = first.iter().map(|value| value + 0.1).collect();
        let found = PairedDifference::of(&first, &second).unwrap();
        assert_eq!((found.t, found.interval), (None, Err(Unstated::NoScatter)));
        assert!((found.p - 2.0 / 1024.0).abs() < 1e-15);
    }

    #[test]
    fn few_that_differ_have_no_interval() {
        let (first, mut second) = ([0.0; 30], [0.0; 30]);
        second[..9].fill(0.5);
        second[3] = 0.25;
        let found = PairedDifference::of(&first, &second).unwrap();
        assert_eq!(found.interval, Err(Unstated::FewDiffer { found: 9, needed: 10 }));
        second[20] = 1.0;
        assert!(PairedDifference::of(&first, &second).unwrap().interval.is_ok());
    }

    #[test]
    fn one_sample_says_nothing() {
        let one = PairedDifference::of(&[1.0], &[3.0]).unwrap();
        assert_eq!((one.standard_error, one.t), (None, None));
        assert!((one.p - 1.0).abs() < 1e-15 && one.interval.is_err());
        assert!(PairedDifference::of(&[], &[]).is_err());
        assert_eq!(PairedDifference::of(&[f64::NAN], &[1.0]), Err(Unstated::NotFinite));
    }

    #[test]
    fn copies_of_samples_add_nothing() {
        let (first, second) = ([0.0, 0.5, 0.2, 0.9], [0.3, 0.4, 0.9, 1.0]);
        let once = PairedDifference::of(&first, &second).unwrap();
        let twice = |values: [f64; 4]| [values, values].concat();
        let labels = Clusters::by_label(&[0, 1, 2, 3, 0, 1, 2, 3]);
        let clustered =
            PairedDifference::of_clusters(&twice(first), &twice(second), &labels).unwrap();
        assert!((once.standard_error.unwrap() - clustered.standard_error.unwrap()).abs() < 1e-12);
        assert!((once.p - clustered.p).abs() < 1e-12);
        assert!(once.interval.is_ok());
        assert_eq!(clustered.interval, Err(Unstated::FewSamples { found: 4, needed: 30 }));
    }
}
