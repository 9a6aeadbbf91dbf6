//! What is said of one member of a comparison.

use serde::Serialize;

use super::{
    MemberKey, Part, measured_sample::MeasuredSample, measured_unit::MeasuredUnit, metric,
};
use crate::{
    evaluate::Unit,
    statistics::{Interval, Mean, clustered_standard_error, normal_95, wilson_95_of_share},
};

/// A member with its figures over the rows that are compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    /// What tells it from the others of the comparison.
    pub name: String,
    /// What it is.
    #[serde(flatten)]
    pub key: MemberKey,
    /// How it was asked: `ppl`, `gen`, ….
    pub mode: String,
    /// The metric, in the comparison's unit; null without a sample.
    pub value: Option<f64>,
    /// Lower bound of its 95 % interval: Wilson's of a share.
    pub low: Option<f64>,
    /// Its upper bound.
    pub high: Option<f64>,
    /// Mean over samples of the gold answer's mean −ln p of a token.
    pub gold_nats_per_token: Option<f64>,
    /// Mean over samples of the prompt's mean −ln p of a token: all tokens before the answer.
    pub prompt_nats_per_token: Option<f64>,
    /// e to its power.
    pub prompt_perplexity: Option<f64>,
    /// Mean of the best other candidate's score less the gold's, in the comparison's `margin_unit`.
    pub margin: Option<f64>,
    /// Samples that were scored.
    pub samples: usize,
    /// Samples without an answer.
    pub failed: usize,
    /// Samples with an answer and without a score.
    pub unscored: usize,
    /// Tokens of all its questions in full, generated ones included; of all its rows.
    pub asked_tokens: usize,
    /// Those that would be computed if it were asked alone; of all its rows.
    pub alone_tokens: usize,
}

impl Member {
    /// Of the samples that are compared.
    pub(super) fn of(
        unit: &MeasuredUnit,
        samples: &[&MeasuredSample],
        by: Part,
        metric_unit: Unit,
        has_clusters: bool,
    ) -> Self {
        let scored: Vec<(f64, &str)> = samples
            .iter()
            .filter_map(|sample| Some((sample.score?, sample.cluster.as_str())))
            .collect();
        let (scores, clusters): (Vec<f64>, Vec<&str>) = scored.into_iter().unzip();
        let factor = metric::factor(metric_unit);
        let interval = interval(&scores, has_clusters.then_some(&*clusters), metric_unit);
        let interval = interval.map(|interval| interval.scaled(factor));
        let mean_of = |of: fn(&MeasuredSample) -> Option<f64>| {
            mean(&samples.iter().filter_map(|sample| of(sample)).collect::<Vec<f64>>())
        };
        let prompt_nats_per_token = mean_of(|sample| sample.prompt_nats_per_token);
        let failed = samples.iter().filter(|sample| sample.is_failed).count();
        Self {
            name: unit.key.part(by).to_owned(),
            key: unit.key.clone(),
            mode: unit.mode.clone(),
            value: mean(&scores).map(|value| value * factor),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            gold_nats_per_token: mean_of(|sample| sample.gold_nats_per_token),
            prompt_nats_per_token,
            prompt_perplexity: prompt_nats_per_token.map(f64::exp),
            margin: mean_of(|sample| sample.margin),
            samples: scores.len(),
            failed,
            unscored: samples.len() - failed - scores.len(),
            asked_tokens: unit.asked_tokens,
            alone_tokens: unit.alone_tokens,
        }
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    Some(Mean::of(values).value).filter(|mean| mean.is_finite())
}

/// The 95 % interval of the mean. Samples of clusters count as many as would scatter as they do.
fn interval(scores: &[f64], clusters: Option<&[&str]>, unit: Unit) -> Option<Interval> {
    let Mean { value, standard_error } = Mean::of(scores);
    let clustered = clusters.and_then(|clusters| clustered_standard_error(scores, clusters));
    match unit {
        Unit::NatsPerToken | Unit::Number => normal_of(value, clustered.or(standard_error)),
        Unit::Percent => {
            let independent = value * (1.0 - value);
            let trials = match clustered {
                Some(error) if error > 0.0 => {
                    (independent / (error * error)).min(scores.len() as f64)
                }
                // Nothing scatters: a cluster says no more than a sample.
                Some(_) => clusters.map_or(scores.len(), distinct) as f64,
                None => scores.len() as f64,
            };
            wilson_95_of_share(value, trials)
        }
    }
}

fn normal_of(value: f64, standard_error: Option<f64>) -> Option<Interval> {
    standard_error.map(|error| normal_95(value, error))
}

fn distinct(labels: &[&str]) -> usize {
    labels.iter().collect::<std::collections::BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_wilsons_interval_and_clusters_widen_it() {
        let mut scores = vec![1.0; 16];
        scores.extend([0.0; 4]);
        // python3: statsmodels.stats.proportion.proportion_confint(16, 20, method="wilson")
        let own = interval(&scores, None, Unit::Percent).unwrap();
        assert!((own.low - 0.583_982_567_748_106_4).abs() < 1e-9, "{own:?}");
        assert!((own.high - 0.919_342_337_420_202_1).abs() < 1e-9, "{own:?}");
        let pairs: Vec<String> = (0..20).map(|sample| (sample / 4).to_string()).collect();
        let pairs: Vec<&str> = pairs.iter().map(String::as_str).collect();
        let clustered = interval(&scores, Some(&pairs), Unit::Percent).unwrap();
        assert!(clustered.low < own.low && clustered.high > own.high, "{clustered:?}");
        let all_right = interval(&[1.0; 20], Some(&pairs), Unit::Percent).unwrap();
        let five = wilson_95_of_share(1.0, 5.0).unwrap();
        assert_eq!(all_right, five);
        assert_eq!(interval(&[], None, Unit::Percent), None);
    }
}
