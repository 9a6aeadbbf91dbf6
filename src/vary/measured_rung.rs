//! What a step of the search has measured: every format's score of every sample.

use super::{Confirmation, VaryError};
use crate::{
    compare::{factor, is_more_better, unit_of_mean},
    evaluate::Unit,
    kept_run::run::{KeptRun, KeptUnit},
    statistics::{AllPairs, Clusters, Interval, Resampling},
};

/// The formats of one data set in a step.
#[derive(Debug)]
pub(super) struct MeasuredRung {
    /// The formats, by their places in the search.
    pub(super) formats: Vec<usize>,
    pub(super) figures: Vec<Figure>,
    /// The place of each sample among all of the data set.
    pub(super) places: Vec<usize>,
    /// For each format the score of each sample; NaN where there is none.
    scores: Vec<Vec<f64>>,
    unit: Unit,
}

/// A format's figure, in the unit of the metric.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figure {
    pub(super) value: Option<f64>,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    /// Samples that it was asked about.
    pub(super) asked: usize,
    /// Those without an answer.
    pub(super) failed: usize,
}

/// A metric that all formats have.
#[derive(Clone, Debug)]
pub(super) struct Metric {
    pub(super) name: String,
    pub(super) unit: Unit,
}

impl Metric {
    /// The metric that is wanted, or the first that all have; every sample must have a score of its own.
    pub(super) fn of(
        run: &KeptRun,
        abbrs: &[String],
        wanted: Option<&str>,
    ) -> Result<Self, VaryError> {
        let units = units(run, abbrs)?;
        let refused = |why: String| VaryError::NoMetric { dataset: abbrs[0].clone(), why };
        let unit = |metric: &str| -> Result<Unit, String> {
            let mut found = Err("it has no metric".to_owned());
            for own in &units {
                let known: Vec<&str> = own.scores.iter().map(|row| row.metric.as_str()).collect();
                let row = own.scores.iter().find(|row| row.metric == metric).ok_or_else(|| {
                    format!("it has no metric {metric}; its metrics: {}", known.join(", "))
                })?;
                found = unit_of_mean(row).map_err(|why| format!("{metric} {why}"));
                if found.is_err() {
                    break;
                }
            }
            found
        };
        if let Some(name) = wanted {
            return Ok(Self { name: name.to_owned(), unit: unit(name).map_err(refused)? });
        }
        let names: Vec<&str> = units[0].scores.iter().map(|row| row.metric.as_str()).collect();
        let mut why = "it has no metric".to_owned();
        for name in names {
            match unit(name) {
                Ok(unit) => return Ok(Self { name: name.to_owned(), unit }),
                Err(own) => why = own,
            }
        }
        Err(refused(why))
    }
}

/// The units of data sets, in their order.
fn units<'r>(run: &'r KeptRun, abbrs: &[String]) -> Result<Vec<&'r KeptUnit>, VaryError> {
    let unit = |abbr: &String| {
        let found = run.units.iter().find(|unit| unit.facts.dataset == *abbr);
        found.ok_or_else(|| VaryError::NoMetric {
            dataset: abbr.clone(),
            why: "the run has no figure of it".to_owned(),
        })
    };
    abbrs.iter().map(unit).collect()
}

impl MeasuredRung {
    /// Reads the formats, which the run knows by these names.
    pub(super) fn of(
        run: &KeptRun,
        formats: &[usize],
        abbrs: &[String],
        places: Vec<usize>,
        metric: &Metric,
    ) -> Result<Self, VaryError> {
        let mut rung = Self {
            formats: formats.to_vec(),
            figures: Vec::new(),
            scores: Vec::new(),
            unit: metric.unit,
            places,
        };
        for (unit, abbr) in units(run, abbrs)?.into_iter().zip(abbrs) {
            let row = unit.scores.iter().find(|row| row.metric == metric.name);
            let mut scores = row.map(|row| row.scores.clone()).unwrap_or_default();
            scores.resize(rung.places.len(), f64::NAN);
            let result = run
                .facts
                .results
                .iter()
                .find(|own| own.dataset == *abbr && own.metric == metric.name);
            rung.figures.push(Figure {
                value: mean(scores.iter().copied()).map(|mean| mean * factor(metric.unit)),
                low: result.and_then(|own| own.interval_low),
                high: result.and_then(|own| own.interval_high),
                asked: rung.places.len(),
                failed: result.map_or(0, |own| own.failed),
            });
            rung.scores.push(scores);
        }
        Ok(rung)
    }

    /// The best of these formats and the worst, as places in this rung: of equal ones the first as the best and the
    /// last as the worst, so that they are two where there are two.
    pub(super) fn ends(&self) -> Option<(usize, usize)> {
        let mut own =
            (0..self.formats.len()).filter_map(|place| Some((place, self.figures[place].value?)));
        let first = own.next()?;
        let (mut best, mut worst) = (first, first);
        for one in own {
            let is_better = |one: f64, other: f64| {
                if is_more_better(self.unit) { one > other } else { one < other }
            };
            if is_better(one.1, best.1) {
                best = one;
            }
            if !is_better(one.1, worst.1) {
                worst = one;
            }
        }
        Some((best.0, worst.0))
    }

    /// Two formats of this rung, by their places in it, against each other. Formats were chosen on the samples of
    /// `earlier`, so intervals rest on the others; all pairs of this rung are judged together, because the two may have
    /// been picked among them.
    pub(super) fn confirmation(
        &self,
        (left, right): (usize, usize),
        earlier: &[usize],
        resampling: Resampling,
    ) -> Option<Confirmation> {
        let factor = factor(self.unit);
        let both = |sample: &usize| {
            self.scores[left][*sample].is_finite() && self.scores[right][*sample].is_finite()
        };
        let difference = |sample: usize| self.scores[left][sample] - self.scores[right][sample];
        let value = mean((0..self.places.len()).filter(both).map(difference))?;
        let fresh: Vec<usize> = (0..self.places.len())
            .filter(|&sample| earlier.binary_search(&self.places[sample]).is_err())
            .filter(|&sample| self.scores.iter().all(|scores| scores[sample].is_finite()))
            .collect();
        let columns: Vec<Vec<f64>> = self
            .scores
            .iter()
            .map(|scores| fresh.iter().map(|&sample| scores[sample]).collect())
            .collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut made = Confirmation {
            left: self.formats[left],
            right: self.formats[right],
            value: value * factor,
            fresh_samples: fresh.len(),
            fresh_value: mean(fresh.iter().copied().map(difference)).map(|mean| mean * factor),
            low: None,
            high: None,
            p: None,
            pairs: self.formats.len() * (self.formats.len() - 1) / 2,
            unstated: None,
        };
        match AllPairs::of(&columns, &Clusters::singletons(fresh.len()), resampling) {
            Err(why) => made.unstated = Some(why.to_string()),
            Ok(all) => {
                if let Some(pair) = all.pair(left, right) {
                    made.p = Some(pair.p);
                    match pair.interval {
                        Err(why) => made.unstated = Some(why.to_string()),
                        Ok(Interval { low, high }) => {
                            // The pair is second less first.
                            let (low, high) =
                                if left > right { (low, high) } else { (-high, -low) };
                            made.low = Some(low * factor);
                            made.high = Some(high * factor);
                        }
                    }
                }
            }
        }
        Some(made)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
