//! How often two answers were meant and given: what figures of classification are made of.

/// Counts of positive and negative answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Confusion {
    /// Given and meant.
    pub(super) true_positives: usize,
    /// Given and not meant.
    pub(super) false_positives: usize,
    /// Neither given nor meant.
    pub(super) true_negatives: usize,
    /// Meant and not given.
    pub(super) false_negatives: usize,
}

impl Confusion {
    /// The counts of answers, each with what was meant and what was given.
    pub(super) fn of(answers: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut counts = Self::default();
        for (meant, given) in answers {
            match (meant, given) {
                (true, true) => counts.true_positives += 1,
                (false, true) => counts.false_positives += 1,
                (false, false) => counts.true_negatives += 1,
                (true, false) => counts.false_negatives += 1,
            }
        }
        counts
    }

    /// The share of given ones that were meant; 0 of none.
    pub(super) fn precision(self) -> f64 {
        ratio(self.true_positives as f64, (self.true_positives + self.false_positives) as f64)
    }

    /// The share of meant ones that were given; 0 of none.
    pub(super) fn recall(self) -> f64 {
        ratio(self.true_positives as f64, (self.true_positives + self.false_negatives) as f64)
    }

    /// The harmonic mean of both.
    pub(super) fn f1(self) -> f64 {
        let wrong = self.false_positives + self.false_negatives;
        ratio(2.0 * self.true_positives as f64, (2 * self.true_positives + wrong) as f64)
    }

    /// Matthews' correlation; 0 where one side has one kind of answer only.
    pub(super) fn matthews(self) -> f64 {
        let [tp, fp, tn, fn_] =
            [self.true_positives, self.false_positives, self.true_negatives, self.false_negatives]
                .map(|count| count as f64);
        ratio(tp * tn - fp * fn_, ((tp + fp) * (tp + fn_) * (tn + fp) * (tn + fn_)).sqrt())
    }
}

/// A quotient, or 0 of nothing.
pub(super) fn ratio(of: f64, all: f64) -> f64 {
    if all == 0.0 { 0.0 } else { of / all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_scikit_learn() {
        let meant = [true, true, false, true, false, false];
        let given = [true, false, true, true, false, false];
        let counts = Confusion::of(meant.into_iter().zip(given));
        let figures = [counts.precision(), counts.recall(), counts.f1(), counts.matthews()];
        for (found, expected) in
            figures.into_iter().zip([2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0])
        {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        assert_eq!(Confusion::default().matthews().to_bits(), 0_f64.to_bits());
    }
}
