//! The difference between two shares of the same samples.

use super::Interval;

/// Samples on which two variants differ, of all; parts of a sample where clusters make each count less
/// than one.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShareDifference {
    /// Samples that the first alone got right.
    pub(super) only_first: f64,
    /// Samples that the second alone got right.
    pub(super) only_second: f64,
    /// All samples.
    pub(super) samples: f64,
}

impl ShareDifference {
    /// The differences, second less first, that the counts are no more than `critical` standard errors away
    /// from; between −1 and 1. There must be samples.
    ///
    /// Tango's score interval: the standard error is the one that there would be if the difference were true,
    /// so that there is an interval where no sample differs, and 0 is in it exactly when |b − c| / √(b + c) is
    /// at most `critical`. See T. Tango, "Equivalence Test and Confidence Interval for the Difference in
    /// Proportions for the Paired-Sample Design", Statistics in Medicine 17 (1998), 891–908.
    pub(super) fn score_interval(self, critical: f64) -> Interval {
        let swapped = Self { only_first: self.only_second, only_second: self.only_first, ..self };
        Interval { low: -swapped.upper(critical), high: self.upper(critical) }
    }

    /// The upper bound, by bisection: the farther above the difference, the more standard errors away.
    fn upper(self, critical: f64) -> f64 {
        let (mut inside, mut outside) = ((self.only_second - self.only_first) / self.samples, 1.0);
        for _ in 0..52 {
            let middle = f64::midpoint(inside, outside);
            if self.is_within(middle, critical) { inside = middle } else { outside = middle }
        }
        f64::midpoint(inside, outside)
    }

    /// Whether the counts are at most so many standard errors of a true difference away from it.
    fn is_within(self, difference: f64, critical: f64) -> bool {
        let Self { only_first, only_second, samples } = self;
        // The most likely share of `only_first` if the difference is true, of a quadratic equation.
        let linear =
            (2.0 * samples - only_second + only_first) * difference - (only_first + only_second);
        let constant = -only_first * difference * (1.0 - difference);
        let root = (linear * linear - 8.0 * samples * constant).max(0.0).sqrt();
        let share = ((root - linear) / (4.0 * samples)).max(0.0).max(-difference);
        let variance = samples * (2.0 * share + difference * (1.0 - difference));
        let distance = only_second - only_first - samples * difference;
        distance * distance <= critical * critical * variance.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(only_first: f64, only_second: f64, samples: f64) -> Interval {
        ShareDifference { only_first, only_second, samples }.score_interval(1.96)
    }

    #[test]
    fn bounds_are_those_of_tango() {
        // Where none differs T² = n δ / (1 − δ).
        let Interval { low, high } = interval(0.0, 0.0, 30.0);
        let alone = 1.96 * 1.96 / (30.0 + 1.96 * 1.96);
        assert!((high - alone).abs() < 1e-12 && (low + alone).abs() < 1e-12);
    }

    #[test]
    fn sides_are_mirror_images() {
        let (one, other) = (interval(3.0, 11.0, 60.0), interval(11.0, 3.0, 60.0));
        assert!((one.low + other.high).abs() < 1e-12 && (one.high + other.low).abs() < 1e-12);
        assert!(one.low > 0.0 && one.low < 8.0 / 60.0 && one.high > 8.0 / 60.0);
    }

    #[test]
    fn zero_is_left_out_as_by_the_test() {
        for (only_first, only_second) in [(0.0, 3.0), (0.0, 4.0), (5.0, 14.0), (5.0, 16.0)] {
            let sum: f64 = only_first + only_second;
            let is_far = (only_second - only_first) / sum.sqrt() > 1.96;
            assert_eq!(interval(only_first, only_second, 100.0).low > 0.0, is_far);
        }
    }

    #[test]
    fn bounds_stay_shares() {
        let all = interval(0.0, 20.0, 20.0);
        assert!(all.high <= 1.0 && all.high > 0.999_999 && all.low > 0.6);
        let none = interval(0.0, 0.0, 1.0);
        assert!(none.low >= -1.0 && none.high <= 1.0);
    }
}
