//! The sums over a pair of variants of which its statistic is made.

use super::{
    Clusters, distribution::student_975, interval::Z_95, paired_difference::is_rounding,
    share_difference::ShareDifference,
};

/// What all pairs have in common.
pub(super) struct PairDesign<'a> {
    pub(super) clusters: &'a Clusters,
    /// Whether all scores are 0 or 1.
    pub(super) are_shares: bool,
    /// The largest score in size, of which rounding is a part.
    pub(super) largest: f64,
}

/// A pair's difference, second less first, and what scales it.
///
/// Under random signs the sum of squares of the differences D stays, so that the statistic rises with the
/// squared cosine r = (Σ±D)² / (G ΣD²) of G clusters alone: `McNemar`'s is √(G r), Student's t is
/// √((G − 1) r / (1 − r)). So r is what is compared: it needs no variance of its own for each resample, and
/// where all differences are equal it is 1 instead of a division by zero.
///
/// Of shares ΣD² has two imagined clusters more, one that either variant alone gets right. By themselves
/// pairs that differ on two or three samples would often have the largest statistic, to the cost of the others:
/// the constant in the denominator of V. G. Tusher, R. Tibshirani and G. Chu, "Significance Analysis of
/// Microarrays", Proceedings of the National Academy of Sciences 98 (2001), 5116–5121.
pub(super) struct PairMoments {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) difference: f64,
    /// How far the difference is from zero, in standard errors.
    pub(super) t: f64,
    /// The squared cosine of the observed difference; the lesser one, directly and through t, which
    /// differ for clusters of unequal size.
    pub(super) cosine: f64,
    /// 1 / (G ΣD²), with the imagined clusters; 0 where nothing differs.
    pub(super) per_square: f64,
    /// 1 / (G ΣE²) of the differences less their mean; 0 where nothing scatters.
    pub(super) per_residual_square: f64,
    /// Zero where nothing scatters.
    pub(super) standard_error: f64,
    /// Clusters in which the two differ.
    pub(super) differing: usize,
    /// Of shares the samples that differ, by direction.
    pub(super) share: Option<ShareDifference>,
}

impl PairDesign<'_> {
    fn rows(&self) -> f64 {
        self.clusters.count() as f64
    }

    /// Standard errors from the squared cosine; infinite where it is 1.
    pub(super) fn t_of_cosine(&self, cosine: f64) -> f64 {
        if self.are_shares {
            return (self.rows() * cosine).sqrt();
        }
        if cosine < 1.0 {
            ((self.rows() - 1.0) * cosine / (1.0 - cosine)).sqrt()
        } else {
            f64::INFINITY
        }
    }

    /// The squared cosine from a number's standard errors.
    fn cosine_of_t(&self, t: f64) -> f64 {
        if t.is_infinite() { 1.0 } else { t * t / (self.rows() - 1.0 + t * t) }
    }

    /// The moments of two variants; `scores` are theirs for each sample.
    pub(super) fn moments(
        &self,
        (first, second): (usize, usize),
        scores: (&[f64], &[f64]),
    ) -> PairMoments {
        let each = || scores.0.iter().zip(scores.1).map(|(first, second)| second - first);
        let sums = self.clusters.sums(each());
        let samples = self.clusters.samples() as f64;
        let sum: f64 = sums.iter().sum();
        let difference = sum / samples;
        let squares: f64 = sums.iter().map(|value| value * value).sum();
        let residuals: Vec<f64> = sums
            .iter()
            .zip(self.clusters.sizes())
            .map(|(value, size)| value - size * difference)
            .collect();
        let residual_squares: f64 = residuals.iter().map(|value| value * value).sum();
        let imagined = if self.are_shares { 2.0 * self.clusters.mean_square_size() } else { 0.0 };
        let known = |squares: f64| {
            let is_known = !is_rounding(squares, self.largest, samples);
            if is_known { 1.0 / (self.rows() * (squares + imagined)) } else { 0.0 }
        };
        let (per_square, per_residual_square) = (known(squares), known(residual_squares));
        let direct = (sum * sum * per_square).min(1.0);
        let standard_error = if per_residual_square > 0.0 && self.rows() > 1.0 {
            self.clusters.jackknife_error(&residuals)
        } else {
            0.0
        };
        let share = self.are_shares.then(|| self.share(each(), standard_error));
        let t = match share {
            _ if per_square <= 0.0 => 0.0,
            Some(ShareDifference { only_first, only_second, .. }) => {
                (only_second - only_first).abs() / (only_first + only_second).sqrt()
            }
            None => difference.abs() / standard_error,
        };
        let cosine = if self.are_shares { direct } else { direct.min(self.cosine_of_t(t)) };
        let rounding = 4.0 * f64::EPSILON * self.largest;
        let differing = sums.iter().filter(|value| value.abs() > rounding).count();
        PairMoments {
            first,
            second,
            difference,
            t,
            cosine,
            per_square,
            per_residual_square,
            standard_error,
            differing,
            share,
        }
    }

    /// The samples that differ, each counting as much less as clusters make it.
    ///
    /// The design effect of J. N. K. Rao and A. J. Scott, "A Simple Method for the Analysis of Clustered
    /// Binary Data", Biometrics 48 (1992), 577–585: the variance over clusters relative to that of
    /// independent samples, never less than 1, and enlarged by Student's t for few clusters. Where nothing
    /// scatters it is not known; then a cluster counts as one sample (Kish's Σm²/n).
    fn share(&self, each: impl Iterator<Item = f64>, standard_error: f64) -> ShareDifference {
        let (mut only_first, mut only_second) = (0.0, 0.0);
        each.for_each(|difference| {
            only_first += f64::from(difference < 0.0);
            only_second += f64::from(difference > 0.0);
        });
        let samples = self.clusters.samples() as f64;
        let effect = if self.clusters.count() == self.clusters.samples() {
            1.0
        } else if standard_error > 0.0 {
            let difference = (only_second - only_first) / samples;
            let share = (only_first + only_second) / samples;
            let independent = (share - difference * difference) / (samples - 1.0);
            let few = student_975(self.rows() - 1.0) / Z_95;
            (standard_error * standard_error / independent * few * few).max(1.0)
        } else {
            self.clusters.mean_square_size() * self.rows() / samples
        };
        ShareDifference {
            only_first: only_first / effect,
            only_second: only_second / effect,
            samples: samples / effect,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::PairedDifference;

    #[test]
    fn numbers_have_the_paired_t() {
        let (first, second) = ([0.3, 0.1, 0.9, 0.4], [0.5, 0.1, 1.4, 0.2]);
        let clusters = Clusters::singletons(4);
        let design = PairDesign { clusters: &clusters, are_shares: false, largest: 1.4 };
        let moments = design.moments((0, 1), (&first, &second));
        let paired = PairedDifference::of(&first, &second).unwrap();
        assert!((moments.standard_error - paired.standard_error.unwrap()).abs() < 1e-15);
        assert!((moments.t - paired.t.unwrap()).abs() < 1e-12);
        assert!((design.t_of_cosine(moments.cosine) - moments.t).abs() < 1e-12);
        assert!((design.cosine_of_t(moments.t) - moments.cosine).abs() < 1e-12);
        assert_eq!(moments.differing, 3);
    }

    #[test]
    fn shares_have_the_statistic_of_mcnemar() {
        let (first, second) = ([1.0, 0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0, 0.0]);
        let clusters = Clusters::singletons(5);
        let design = PairDesign { clusters: &clusters, are_shares: true, largest: 1.0 };
        let moments = design.moments((0, 1), (&first, &second));
        assert!((moments.t - 1.0 / 3.0_f64.sqrt()).abs() < 1e-12);
        assert!((design.t_of_cosine(moments.cosine) - 1.0 / 5.0_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn equal_columns_have_no_cosine() {
        let clusters = Clusters::singletons(4);
        let design = PairDesign { clusters: &clusters, are_shares: false, largest: 0.5 };
        let moments = design.moments((0, 1), (&[0.5; 4], &[0.5; 4]));
        assert!(moments.cosine.abs() < 1e-15 && moments.t.abs() < 1e-15);
        assert_eq!(moments.differing, 0);
    }
}
