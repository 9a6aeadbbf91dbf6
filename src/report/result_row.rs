//! One figure of a run with its uncertainty.

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    evaluate::{Metric, Scores, Unit},
    statistics::{Interval, normal_95, wilson_95_of_share},
};

/// A metric of a model on a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultRow {
    /// Short name of the data set.
    pub dataset: String,
    /// Short name of the model.
    pub model: String,
    /// `gen`, `ppl`, …
    pub mode: String,
    /// Name of the metric.
    pub metric: String,
    /// The figure; NaN, which JSON writes as null, where no sample could be scored.
    #[serde(deserialize_with = "nan_of_null")]
    pub value: f64,
    /// Its standard error, in the same unit.
    pub standard_error: Option<f64>,
    /// Lower bound of its 95 % interval, in the same unit.
    pub interval_low: Option<f64>,
    /// Upper bound of its 95 % interval, in the same unit.
    pub interval_high: Option<f64>,
    /// The unit of all of them.
    pub unit: Unit,
    /// e to the power of a figure in nats per token.
    pub perplexity: Option<f64>,
    /// How many samples were scored.
    pub samples: usize,
    /// How many samples failed and are not in the figure.
    pub failed: usize,
}

/// Reads back a figure that JSON has no number for.
pub(super) fn nan_of_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

impl ResultRow {
    /// The lines of one evaluation, of which `failed` samples could not be scored.
    pub fn of(dataset: &str, model: &str, mode: &str, scores: &Scores, failed: usize) -> Vec<Self> {
        let row = |metric: &Metric| {
            let Metric { value, standard_error, unit, .. } = *metric;
            let interval = interval_95(unit, value, standard_error, scores.samples as f64);
            Self {
                dataset: dataset.to_owned(),
                model: model.to_owned(),
                mode: mode.to_owned(),
                metric: metric.name.clone(),
                value,
                standard_error,
                interval_low: interval.map(|interval| interval.low),
                interval_high: interval.map(|interval| interval.high),
                unit,
                perplexity: perplexity(unit, value),
                samples: scores.samples,
                failed,
            }
        };
        scores.metrics.iter().map(row).collect()
    }
}

/// The 95 % interval of a mean over so many equal samples, in its unit: Wilson's of a share, the
/// normal one of anything else.
///
/// A percentage that is the mean of scores between 0 and 1 scatters at most as a share does, so that
/// Wilson's interval is never too narrow for it.
pub(super) fn interval_95(
    unit: Unit,
    value: f64,
    standard_error: Option<f64>,
    samples: f64,
) -> Option<Interval> {
    match unit {
        Unit::Percent => {
            wilson_95_of_share(value / 100.0, samples).map(|share| share.scaled(100.0))
        }
        Unit::NatsPerToken | Unit::Number => standard_error.map(|error| normal_95(value, error)),
    }
}

/// What a mean surprisal is as a perplexity: of that many equally likely tokens, one is as surprising.
pub(super) fn perplexity(unit: Unit, value: f64) -> Option<f64> {
    match unit {
        Unit::Percent | Unit::Number => None,
        Unit::NatsPerToken => Some(value.exp()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Mean;

    fn row(value: f64, standard_error: Option<f64>, unit: Unit, samples: usize) -> ResultRow {
        let metric = Metric::from_mean("metric", Mean { value, standard_error }, unit);
        let scores = Scores { metrics: vec![metric], samples, details: None };
        ResultRow::of("data", "model", "gen", &scores, 0).remove(0)
    }

    #[test]
    fn a_share_of_all_samples_claims_no_certainty() {
        let row = row(100.0, Some(0.0), Unit::Percent, 20);
        assert!((row.interval_low.unwrap() - 83.887_484_194_718).abs() < 1e-9);
        assert!((row.interval_high.unwrap() - 100.0).abs() < 1e-9);
        assert_eq!(row.perplexity, None);
    }

    #[test]
    fn nats_have_a_normal_interval_and_a_perplexity() {
        let row = row(2.0, Some(0.5), Unit::NatsPerToken, 4);
        assert!((row.interval_low.unwrap() - 1.020_018_007_729_973).abs() < 1e-12);
        assert!((row.perplexity.unwrap() - 7.389_056_098_930_65).abs() < 1e-12);
        assert_eq!(super::interval_95(Unit::NatsPerToken, 2.0, None, 1.0), None);
    }

    #[test]
    fn no_samples_have_no_interval() {
        let row = row(f64::NAN, None, Unit::Percent, 0);
        assert_eq!((row.interval_low, row.interval_high), (None, None));
    }
}
