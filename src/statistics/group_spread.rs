//! Several groups of numbers: how far the highest mean lies above the lowest.

use super::{Interval, Unstated, distribution::student_critical};

/// Fewer numbers in a group say too little of its scatter.
const FEWEST: usize = 3;

/// The highest mean of several groups less the lowest. The groups are independent, their scatter may differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupSpread {
    /// The group with the highest mean; of equal ones the first.
    pub highest: usize,
    /// The group with the lowest mean; of equal ones the first.
    pub lowest: usize,
    /// The difference of their means.
    pub difference: f64,
    /// Its 95 % interval from 0 on, which allows for the two having been picked among all.
    ///
    /// Welch's interval of two means (B. L. Welch, "The Generalization of `Student's` Problem when Several Different
    /// Population Variances are Involved", Biometrika 34 (1947), 28–35), at the level that Bonferroni's inequality
    /// asks for all pairs of groups.
    pub interval: Result<Interval, Unstated>,
}

impl GroupSpread {
    /// Of these groups; nothing of fewer than two, or where one is empty.
    pub fn of(groups: &[&[f64]]) -> Option<Self> {
        if groups.len() < 2 || groups.iter().any(|group| group.is_empty()) {
            return None;
        }
        let means: Vec<f64> = groups.iter().map(|group| mean(group)).collect();
        let pick = |better: fn(f64, f64) -> bool| {
            (1..means.len())
                .fold(0, |best, own| if better(means[own], means[best]) { own } else { best })
        };
        let highest = pick(|own, best| own > best);
        let lowest = pick(|own, best| own < best);
        let lowest = if lowest == highest { 1 } else { lowest };
        let difference = means[highest] - means[lowest];
        let pairs = groups.len() * (groups.len() - 1) / 2;
        let interval = welch(groups[highest], groups[lowest], pairs);
        Some(Self { highest, lowest, difference, interval })
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn welch(high: &[f64], low: &[f64], pairs: usize) -> Result<Interval, Unstated> {
    let fewest = high.len().min(low.len());
    if fewest < FEWEST {
        return Err(Unstated::FewSamples { found: fewest, needed: FEWEST });
    }
    if !high.iter().chain(low).all(|value| value.is_finite()) {
        return Err(Unstated::NotFinite);
    }
    // The squared standard error of a mean, and what it has to do with degrees of freedom.
    let of = |values: &[f64]| {
        let (own, count) = (mean(values), values.len() as f64);
        let squares: f64 = values.iter().map(|value| (value - own).powi(2)).sum();
        squares / (count - 1.0) / count
    };
    let (one, other) = (of(high), of(low));
    let square = one + other;
    if square <= 0.0 {
        return Err(Unstated::NoScatter);
    }
    let degrees = square.powi(2)
        / (one.powi(2) / (high.len() as f64 - 1.0) + other.powi(2) / (low.len() as f64 - 1.0));
    let half = student_critical(0.05 / pairs as f64, degrees) * square.sqrt();
    let difference = mean(high) - mean(low);
    Ok(Interval { low: (difference - half).max(0.0), high: difference + half })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-4
    }

    #[test]
    fn two_groups_are_welchs() {
        // Variances 1 and 1, three numbers each: 4 degrees of freedom, of which tables have t = 2.776445.
        let found = GroupSpread::of(&[&[1.0, 2.0, 3.0], &[6.0, 7.0, 8.0]]).unwrap();
        assert_eq!((found.highest, found.lowest), (1, 0));
        let half = 2.776_445 * (2.0_f64 / 3.0).sqrt();
        let interval = found.interval.unwrap();
        assert!(is_near(interval.low, 5.0 - half) && is_near(interval.high, 5.0 + half));
        // Variances 1 and 4: (1/3 + 4/3)² / (1/18 + 16/18) = 50/17 degrees of freedom.
        let found = GroupSpread::of(&[&[1.0, 2.0, 3.0], &[5.0, 7.0, 9.0]]).unwrap();
        let half = found.interval.unwrap().high - 5.0;
        let t = half / (5.0_f64 / 3.0).sqrt();
        // Between the tables' t of 2 and of 3 degrees of freedom.
        assert!(t > 3.182_446 && t < 4.302_653, "{t}");
    }

    #[test]
    fn more_groups_widen_the_interval() {
        let groups: [&[f64]; 3] = [&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], &[6.0, 7.0, 8.0]];
        let two = GroupSpread::of(&[groups[0], groups[2]]).unwrap().interval.unwrap();
        let three = GroupSpread::of(&groups).unwrap().interval.unwrap();
        assert!(three.high > two.high && three.low < two.low, "{two:?} {three:?}");
        // A third of 5 %: tables have t = 3.960 for 4 degrees of freedom and 5 % / 3 on both sides.
        assert!((three.high - 5.0 - 3.960 * (2.0_f64 / 3.0).sqrt()).abs() < 2e-3, "{three:?}");
    }

    #[test]
    fn what_few_numbers_cannot_say_is_not_said() {
        let of = |groups: &[&[f64]]| GroupSpread::of(groups).map(|found| found.interval);
        assert_eq!(of(&[&[1.0]]), None);
        assert_eq!(
            of(&[&[1.0, 2.0], &[3.0, 4.0, 5.0]]),
            Some(Err(Unstated::FewSamples { found: 2, needed: 3 }))
        );
        assert_eq!(of(&[&[1.0; 3], &[2.0; 3]]), Some(Err(Unstated::NoScatter)));
        let same: &[f64] = &[1.0, 2.0, 3.0];
        let equal = GroupSpread::of(&[same, same]).unwrap();
        assert_eq!((equal.highest, equal.lowest), (0, 1));
    }
}
