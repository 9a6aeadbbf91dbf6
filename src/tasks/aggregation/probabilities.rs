//! The Brier score: how far the probabilities of options are from 1 for the right one and 0 for all others.

use super::Statistic;
use crate::python::pairwise_sum;
use crate::tasks::{filter::place, value::TaskValue};

/// The squared error of each document.
pub(super) struct Brier(Vec<f64>);

impl Brier {
    pub(super) fn of(items: &[TaskValue]) -> Result<Self, String> {
        let mut options = None;
        let error = |item: &TaskValue| {
            let odd = || {
                let what = "a right option and probabilities are aggregated, and not";
                format!("{what} {}", item.python_repr())
            };
            let Some([gold, TaskValue::List(probabilities)]) = item.list() else {
                return Err(odd());
            };
            let numbers: Option<Vec<f64>> = probabilities.iter().map(TaskValue::number).collect();
            let numbers = numbers.ok_or_else(odd)?;
            if *options.get_or_insert(numbers.len()) != numbers.len() {
                return Err("the Brier score needs as many options for each document".to_owned());
            }
            let gold = gold.whole().and_then(|gold| i64::try_from(gold).ok());
            let right = gold.and_then(|gold| place(gold, numbers.len()));
            let right = right.ok_or("the Brier score needs a right option for each document")?;
            let squares = numbers.iter().enumerate().map(|(option, probability)| {
                let distance = probability - f64::from(u8::from(option == right));
                distance * distance
            });
            Ok(pairwise_sum(&squares.collect::<Vec<f64>>()))
        };
        items.iter().map(error).collect::<Result<_, _>>().map(Self)
    }
}

impl Statistic for Brier {
    fn of(&self, places: &[usize]) -> Result<f64, String> {
        let errors = places.iter().filter_map(|place| self.0.get(*place).copied());
        let errors: Vec<f64> = errors.collect();
        Ok(pairwise_sum(&errors) / errors.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_are_squared_and_summed() {
        let items = TaskValue::from(&json!([[0, [0.5, 0.5]], [1, [0.25, 0.75]]])).items().unwrap();
        assert_eq!(Brier::of(&items).unwrap().of(&[0, 1]), Ok(0.3125));
        let odd = TaskValue::from(&json!([[-100, [0.5, 0.5]]])).items().unwrap();
        assert!(Brier::of(&odd).is_err());
    }
}
