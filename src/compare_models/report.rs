//! The figures of a comparison.

use serde::Serialize;

use super::{ComparisonOptions, disagreement::Disagreement, windows::Windows};
use crate::statistics::Mean;

/// How two models differ over a text. Logarithms are natural, ± is one standard error that takes
/// tokens as independent, as llama.cpp's does.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonReport {
    /// The model whose distribution p counts as the true one.
    pub base: String,
    /// The model whose distribution q is judged.
    pub other: String,
    /// Windows that were read.
    pub windows: usize,
    /// Tokens of each.
    pub window_tokens: usize,
    /// Tokens that were scored: those of the second halves.
    pub scored_tokens: usize,
    /// exp of the mean −ln p(token).
    pub base_ppl: Estimate,
    /// exp of the mean −ln q(token).
    pub other_ppl: Estimate,
    /// Mean of ln p(token) − ln q(token), the logarithm of the ratio of the perplexities.
    pub ln_ppl_ratio: Estimate,
    /// The other model's perplexity over the base's.
    pub ppl_ratio: Estimate,
    /// Pearson's correlation of the two −ln, between tokens; unknown where either is constant.
    pub nll_correlation: Option<f64>,
    /// Mean of D(p ‖ q) = Σ p · (ln p − ln q).
    pub divergence_nats: Estimate,
    /// How it is spread over tokens.
    pub divergence_spread_nats: Spread,
    /// Mean of q(token) − p(token), in percent.
    pub probability_change_percent: Estimate,
    /// Root of the mean of its square, in percent.
    pub probability_change_rms_percent: Estimate,
    /// How it is spread over tokens, in percent.
    pub probability_change_spread_percent: Spread,
    /// Tokens where both models hold the same one likeliest, in percent.
    pub same_top_percent: Estimate,
}

/// A figure and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Its standard error; unknown below two tokens.
    pub standard_error: Option<f64>,
}

impl Estimate {
    /// The mean of the values that `measure` finds.
    fn mean(found: &[Disagreement], measure: impl Fn(&Disagreement) -> f64) -> Self {
        let values: Vec<f64> = found.iter().map(measure).collect();
        let Mean { value, standard_error } = Mean::of(&values);
        Self { value, standard_error }
    }

    /// A function of the figure that has this value and slope there: errors propagate linearly.
    fn through(self, value: f64, slope: f64) -> Self {
        let standard_error = self.standard_error.map(|error| error * slope.abs());
        Self { value, standard_error }
    }

    fn exp(self) -> Self {
        let value = self.value.exp();
        self.through(value, value)
    }

    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        // Where all is zero, nothing scatters.
        self.through(value, if value == 0.0 { 0.0 } else { 0.5 / value })
    }
}

/// Quantiles, linear between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "quantiles are named by their share")]
pub struct Spread {
    pub minimum: f64,
    pub percent_1: f64,
    pub percent_5: f64,
    pub percent_10: f64,
    pub median: f64,
    pub percent_90: f64,
    pub percent_95: f64,
    pub percent_99: f64,
    pub percent_99_9: f64,
    pub maximum: f64,
}

impl Spread {
    fn of(found: &[Disagreement], measure: impl Fn(&Disagreement) -> f64) -> Self {
        let mut values: Vec<f64> = found.iter().map(measure).collect();
        values.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let place = share * (values.len().saturating_sub(1)) as f64;
            let (below, part) = (place as usize, place.fract());
            match (values.get(below), values.get(below + 1)) {
                (Some(low), Some(high)) => low + part * (high - low),
                (Some(&only), None) => only,
                (None, _) => f64::NAN,
            }
        };
        Self {
            minimum: quantile(0.0),
            percent_1: quantile(0.01),
            percent_5: quantile(0.05),
            percent_10: quantile(0.1),
            median: quantile(0.5),
            percent_90: quantile(0.9),
            percent_95: quantile(0.95),
            percent_99: quantile(0.99),
            percent_99_9: quantile(0.999),
            maximum: quantile(1.0),
        }
    }
}

impl ComparisonReport {
    pub(super) fn new(
        options: &ComparisonOptions,
        windows: &Windows,
        found: &[Disagreement],
    ) -> Self {
        let change = |token: &Disagreement| 100.0 * token.probability_change();
        let ln_ppl_ratio =
            Estimate::mean(found, |token| token.other_nll_nats - token.base_nll_nats);
        Self {
            base: options.base.clone(),
            other: options.other.clone(),
            windows: windows.len(),
            window_tokens: options.window_tokens,
            scored_tokens: found.len(),
            base_ppl: Estimate::mean(found, |token| token.base_nll_nats).exp(),
            other_ppl: Estimate::mean(found, |token| token.other_nll_nats).exp(),
            ln_ppl_ratio,
            ppl_ratio: ln_ppl_ratio.exp(),
            nll_correlation: correlation(found),
            divergence_nats: Estimate::mean(found, |token| token.divergence_nats),
            divergence_spread_nats: Spread::of(found, |token| token.divergence_nats),
            probability_change_percent: Estimate::mean(found, change),
            probability_change_rms_percent: Estimate::mean(found, |token| change(token).powi(2))
                .sqrt(),
            probability_change_spread_percent: Spread::of(found, change),
            same_top_percent: Estimate::mean(
                found,
                |token| {
                    if token.same_top { 100.0 } else { 0.0 }
                },
            ),
        }
    }
}

fn correlation(found: &[Disagreement]) -> Option<f64> {
    let base = Estimate::mean(found, |token| token.base_nll_nats).value;
    let other = Estimate::mean(found, |token| token.other_nll_nats).value;
    let sum = |product: &dyn Fn(f64, f64) -> f64| -> f64 {
        found
            .iter()
            .map(|token| product(token.base_nll_nats - base, token.other_nll_nats - other))
            .sum()
    };
    let both = sum(&|base, other| base * other);
    let scatter = (sum(&|base, _| base * base) * sum(&|_, other| other * other)).sqrt();
    (scatter > 0.0).then(|| both / scatter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(base_nll_nats: f64, other_nll_nats: f64) -> Disagreement {
        Disagreement { base_nll_nats, other_nll_nats, divergence_nats: 0.0, same_top: true }
    }

    #[test]
    fn errors_go_through_functions_by_their_slope() {
        let found = [token(1.0, 1.0), token(3.0, 3.0)];
        let ppl = Estimate::mean(&found, |token| token.base_nll_nats).exp();
        assert!((ppl.value - 2f64.exp()).abs() < 1e-12);
        assert!((ppl.standard_error.expect("two tokens") - 2f64.exp()).abs() < 1e-12);
        let none = Estimate::mean(&found, |_| 0.0).sqrt();
        assert_eq!(none, Estimate { value: 0.0, standard_error: Some(0.0) });
    }

    #[test]
    fn the_correlation_is_pearsons() {
        let found = [token(1.0, 2.0), token(2.0, 4.0), token(4.0, 8.0)];
        assert!((correlation(&found).expect("they vary") - 1.0).abs() < 1e-12);
        assert_eq!(correlation(&[token(1.0, 2.0), token(1.0, 3.0)]), None);
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let found: Vec<_> = (0..=10).map(|nll| token(f64::from(nll), 0.0)).collect();
        let spread = Spread::of(&found, |token| token.base_nll_nats);
        assert_eq!((spread.minimum, spread.median, spread.maximum), (0.0, 5.0, 10.0));
        assert!((spread.percent_95 - 9.5).abs() < 1e-12);
    }
}
