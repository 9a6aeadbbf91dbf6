//! Means and their kin.

use super::Statistic;
use crate::{python::pairwise_sum, tasks::value::TaskValue};

/// The numbers of the values.
fn read(items: &[TaskValue]) -> Result<Vec<f64>, String> {
    let odd = |item: &TaskValue| format!("a number is aggregated, and not {}", item.python_repr());
    items.iter().map(|item| item.number().ok_or_else(|| odd(item))).collect()
}

/// The pairs of numbers of the values.
fn pairs(items: &[TaskValue]) -> Result<Vec<(f64, f64)>, String> {
    let pair = |item: &TaskValue| match item.list() {
        Some([value, weight]) => value.number().zip(weight.number()),
        _ => None,
    };
    let odd = |item: &TaskValue| {
        format!("a pair of numbers is aggregated, and not {}", item.python_repr())
    };
    items.iter().map(|item| pair(item).ok_or_else(|| odd(item))).collect()
}

fn chosen<T: Copy>(values: &[T], places: &[usize]) -> impl Iterator<Item = T> {
    places.iter().filter_map(|place| values.get(*place).copied())
}

/// Summed from the first to the last.
fn mean(numbers: &[f64], places: &[usize]) -> f64 {
    chosen(numbers, places).fold(0.0, |sum, number| sum + number) / places.len() as f64
}

/// The standard deviation of a sample: with one degree of freedom less.
pub(super) fn deviation(numbers: &[f64]) -> f64 {
    let mean = numbers.iter().fold(0.0, |sum, number| sum + number) / numbers.len() as f64;
    let squares = numbers.iter().fold(0.0, |sum, number| sum + (number - mean) * (number - mean));
    (squares / (numbers.len() as f64 - 1.0)).sqrt()
}

/// The standard error of a mean.
pub(super) fn standard_error(items: &[TaskValue]) -> Result<f64, String> {
    let numbers = read(items)?;
    Ok(deviation(&numbers) / (numbers.len() as f64).sqrt())
}

/// A statistic of single numbers.
macro_rules! of_numbers {
    ($(#[$about:meta])* $name:ident, $figure:expr) => {
        $(#[$about])*
        pub(super) struct $name(Vec<f64>);

        impl $name {
            pub(super) fn of(items: &[TaskValue]) -> Result<Self, String> {
                read(items).map(Self)
            }
        }

        impl Statistic for $name {
            fn of(&self, places: &[usize]) -> Result<f64, String> {
                let figure: fn(&[f64], &[usize]) -> f64 = $figure;
                Ok(figure(&self.0, places))
            }
        }
    };
}

/// A statistic of sums with what they are shared among.
macro_rules! of_pairs {
    ($(#[$about:meta])* $name:ident, $figure:expr) => {
        $(#[$about])*
        pub(super) struct $name(Vec<(f64, f64)>);

        impl $name {
            pub(super) fn of(items: &[TaskValue]) -> Result<Self, String> {
                pairs(items).map(Self)
            }
        }

        impl Statistic for $name {
            fn of(&self, places: &[usize]) -> Result<f64, String> {
                let add = |(values, weights): (f64, f64), (value, weight): (f64, f64)| {
                    (values + value, weights + weight)
                };
                let (values, weights) = chosen(&self.0, places).fold((0.0, 0.0), add);
                let figure: fn(f64) -> f64 = $figure;
                Ok(figure(values / weights))
            }
        }
    };
}

of_numbers!(
    /// The mean.
    Mean,
    mean
);

of_numbers!(
    /// The mean of what is a number; none of nothing.
    NanMean,
    |numbers, places| {
        let known = chosen(numbers, places).map(|number| if number.is_nan() { 0.0 } else { number });
        let known: Vec<f64> = known.collect();
        let count = chosen(numbers, places).filter(|number| !number.is_nan()).count();
        pairwise_sum(&known) / count as f64
    }
);

of_numbers!(
    /// The value in the middle, the upper one of two.
    Median,
    |numbers, places| {
        let mut sorted: Vec<f64> = chosen(numbers, places).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }
);

of_numbers!(
    /// e to the negative mean of log-likelihoods.
    Perplexity,
    |numbers, places| (-mean(numbers, places)).exp()
);

of_pairs!(
    /// The same for each unit of all documents.
    WeightedPerplexity,
    |mean| (-mean).exp()
);

of_pairs!(
    /// Bits for each byte of all documents.
    BitsPerByte,
    |mean| -mean / std::f64::consts::LN_2
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_left_out_of_one_mean_alone() {
        let items = [TaskValue::Float(f64::NAN), TaskValue::Whole(1), TaskValue::Truth(false)];
        assert_eq!(NanMean::of(&items).unwrap().of(&[0, 1, 2]), Ok(0.5));
        assert!(Mean::of(&items).unwrap().of(&[0, 1, 2]).unwrap().is_nan());
        assert_eq!(Median::of(&items[1..]).unwrap().of(&[0, 1]), Ok(1.0));
        assert!(Mean::of(&["x".into()]).is_err());
    }
}
