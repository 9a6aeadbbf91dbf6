//! The best member less the worst.

use serde::Serialize;

use super::{judgement::Judgement, metric};
use crate::evaluate::Unit;

/// The best member and the worst.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpreadFigures {
    /// The place of the best member.
    pub best: usize,
    /// The place of the worst.
    pub worst: usize,
    /// How far they are apart, in the comparison's unit.
    pub value: f64,
    /// Lower bound of the simultaneous 95 % interval, 0 at least: it allows for their having been picked.
    pub low: Option<f64>,
    /// Its upper bound.
    pub high: Option<f64>,
}

impl SpreadFigures {
    /// Of all pairs; nothing where nothing is known of them together.
    pub(super) fn of(judged: &Judgement, unit: Unit) -> Option<Self> {
        let found = judged.spread?;
        let factor = metric::factor(unit);
        let interval = found.interval.ok().map(|interval| interval.scaled(factor));
        let (best, worst) = if metric::is_more_better(unit) {
            (found.highest, found.lowest)
        } else {
            (found.lowest, found.highest)
        };
        Some(Self {
            best,
            worst,
            value: found.difference * factor,
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
        })
    }
}
