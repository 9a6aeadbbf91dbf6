//! What many seconds come to.

use serde::{Deserialize, Serialize};

/// Mean and percentiles of measured values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// The mean.
    pub mean: f64,
    /// The least.
    pub min: f64,
    /// Half are not above it.
    pub p50: f64,
    /// Three quarters are not above it.
    pub p75: f64,
    /// Nine tenths are not above it.
    pub p90: f64,
    /// All but a hundredth are not above it.
    pub p99: f64,
    /// The greatest.
    pub max: f64,
    /// How many values there are.
    pub n: usize,
}

impl Distribution {
    /// Of values; nothing where there is none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let at = |share: f64| percentile(&values, share);
        Some(Self {
            mean: values.iter().sum::<f64>() / values.len() as f64,
            min,
            p50: at(0.5),
            p75: at(0.75),
            p90: at(0.9),
            p99: at(0.99),
            max,
            n: values.len(),
        })
    }
}

/// The percentile of sorted values, between two of them in proportion: `numpy.percentile`'s `linear`, which `AISBench` has.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share * sorted.len().saturating_sub(1) as f64;
    let below = place.floor() as usize;
    let low = sorted.get(below).copied().unwrap_or(f64::NAN);
    let high = sorted.get(below + 1).copied().unwrap_or(low);
    low + (high - low) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_numpy() {
        // numpy.percentile([4, 1, 3, 2, 10], [50, 75, 90, 99]) = [3, 4, 7.6, 9.76]
        let own = Distribution::of([4.0, 1.0, 3.0, 2.0, 10.0]).unwrap();
        let close = |own: f64, expected: f64| assert!((own - expected).abs() < 1e-12, "{own}");
        close(own.mean, 4.0);
        close(own.p50, 3.0);
        close(own.p75, 4.0);
        close(own.p90, 7.6);
        close(own.p99, 9.76);
        assert_eq!((own.min, own.max, own.n), (1.0, 10.0, 5));
        let one = Distribution::of([2.5]).unwrap();
        for own in [one.mean, one.p50, one.p99, one.max] {
            close(own, 2.5);
        }
        assert_eq!(Distribution::of([]), None);
    }
}
