//! Two variants that are right or wrong on the same samples: only those count on which they differ.

use super::{Interval, interval::Z_95, share_difference::ShareDifference};

/// On how many samples one of two variants alone was right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McNemar {
    /// Samples that the first got right and the second wrong.
    pub only_first_right: usize,
    /// Samples that the second got right and the first wrong.
    pub only_second_right: usize,
}

impl McNemar {
    /// Counts them. Nothing unless both have the same samples.
    pub fn of(first: &[bool], second: &[bool]) -> Option<Self> {
        let count = |of: (bool, bool)| {
            first.iter().zip(second).filter(|&(&first, &second)| (first, second) == of).count()
        };
        (first.len() == second.len()).then(|| Self {
            only_first_right: count((true, false)),
            only_second_right: count((false, true)),
        })
    }

    /// The exact two-sided p: how often fair coins, one for each sample that differs, fall at least as
    /// unevenly. 1 where none differs.
    ///
    /// Twice the lower tail of the binomial distribution with p = ½, at most 1; as statsmodels'
    /// `mcnemar(table, exact=True)`. See Q. `McNemar`, "Note on the Sampling Error of the Difference
    /// between Correlated Proportions or Percentages", Psychometrika 12 (1947), 153–157.
    pub fn exact_p(self) -> f64 {
        let (below, at) = self.lower_tail();
        (2.0 * (below + at)).min(1.0)
    }

    /// The mid-p: the exact p less half of what lies exactly as far. The exact p errs on the safe side
    /// by a good deal where few samples differ; this one hardly errs at all, to either side.
    ///
    /// See M. W. Fagerland, S. Lydersen and P. Laake, "The `McNemar` Test for Binary Matched-Pairs Data:
    /// mid-p and Asymptotic Are Better Than Exact Conditional", BMC Medical Research Methodology 13
    /// (2013), article 91.
    pub fn mid_p(self) -> f64 {
        let (below, at) = self.lower_tail();
        (2.0 * below + at).min(1.0)
    }

    /// The 95 % interval of the difference between the two shares, second less first, between −1 and 1;
    /// nothing unless there are as many samples as differ, and one at least.
    ///
    /// Tango's score interval; see T. Tango, "Equivalence Test and Confidence Interval for the Difference
    /// in Proportions for the Paired-Sample Design", Statistics in Medicine 17 (1998), 891–908; recommended
    /// by M. W. Fagerland, S. Lydersen and P. Laake, "Recommended Tests and Confidence Intervals for Paired
    /// Binomial Proportions", Statistics in Medicine 33 (2014), 2850–2875.
    pub fn interval_95(self, samples: usize) -> Option<Interval> {
        let differing = self.only_first_right.checked_add(self.only_second_right)?;
        let counts = ShareDifference {
            only_first: self.only_first_right as f64,
            only_second: self.only_second_right as f64,
            samples: samples as f64,
        };
        (samples > 0 && differing <= samples).then(|| counts.score_interval(Z_95))
    }

    /// With X heads of as many fair coins as samples differ and k the smaller count: P(X < k), P(X = k).
    ///
    /// The terms are taken relative to the largest, down from the middle, each from the one before it, so
    /// that no factorial is needed and nothing cancels.
    fn lower_tail(self) -> (f64, f64) {
        let coins = self.only_first_right.saturating_add(self.only_second_right);
        let fewer = self.only_first_right.min(self.only_second_right);
        let (mut term, mut below, mut at, mut total) = (1.0_f64, 0.0, 0.0, 0.0);
        for heads in (0..=coins / 2).rev() {
            // Each count below the middle has its mirror image above.
            total += if 2 * heads == coins { term } else { 2.0 * term };
            if heads < fewer {
                below += term;
            } else if heads == fewer {
                at = term;
            }
            term *= heads as f64 / (coins - heads + 1) as f64;
            if term <= 0.0 {
                break;
            }
        }
        (below / total, at / total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_counts() {
        let first = [true, true, false, false, true];
        let second = [true, false, true, false, false];
        let counts = McNemar::of(&first, &second).unwrap();
        assert_eq!(counts, McNemar { only_first_right: 2, only_second_right: 1 });
        assert_eq!(McNemar::of(&first, &second[1..]), None);
    }

    #[test]
    fn none_that_differs_is_no_evidence() {
        let none = McNemar { only_first_right: 0, only_second_right: 0 };
        assert!((none.exact_p() - 1.0).abs() < 1e-15 && (none.mid_p() - 1.0).abs() < 1e-15);
        let interval = none.interval_95(30).unwrap();
        assert!(interval.low < -0.08 && interval.high > 0.08);
        assert_eq!(none.interval_95(0), None);
    }

    #[test]
    fn many_coins_do_not_underflow() {
        let even = McNemar { only_first_right: 50_000, only_second_right: 50_000 };
        assert!((even.exact_p() - 1.0).abs() < 1e-12);
        let clear = McNemar { only_first_right: 0, only_second_right: 2_000 };
        assert!(clear.exact_p() >= 0.0 && clear.exact_p() < 1e-300);
    }
}
