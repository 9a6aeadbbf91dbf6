//! What a number of samples could have shown, and how many would be needed.

use super::{
    distribution::{normal_below, normal_quantile},
    interval::Z_95,
};

/// The share of repetitions in which a difference of the stated size should be found.
const WANTED: f64 = 0.8;

/// A two-sided test that finds a difference which is so many standard errors from zero.
///
/// Differences of means scatter normally, with √(s²/n) for n pairs whose differences have the standard
/// deviation s; as statsmodels' `NormalIndPower` for one sample. Differences of shares scatter with
/// √(d/n) where there is none and with √((d − δ²)/n) where it is δ, d being the share of samples on which
/// the two differ; see R. J. Connor, "Sample Size for Testing Differences in Proportions for the
/// Paired-Sample Design", Biometrics 43 (1987), 207–211.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    critical: f64,
}

impl Power {
    /// Of one test at 5 %: 1.96 standard errors.
    pub fn of_one_test() -> Self {
        Self { critical: Z_95 }
    }

    /// Of a test that needs so many standard errors: [`AllPairs::critical_value`] for one of many. Never
    /// less than 1.96; nothing where it is no finite number.
    ///
    /// [`AllPairs::critical_value`]: super::AllPairs::critical_value
    pub fn of_critical_value(standard_errors: f64) -> Option<Self> {
        standard_errors.is_finite().then(|| Self { critical: standard_errors.max(Z_95) })
    }

    /// The smallest difference of means that so many pairs show in 80 % of all cases, in the unit of the
    /// standard deviation of the differences; nothing without pairs or without a scatter.
    pub fn smallest_mean_difference(self, pairs: usize, deviation: f64) -> Option<f64> {
        let is_known = pairs > 0 && deviation > 0.0 && deviation.is_finite();
        is_known
            .then(|| (self.critical + normal_quantile(WANTED)) * deviation / (pairs as f64).sqrt())
    }

    /// How many pairs show this difference of means in 80 % of all cases; nothing of no difference or no
    /// scatter.
    pub fn pairs_for_mean_difference(self, difference: f64, deviation: f64) -> Option<usize> {
        let ratio = (self.critical + normal_quantile(WANTED)) * deviation / difference;
        whole(ratio * ratio).filter(|_| deviation > 0.0)
    }

    /// How often so many pairs show this difference of means, from 0 to 1.
    pub fn of_mean_difference(self, pairs: usize, difference: f64, deviation: f64) -> Option<f64> {
        if !(pairs > 0 && difference.is_finite() && deviation > 0.0 && deviation.is_finite()) {
            return None;
        }
        let shift = difference * (pairs as f64).sqrt() / deviation;
        Some(normal_below(shift - self.critical) + normal_below(-shift - self.critical))
    }

    /// The smallest difference of shares, between 0 and 1, that so many pairs show in 80 % of all cases if
    /// the two differ on the share `discordant` of all samples. Nothing where not even all of them falling
    /// to one side would do, and where none differs: then nothing is known of how many would.
    pub fn smallest_share_difference(self, pairs: usize, discordant: f64) -> Option<f64> {
        if pairs == 0 || !is_share(discordant) {
            return None;
        }
        // δ √n = c √d + z √(d − δ²), squared and solved for δ.
        let (n, z) = (pairs as f64, normal_quantile(WANTED));
        let edge = self.critical * discordant.sqrt();
        let root = z * z * (discordant * (n + z * z) - edge * edge);
        let difference = (edge * n.sqrt() + root.max(0.0).sqrt()) / (n + z * z);
        (root >= 0.0 && difference <= discordant).then_some(difference)
    }

    /// How many pairs show this difference of shares in 80 % of all cases if the two differ on the share
    /// `discordant` of all samples; nothing of no difference, or of one larger than what differs.
    pub fn pairs_for_share_difference(self, difference: f64, discordant: f64) -> Option<usize> {
        if !is_possible(difference, discordant) {
            return None;
        }
        let edge = self.critical * discordant.sqrt();
        let scatter = (discordant - difference * difference).max(0.0).sqrt();
        let ratio = (edge + normal_quantile(WANTED) * scatter) / difference;
        whole(ratio * ratio)
    }

    /// How often so many pairs show this difference of shares, from 0 to 1, if the two differ on the
    /// share `discordant` of all samples.
    pub fn of_share_difference(
        self,
        pairs: usize,
        difference: f64,
        discordant: f64,
    ) -> Option<f64> {
        if pairs == 0 || !is_possible(difference, discordant) {
            return None;
        }
        let shift = difference * (pairs as f64).sqrt();
        let edge = self.critical * discordant.sqrt();
        let scatter = (discordant - difference * difference).sqrt().max(f64::MIN_POSITIVE);
        Some(normal_below((shift - edge) / scatter) + normal_below((-shift - edge) / scatter))
    }
}

/// Whether something differs, and on no more than all samples.
fn is_share(discordant: f64) -> bool {
    discordant > 0.0 && discordant <= 1.0
}

/// Whether two shares can differ by this if they differ on no more samples.
fn is_possible(difference: f64, discordant: f64) -> bool {
    is_share(discordant) && (-discordant..=discordant).contains(&difference)
}

/// Rounded up, one at least; nothing that no machine could count.
fn whole(pairs: f64) -> Option<usize> {
    (pairs < 1e15).then(|| (pairs.ceil() as usize).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_difference_is_found_in_four_of_five_cases() {
        let power = Power::of_one_test();
        let mean = power.smallest_mean_difference(100, 0.5).unwrap();
        assert!((power.of_mean_difference(100, mean, 0.5).unwrap() - 0.8).abs() < 1e-4);
        assert_eq!(power.pairs_for_mean_difference(mean * 0.999_999, 0.5), Some(101));
        let share = power.smallest_share_difference(1000, 0.2).unwrap();
        assert!((power.of_share_difference(1000, share, 0.2).unwrap() - 0.8).abs() < 1e-4);
        assert_eq!(power.pairs_for_share_difference(share * 1.000_001, 0.2), Some(1000));
    }

    #[test]
    fn many_tests_need_more() {
        let (one, many) = (Power::of_one_test(), Power::of_critical_value(3.1).unwrap());
        assert!(many.smallest_share_difference(500, 0.3) > one.smallest_share_difference(500, 0.3));
        assert_eq!(Power::of_critical_value(f64::INFINITY), None);
    }

    #[test]
    fn what_cannot_be_known_is_not_said() {
        let power = Power::of_one_test();
        assert_eq!(power.smallest_share_difference(1000, 0.0), None);
        assert_eq!(power.smallest_share_difference(5, 0.1), None);
        assert_eq!(power.smallest_mean_difference(0, 1.0), None);
        assert_eq!(power.smallest_mean_difference(10, f64::NAN), None);
        assert_eq!(power.pairs_for_mean_difference(0.0, 1.0), None);
        assert_eq!(power.pairs_for_mean_difference(0.0, 0.0), None);
        assert_eq!(power.pairs_for_share_difference(0.3, 0.2), None);
        assert_eq!(power.of_share_difference(10, f64::NAN, 0.2), None);
    }
}
