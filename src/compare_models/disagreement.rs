//! How two models disagree about one token.

/// What both models expected where a token followed. All logarithms are natural.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Disagreement {
    /// −ln p(token) by the base.
    pub(super) base_nll_nats: f64,
    /// −ln q(token) by the other model.
    pub(super) other_nll_nats: f64,
    /// D(p ‖ q) = Σ p · (ln p − ln q), over the whole vocabulary.
    pub(super) divergence_nats: f64,
    /// Whether both hold the same token likeliest; of equals the lowest id counts.
    pub(super) same_top: bool,
}

impl Disagreement {
    /// Of two rows of logits. In f64, because small divergences are differences of large sums.
    ///
    /// The index of the side whose distribution is none, because a logit is not a number or all are
    /// infinite.
    pub(super) fn of(base: &[f32], other: &[f32], token: u32) -> Result<Self, usize> {
        let base_row = Row::of(base).ok_or(0usize)?;
        let other_row = Row::of(other).ok_or(1usize)?;
        let divergence_nats = base
            .iter()
            .zip(other)
            .map(|(&logit, &other)| {
                let log_p = f64::from(logit) - base_row.normaliser;
                let p = log_p.exp();
                // A token that the base rules out adds nothing, whatever the other says.
                if p == 0.0 { 0.0 } else { p * (log_p - (f64::from(other) - other_row.normaliser)) }
            })
            .sum();
        let nll = |row: &Row, logits: &[f32]| {
            logits.get(token as usize).map_or(f64::NAN, |&logit| row.normaliser - f64::from(logit))
        };
        Ok(Self {
            base_nll_nats: nll(&base_row, base),
            other_nll_nats: nll(&other_row, other),
            divergence_nats,
            same_top: base_row.top == other_row.top,
        })
    }

    /// q(token) − p(token).
    pub(super) fn probability_change(&self) -> f64 {
        (-self.other_nll_nats).exp() - (-self.base_nll_nats).exp()
    }
}

/// What a row of logits is divided by, and its likeliest token.
struct Row {
    /// ln Σ exp(logit).
    normaliser: f64,
    top: usize,
}

impl Row {
    fn of(logits: &[f32]) -> Option<Self> {
        let mut top = 0;
        for (index, logit) in logits.iter().enumerate() {
            if logit.is_nan() {
                return None;
            }
            if *logit > logits[top] {
                top = index;
            }
        }
        let highest = f64::from(*logits.get(top)?);
        let sum: f64 = logits.iter().map(|&logit| (f64::from(logit) - highest).exp()).sum();
        let normaliser = highest + sum.ln();
        normaliser.is_finite().then_some(Self { normaliser, top })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logits(probabilities: &[f64], shift: f32) -> Vec<f32> {
        probabilities.iter().map(|p| p.ln() as f32 + shift).collect()
    }

    #[test]
    fn the_divergence_is_that_of_the_distributions() {
        let (p, q) = ([0.7, 0.2, 0.1], [0.3, 0.5, 0.2]);
        let found = Disagreement::of(&logits(&p, 3.0), &logits(&q, -8.0), 1).expect("finite");
        let expected: f64 = p.iter().zip(&q).map(|(p, q)| p * (p / q).ln()).sum();
        assert!((found.divergence_nats - expected).abs() < 1e-6, "{found:?} {expected}");
        assert!((found.base_nll_nats + 0.2f64.ln()).abs() < 1e-6);
        assert!((found.other_nll_nats + 0.5f64.ln()).abs() < 1e-6);
        assert!((found.probability_change() - 0.3).abs() < 1e-6);
        assert!(!found.same_top);
    }

    #[test]
    fn a_model_does_not_disagree_with_itself() {
        let row = logits(&[0.25, 0.0, 0.75], 0.0);
        let found = Disagreement::of(&row, &row, 2).expect("finite");
        assert_eq!((found.divergence_nats, found.same_top), (0.0, true));
        assert_eq!(found.base_nll_nats.to_bits(), found.other_nll_nats.to_bits());
    }

    #[test]
    fn what_is_no_distribution_is_told_by_its_side() {
        let row = [0.0, 1.0];
        assert_eq!(Disagreement::of(&row, &[f32::NAN, 1.0], 0), Err(1));
        assert_eq!(Disagreement::of(&[f32::INFINITY, 1.0], &row, 0), Err(0));
        assert_eq!(Disagreement::of(&[f32::NEG_INFINITY; 2], &row, 0), Err(0));
    }
}
