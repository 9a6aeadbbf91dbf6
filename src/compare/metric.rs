//! Which metric is compared, and whether its samples' scores are what it is made of.

use serde::Deserialize;

use crate::{evaluate::Unit, store::ScoreRow};

/// A mean of so many numbers is off by rounding alone.
const ROUNDING: f64 = 1e-6;

/// What a run says of a metric.
#[derive(Deserialize)]
struct MetricFacts {
    value: Option<f64>,
    unit: Unit,
}

/// Why a metric's samples cannot be compared. Its text continues the metric's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Incomparable {
    /// Only the figure of all samples is known.
    #[error("has no scores of single samples")]
    OfAllOnly,
    /// The figure is something else than the mean of the samples' scores.
    #[error("is no mean of its samples' scores")]
    NoMean,
}

/// The unit of a metric whose figure is the mean of its samples' scores.
pub(crate) fn unit_of_mean(row: &ScoreRow) -> Result<Unit, Incomparable> {
    let facts: MetricFacts =
        serde_json::from_str(&row.facts).map_err(|_| Incomparable::OfAllOnly)?;
    let scores: Vec<f64> = row.scores.iter().copied().filter(|score| !score.is_nan()).collect();
    // Where every sample has failed there is no figure either.
    if let Some(value) = facts.value {
        if scores.is_empty() {
            return Err(Incomparable::OfAllOnly);
        }
        let mean = factor(facts.unit) * scores.iter().sum::<f64>() / scores.len() as f64;
        let is_mean = (mean - value).abs() <= ROUNDING * value.abs().max(1.0);
        if !is_mean {
            return Err(Incomparable::NoMean);
        }
    }
    Ok(facts.unit)
}

/// What a sample's score of 1 is in the unit of the metric.
pub(crate) fn factor(unit: Unit) -> f64 {
    match unit {
        Unit::Percent => 100.0,
        Unit::NatsPerToken | Unit::Number => 1.0,
    }
}

/// Whether the larger figure is the better one.
pub(crate) fn is_more_better(unit: Unit) -> bool {
    match unit {
        Unit::Percent | Unit::Number => true,
        Unit::NatsPerToken => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: &str, unit: &str, scores: &[f64]) -> ScoreRow {
        let facts = format!("{{\"value\": {value}, \"standard_error\": null, \"unit\": {unit:?}}}");
        ScoreRow { metric: "metric".to_owned(), facts, scores: scores.to_vec() }
    }

    #[test]
    fn a_figure_is_the_mean_of_its_samples_or_cannot_be_compared() {
        let nan = f64::NAN;
        let found = |value, unit, scores: &[f64]| unit_of_mean(&row(value, unit, scores));
        assert_eq!(found("50.0", "percent", &[1.0, nan, 0.0]), Ok(Unit::Percent));
        assert_eq!(found("1.5", "nats_per_token", &[1.0, 2.0]), Ok(Unit::NatsPerToken));
        assert_eq!(found("40.0", "percent", &[1.0, nan, 0.0]), Err(Incomparable::NoMean));
        assert_eq!(found("50.0", "percent", &[nan, nan]), Err(Incomparable::OfAllOnly));
        assert_eq!(found("50.0", "bananas", &[1.0, 0.0]), Err(Incomparable::OfAllOnly));
        assert_eq!(found("null", "percent", &[nan]), Ok(Unit::Percent));
    }
}
