//! What figures allow to be said, in words.

use super::{Difference, Part};
use crate::{evaluate::Unit, report::grouped};

/// From here on p is written with its size alone.
const SMALLEST_P: f64 = 0.001;

/// Who sees so large a difference does not ask for one of a point.
const LARGE_POINTS: f64 = 10.0;

/// What all sentences of a comparison have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    pub(super) by: Part,
    pub(super) unit: Unit,
    pub(super) is_more_better: bool,
    /// Pairs that p is corrected for.
    pub(super) pairs: usize,
}

/// A number as tables write it, in a unit: points with one decimal, nats with four.
pub fn amount(value: f64, unit: Unit) -> String {
    let decimals = match unit {
        Unit::Percent => 1,
        Unit::NatsPerToken | Unit::Number => 4,
    };
    let digits = format!("{:.decimals$}", value.abs());
    let is_zero = digits.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    format!("{}{digits}", if value < 0.0 && !is_zero { "−" } else { "" })
}

/// `p = 0.03`, with two digits that count, or `p < 0.001`.
pub fn p_text(p: f64) -> String {
    if p < SMALLEST_P {
        return format!("p < {SMALLEST_P}");
    }
    // Never rounded to the border from either side.
    let decimals = if (0.045..0.055).contains(&p) {
        4
    } else if p >= 0.0995 {
        2
    } else if p >= 0.00995 {
        3
    } else {
        4
    };
    let text = format!("{p:.decimals$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("p = {text}")
}

impl Words {
    /// A sentence on a pair.
    pub(super) fn of_pair(
        &self,
        (left, right): (&str, &str),
        found: &Difference,
        samples_for_one_point: Option<usize>,
    ) -> String {
        let Some(value) = found.value_of_all.filter(|value| value.is_finite()) else {
            return format!(
                "{left} and {right} have no sample that every {} has a score for",
                self.by
            );
        };
        let interval = found.simultaneous_low.zip(found.simultaneous_high);
        let p = found.p_adjusted.map(|p| format!(", {}", p_text(p))).unwrap_or_default();
        let correction = match self.pairs {
            0 | 1 => String::new(),
            pairs => format!(" after correction for {} pairs", grouped(pairs)),
        };
        let why = found.why_unstated("simultaneous interval").unwrap_or("too little is known");
        if found.is_real {
            let is_left = (value > 0.0) == self.is_more_better;
            let (winner, loser) = if is_left { (left, right) } else { (right, left) };
            let said = format!("{winner} beats {loser} by {}", self.with_unit(value.abs()));
            let Some((low, high)) = interval else {
                let samples = grouped(found.samples_of_all);
                return format!(
                    "{said} in these {samples} samples{p}{correction}; how much in general is not stated: {why}"
                );
            };
            let (low, high) = if value > 0.0 { (low, high) } else { (-high, -low) };
            return format!(
                "{said} ({}){p}{correction}{}",
                self.range(low, high),
                Self::needed(found, samples_for_one_point)
            );
        }
        let said = format!("no difference shown between {left} and {right}");
        let Some((low, high)) = interval else {
            let seen = self.with_unit(value.abs());
            let samples = grouped(found.samples_of_all);
            return format!(
                "{said} ({seen} in these {samples} samples{p}); how large it may be is not stated: {why}"
            );
        };
        let most = low.abs().max(high.abs());
        let could_show = match found.could_show {
            Some(could) => format!("; {} could have been seen", self.with_unit(could)),
            None => String::new(),
        };
        format!(
            "{said}: at most {} ({}){p}{correction}{could_show}{}",
            self.with_unit(most),
            self.range(low, high),
            Self::needed(found, samples_for_one_point)
        )
    }

    /// A sentence on all members: the best, the worst, and how many pairs differ.
    pub(super) fn of_all(
        &self,
        members: usize,
        (best, worst): (&str, &str),
        spread: (f64, Result<(f64, f64), String>),
        (is_real, real_pairs): (bool, usize),
    ) -> String {
        let (value, interval) = spread;
        let interval = match interval {
            Ok((low, high)) => {
                format!("({}, which allows for their having been picked)", self.range(low, high))
            }
            Err(why) => format!("in these samples; how far in general is not stated: {why}"),
        };
        let apart = format!("{} apart {interval}", self.with_unit(value));
        let differ = format!(
            "; {} of {} pairs differ beyond chance",
            grouped(real_pairs),
            grouped(self.pairs)
        );
        let by = self.by;
        if is_real {
            format!("of {members} {by}s {best} is best and {worst} worst, {apart}{differ}")
        } else {
            format!(
                "of {members} {by}s none is shown to be best: {best} and {worst} are {apart}{differ}"
            )
        }
    }

    /// `3.3 points`.
    pub(super) fn with_unit(&self, value: f64) -> String {
        let number = amount(value, self.unit);
        match self.unit {
            Unit::Percent if number == "1.0" => "1.0 point".to_owned(),
            Unit::Percent => format!("{number} points"),
            Unit::NatsPerToken => format!("{number} nats/token"),
            Unit::Number => number,
        }
    }

    fn range(&self, low: f64, high: f64) -> String {
        format!("{} to {}", amount(low, self.unit), amount(high, self.unit))
    }

    /// How many samples a point would take, where there are fewer and the difference is not large.
    fn needed(found: &Difference, samples_for_one_point: Option<usize>) -> String {
        let is_large = found.value_of_all.is_some_and(|value| value.abs() >= LARGE_POINTS);
        match samples_for_one_point.filter(|&needed| needed > found.samples && !is_large) {
            Some(needed) => {
                format!("; {} samples would be needed to see 1 point", grouped(needed))
            }
            None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: Words =
        Words { by: Part::Variant, unit: Unit::Percent, is_more_better: true, pairs: 6 };

    fn found(value: f64, low: f64, high: f64, p: f64) -> Difference {
        Difference {
            samples: 500,
            value_of_all: Some(value),
            simultaneous_low: Some(low),
            simultaneous_high: Some(high),
            p_adjusted: Some(p),
            is_real: p <= 0.05,
            could_show: Some(2.04),
            samples_of_all: 500,
            ..Difference::default()
        }
    }

    #[test]
    fn a_difference_that_is_real_names_the_better_first() {
        let names = ("short", "base");
        let expected = "short beats base by 3.3 points (0.4 to 6.2), p = 0.03 after correction for 6 pairs; \
                        1,000 samples would be needed to see 1 point";
        assert_eq!(POINTS.of_pair(names, &found(3.3, 0.4, 6.2, 0.03), Some(1000)), expected);
        let turned = POINTS.of_pair(names, &found(-3.3, -6.2, -0.4, 0.03), Some(400));
        let expected =
            "base beats short by 3.3 points (0.4 to 6.2), p = 0.03 after correction for 6 pairs";
        assert_eq!(turned, expected);
        let large = POINTS.of_pair(names, &found(10.0, 7.0, 13.0, 0.03), Some(9000));
        assert!(large.ends_with("for 6 pairs"), "{large}");
        let nats = Words { unit: Unit::NatsPerToken, is_more_better: false, pairs: 1, ..POINTS };
        let said = nats.of_pair(names, &found(-0.5, -0.6, -0.4, 0.0001), None);
        assert_eq!(said, "short beats base by 0.5000 nats/token (0.4000 to 0.6000), p < 0.001");
    }

    #[test]
    fn no_difference_says_how_large_it_may_be() {
        let said = POINTS.of_pair(("short", "base"), &found(-0.5, -2.6, 1.5, 0.98), Some(400));
        let expected = "no difference shown between short and base: at most 2.6 points (−2.6 to 1.5), p = 0.98 \
                        after correction for 6 pairs; 2.0 points could have been seen";
        assert_eq!(said, expected);
    }

    #[test]
    fn what_cannot_be_stated_is_said() {
        let mut few = found(20.0, 0.0, 0.0, 0.6);
        (few.simultaneous_low, few.simultaneous_high, few.samples_of_all) = (None, None, 5);
        few.unstated.push(crate::compare::Unsaid::new("simultaneous interval", &"5 are too few"));
        let said = POINTS.of_pair(("a", "b"), &few, None);
        let expected = "no difference shown between a and b (20.0 points in these 5 samples, p = 0.6); how large \
                        it may be is not stated: 5 are too few";
        assert_eq!(said, expected);
        few.is_real = true;
        let said = POINTS.of_pair(("a", "b"), &few, None);
        assert!(said.ends_with("how much in general is not stated: 5 are too few"), "{said}");
        few.value_of_all = None;
        assert!(POINTS.of_pair(("a", "b"), &few, None).contains("no sample"), "{few:?}");
    }

    #[test]
    fn the_best_and_the_worst_are_told_apart_or_not() {
        let said = POINTS.of_all(4, ("a", "d"), (31.0, Ok((25.0, 37.2))), (true, 3));
        let expected = "of 4 variants a is best and d worst, 31.0 points apart (25.0 to 37.2, which allows for \
                        their having been picked); 3 of 6 pairs differ beyond chance";
        assert_eq!(said, expected);
        let said = POINTS.of_all(4, ("a", "d"), (1.0, Err("why".to_owned())), (false, 0));
        assert!(
            said.starts_with("of 4 variants none is shown to be best: a and d are 1.0 point"),
            "{said}"
        );
        assert!(said.contains("not stated: why; 0 of 6"), "{said}");
    }

    #[test]
    fn p_is_never_rounded_over_the_border() {
        let written = [0.0, 0.0012, 0.012, 0.0499, 0.0502, 0.2, 0.98, 1.0].map(p_text);
        let expected = [
            "p < 0.001",
            "p = 0.0012",
            "p = 0.012",
            "p = 0.0499",
            "p = 0.0502",
            "p = 0.2",
            "p = 0.98",
            "p = 1",
        ];
        assert_eq!(written, expected);
        assert_eq!(amount(-0.04, Unit::Percent), "0.0");
        assert_eq!(amount(-0.06, Unit::Percent), "−0.1");
    }
}
