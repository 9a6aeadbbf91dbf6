//! Where the true figure lies, with a confidence of 95 %.

/// The 97.5 % quantile of the standard normal distribution: 95 % lie within as many standard
/// errors of the mean.
pub(super) const Z_95: f64 = 1.959_963_984_540_054;

/// Two bounds, in the unit of the figure between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Interval {
    /// The same interval in another unit, `factor` of which are one of this.
    pub fn scaled(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor }
    }
}

/// Wilson's score interval of the share `successes / trials`, between 0 and 1; nothing without
/// trials, or with more successes than trials.
///
/// Unlike the mean ± 1.96 standard errors it has a width where all samples agree, and it never leaves
/// 0 to 1. See E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
/// Journal of the American Statistical Association 22 (1927), 209–212; recommended by L. D. Brown,
/// T. T. Cai and A. `DasGupta`, "Interval Estimation for a Binomial Proportion", Statistical Science 16
/// (2001), 101–133. No continuity correction.
pub fn wilson_95(successes: usize, trials: usize) -> Option<Interval> {
    if trials == 0 {
        return None;
    }
    wilson_95_of_share(successes as f64 / trials as f64, trials as f64)
}

/// Wilson's interval of a share that was not counted but weighted together, and scatters as that of
/// `trials` equal trials would; nothing unless the share is from 0 to 1 and there are trials.
///
/// With n trials and the share p its bounds are
/// (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), the two p₀ of which p is z standard errors
/// √(p₀(1−p₀)/n) away. Nothing in them asks n to be whole.
pub fn wilson_95_of_share(share: f64, trials: f64) -> Option<Interval> {
    if !((0.0..=1.0).contains(&share) && trials > 0.0 && trials.is_finite()) {
        return None;
    }
    let square = Z_95 * Z_95 / trials;
    let centre = share + square / 2.0;
    let half = (square * (share * (1.0 - share) + square / 4.0)).sqrt();
    let bound = |numerator: f64| (numerator / (1.0 + square)).clamp(0.0, 1.0);
    Some(Interval { low: bound(centre - half), high: bound(centre + half) })
}

/// The interval of a mean that is distributed normally: 1.96 standard errors to each side. By the
/// central limit theorem that holds for the mean of many samples; of a few it is too narrow.
pub fn normal_95(mean: f64, standard_error: f64) -> Interval {
    Interval { low: mean - Z_95 * standard_error, high: mean + Z_95 * standard_error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_and_none_are_no_certainty() {
        let all = wilson_95(20, 20).unwrap();
        assert!((all.low - 0.838_874_841_947_180_4).abs() < 1e-12);
        assert!((all.high - 1.0).abs() < 1e-12);
        let none = wilson_95(0, 20).unwrap();
        assert!((none.low.abs() < 1e-12) && (none.high - (1.0 - all.low)).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_share_has_no_interval() {
        assert_eq!(wilson_95(0, 0), None);
        assert_eq!(wilson_95(3, 2), None);
        assert_eq!(wilson_95_of_share(f64::NAN, 5.0), None);
        assert_eq!(wilson_95_of_share(0.5, f64::NAN), None);
    }

    #[test]
    fn the_normal_interval_is_symmetric() {
        let Interval { low, high } = normal_95(2.0, 0.5);
        assert!(
            (low + high - 4.0).abs() < 1e-12 && (high - low - 1.959_963_984_540_054).abs() < 1e-12
        );
    }
}
