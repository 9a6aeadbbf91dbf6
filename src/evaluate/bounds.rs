//! Figures of answers some of which could not be read: what they are at least, and at most.
//!
//! An answer that cannot be read is neither right nor wrong. Left out, it would flatter; as a plain mistake, it would hide
//! that a parser failed. So it counts as wrong in the figure, as right in a second one beside it, and it is counted.

use super::{Metric, Unit};

/// What a row is worth at least and at most, from 0 to 1; NaN where the figure is not of it.
pub(super) type Worth = [f64; 2];

/// What an answer is worth that could not be read.
pub(super) const UNREADABLE: Worth = [0.0, 1.0];

/// A figure with unreadable answers wrong, and the same with them right.
pub(super) struct Bounded {
    least: Metric,
    most: Metric,
}

impl Bounded {
    /// The mean of what rows are worth, in percent.
    pub(super) fn of_rows(name: &str, worth: &[Worth]) -> Self {
        let mean = |name: &str, side: usize| {
            let own = worth.iter().map(|worth| worth[side]).enumerate();
            Metric::of_questions(name, worth.len(), own.filter(|(_, worth)| !worth.is_nan()))
        };
        Self { least: mean(name, 0), most: mean(&at_most(name), 1) }
    }

    /// Two shares of all rows together, from 0 to 1, in percent.
    pub(super) fn of_all(name: &str, [least, most]: Worth) -> Self {
        let metric = |name: &str, share: f64| Metric::of_all(name, Unit::Percent, 100.0 * share);
        Self { least: metric(name, least), most: metric(&at_most(name), most) }
    }
}

/// The figures; those at most behind them where some answers could not be read, and always how many these are.
pub(super) fn listed(figures: Vec<Bounded>, unreadable: usize) -> Vec<Metric> {
    let (mut metrics, most): (Vec<Metric>, Vec<Metric>) =
        figures.into_iter().map(|Bounded { least, most }| (least, most)).unzip();
    if unreadable > 0 {
        metrics.extend(most);
    }
    metrics.push(Metric::count("unreadable_answers", unreadable));
    metrics
}

fn at_most(name: &str) -> String {
    format!("{name}_at_most")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_wrong_and_right_and_counted() {
        let worth = [[1.0, 1.0], UNREADABLE, [0.0, 0.0], [f64::NAN, f64::NAN]];
        let metrics = listed(vec![Bounded::of_rows("share", &worth)], 1);
        let values: Vec<(&str, f64)> =
            metrics.iter().map(|metric| (metric.name.as_str(), metric.value.round())).collect();
        assert_eq!(values, [("share", 33.0), ("share_at_most", 67.0), ("unreadable_answers", 1.0)]);
        assert_eq!(listed(vec![Bounded::of_rows("share", &worth)], 0).len(), 2);
    }
}
