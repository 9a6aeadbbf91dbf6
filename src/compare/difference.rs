//! The difference between two members, alone and among all pairs.

use serde::Serialize;

use crate::statistics::{Interval, Unstated};

/// What is known of a difference, left less right; every figure in the unit of the numbers compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Difference {
    /// Samples for which both have a number.
    pub samples: usize,
    /// The mean difference over them; null without any.
    pub value: Option<f64>,
    /// Lower bound of the pair's own 95 % interval: Tango's of shares, Student's of other numbers and of clusters.
    pub low: Option<f64>,
    /// Its upper bound.
    pub high: Option<f64>,
    /// Lower bound of the bootstrap-t interval; numbers that are no shares have one.
    pub bootstrap_low: Option<f64>,
    /// Its upper bound.
    pub bootstrap_high: Option<f64>,
    /// Student's t; of shares only with clusters.
    pub t: Option<f64>,
    /// p of this pair alone: `McNemar`'s exact p of shares, Student's of other numbers and of clusters.
    pub p: Option<f64>,
    /// `McNemar`'s mid-p; of shares without clusters.
    pub mid_p: Option<f64>,
    /// Samples for which all members have a number: what is judged together is judged on these.
    pub samples_of_all: usize,
    /// The mean difference over them.
    pub value_of_all: Option<f64>,
    /// Lower bound of the interval that holds together with those of all pairs (max-T).
    pub simultaneous_low: Option<f64>,
    /// Its upper bound.
    pub simultaneous_high: Option<f64>,
    /// p corrected for all pairs (max-T).
    pub p_adjusted: Option<f64>,
    /// `p` corrected by Holm's method.
    pub p_holm: Option<f64>,
    /// Whether it is beyond chance: `p_adjusted` is at most 0.05.
    pub is_real: bool,
    /// The smallest difference that so many samples show in 80 % of all cases, all pairs being judged together.
    pub could_show: Option<f64>,
    /// Figures that are not stated, and why.
    pub unstated: Vec<Unsaid>,
}

/// A figure that is not stated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unsaid {
    /// Which.
    pub figure: &'static str,
    /// What is missing.
    pub reason: String,
}

impl Unsaid {
    pub(super) fn new(figure: &'static str, reason: &impl ToString) -> Self {
        Self { figure, reason: reason.to_string() }
    }
}

impl Difference {
    /// Both ends of an interval in another unit, or why there is none.
    pub(super) fn stated(
        &mut self,
        figure: &'static str,
        interval: Result<Interval, Unstated>,
        factor: f64,
    ) -> (Option<f64>, Option<f64>) {
        match interval.map(|interval| interval.scaled(factor)) {
            Ok(Interval { low, high }) => (Some(low), Some(high)),
            Err(why) => {
                self.unstated.push(Unsaid::new(figure, &why));
                (None, None)
            }
        }
    }

    /// Why a figure is not stated.
    pub fn why_unstated(&self, figure: &str) -> Option<&str> {
        let found = self.unstated.iter().find(|unsaid| unsaid.figure == figure);
        found.map(|unsaid| unsaid.reason.as_str())
    }
}
