//! Two builds of this program on the same questions, measured in turn: by how much one is faster.
//!
//! A round is one report of each build. What else the machine does drifts, and what is measured next to each other
//! drifts together, so rounds are pairs: the ratio of each round is taken, and the geometric mean of the ratios is told
//! with Student's interval of their logarithms. Logarithms, because half as fast and twice as fast are equally far
//! from equal. It starts no program; `cli` does.

use serde::Serialize;

use super::{BenchComparisonError, BenchReport, ComparedQuantity, compare};
use crate::statistics::{Interval, PairedDifference};

/// One quantity of two builds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuantityRatio {
    /// What it is, with its unit.
    pub name: String,
    /// Of this build: the geometric mean over the rounds, in that unit; 0 where a round has none.
    pub now: f64,
    /// Of the baseline, likewise.
    pub before: f64,
    /// Now for each one before; `None` where a round has nothing to divide.
    pub ratio: Option<f64>,
    /// The lower end of the ratio's 95 % interval; `None` of one round, and where rounds do not differ.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// One model and workload under two builds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BuildComparison {
    /// The model.
    pub model: String,
    /// What it was asked.
    pub workload: String,
    /// This build's version.
    pub version: String,
    /// The baseline's.
    pub baseline_version: String,
    /// How often each was measured.
    pub rounds: usize,
    /// What was measured.
    pub quantities: Vec<QuantityRatio>,
    /// Settings in which the builds differ, in words. None of them changes what is asked.
    pub other_settings: Vec<String>,
}

/// The reports of both builds, which were measured next to each other.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchRound {
    /// This build's, one for each model.
    pub now: Vec<BenchReport>,
    /// The baseline's.
    pub before: Vec<BenchReport>,
}

/// Both builds on every model of the rounds. An error where they were not asked the same, or did not compute it
/// in the same way: on one device, in one type, with the same requests answered.
pub fn compare_builds(rounds: &[BenchRound]) -> Result<Vec<BuildComparison>, BenchComparisonError> {
    let Some(first) = rounds.first() else { return Ok(Vec::new()) };
    first
        .now
        .iter()
        .map(|report| {
            let mut pairs = Vec::with_capacity(rounds.len());
            let mut other_settings = Vec::new();
            let mut baseline_version = String::new();
            for round in rounds {
                let now = report_of(&round.now, report)?;
                let before = report_of(&round.before, report)?;
                check_computed_alike(now, before)?;
                let compared = compare(now, std::slice::from_ref(before))?;
                pairs.push(compared.quantities);
                other_settings = compared.other_settings;
                baseline_version.clone_from(&before.version);
            }
            Ok(BuildComparison {
                model: report.model.clone(),
                workload: report.workload.clone(),
                version: report.version.clone(),
                baseline_version,
                rounds: rounds.len(),
                quantities: ratios(&pairs),
                other_settings,
            })
        })
        .collect()
}

/// The report of the same model and workload.
fn report_of<'r>(
    reports: &'r [BenchReport],
    of: &BenchReport,
) -> Result<&'r BenchReport, BenchComparisonError> {
    let is_same =
        |report: &&BenchReport| (&report.model, &report.workload) == (&of.model, &of.workload);
    reports.iter().find(is_same).ok_or_else(|| BenchComparisonError::NoReport {
        workload: of.workload.clone(),
        model: of.model.clone(),
    })
}

fn check_computed_alike(
    now: &BenchReport,
    before: &BenchReport,
) -> Result<(), BenchComparisonError> {
    let settings = |report: &BenchReport| {
        [
            ("device", report.device.clone()),
            ("type", report.dtype.clone()),
            ("kind of activations", report.activations.clone()),
            ("number of requests without an answer", report.failed_requests.to_string()),
        ]
    };
    let differing =
        settings(now).into_iter().zip(settings(before)).find(|(now, before)| now != before);
    match differing {
        None => Ok(()),
        Some(((what, now), (_, before))) => {
            Err(BenchComparisonError::ComputedOtherwise { what, now, before })
        }
    }
}

/// Every quantity over the rounds.
fn ratios(rounds: &[Vec<ComparedQuantity>]) -> Vec<QuantityRatio> {
    let mut names: Vec<&str> = Vec::new();
    for quantity in rounds.iter().flatten() {
        if !names.contains(&quantity.name.as_str()) {
            names.push(&quantity.name);
        }
    }
    let ratio = |name: &str| {
        let of = |side: fn(&ComparedQuantity) -> f64| -> Vec<f64> {
            let found = rounds.iter().map(|round| round.iter().find(|one| one.name == name));
            found.map(|found| found.map_or(0.0, side).ln()).collect()
        };
        let (now, before) = (of(|one| one.now), of(|one| one.before));
        let difference = PairedDifference::of(&before, &now).ok();
        let interval: Option<Interval> = difference.and_then(|found| found.interval.ok());
        QuantityRatio {
            name: name.to_owned(),
            now: geometric_mean(&now),
            before: geometric_mean(&before),
            ratio: difference.map(|found| found.mean.exp()),
            low: interval.map(|interval| interval.low.exp()),
            high: interval.map(|interval| interval.high.exp()),
        }
    };
    names.into_iter().map(ratio).collect()
}

/// Of logarithms; that of 0 makes it 0.
fn geometric_mean(logarithms: &[f64]) -> f64 {
    (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(pairs: &[(&str, f64, f64)]) -> Vec<ComparedQuantity> {
        let quantity = |&(name, now, before): &(&str, f64, f64)| ComparedQuantity {
            name: name.to_owned(),
            now,
            before,
        };
        pairs.iter().map(quantity).collect()
    }

    #[test]
    fn drift_that_both_share_does_not_widen_the_interval() {
        let rounds: Vec<_> = [(1.0, 1.01), (3.0, 0.99), (9.0, 1.0), (2.0, 1.02), (5.0, 0.98)]
            .map(|(drift, noise)| round(&[("wall seconds", 0.5 * drift * noise, drift)]))
            .to_vec();
        let found = &ratios(&rounds)[0];
        let (low, high) = (found.low.unwrap(), found.high.unwrap());
        assert!(low < 0.5 && 0.5 < high && high - low < 0.03, "{found:?}");
        // In closed form: Student's 97.5 % quantile with four degrees of freedom is 2.776445.
        let logs = [1.01_f64, 0.99, 1.0, 1.02, 0.98].map(f64::ln);
        let mean = logs.iter().sum::<f64>() / 5.0;
        let square = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 4.0 / 5.0;
        assert!((found.ratio.unwrap() - 0.5 * mean.exp()).abs() < 1e-12);
        assert!((high - (0.5_f64.ln() + mean + 2.776_445 * square.sqrt()).exp()).abs() < 1e-6);
    }

    #[test]
    fn what_cannot_be_divided_has_no_ratio_and_what_does_not_scatter_no_interval() {
        let one = round(&[("decode tokens/s", 5.0, 0.0), ("tokens computed", 8.0, 16.0)]);
        let found = ratios(&[one.clone(), one.clone()]);
        assert_eq!((found[0].ratio, found[0].before), (None, 0.0));
        assert!((found[1].ratio.unwrap() - 0.5).abs() < 1e-12 && found[1].low.is_none());
        assert!(ratios(&[one])[1].low.is_none());
        assert_eq!(compare_builds(&[]), Ok(Vec::new()));
    }
}
