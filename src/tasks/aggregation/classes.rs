//! F1 and Matthews' correlation of pairs of classes, as scikit-learn has them.

use std::collections::BTreeSet;

use super::Statistic;
use crate::tasks::value::TaskValue;

/// Pairs of a gold class and the chosen one, by their numbers.
struct Classes {
    pairs: Vec<[usize; 2]>,
    known: Vec<TaskValue>,
}

impl Classes {
    fn of(items: &[TaskValue]) -> Result<Self, String> {
        let mut classes = Self { pairs: Vec::with_capacity(items.len()), known: Vec::new() };
        for item in items {
            let Some([gold, chosen]) = item.list() else {
                let what = "a pair of classes is aggregated, and not";
                return Err(format!("{what} {}", item.python_repr()));
            };
            let pair = [classes.number(gold)?, classes.number(chosen)?];
            classes.pairs.push(pair);
        }
        Ok(classes)
    }

    fn number(&mut self, class: &TaskValue) -> Result<usize, String> {
        let class = match (class.whole(), class) {
            (Some(whole), _) => TaskValue::Whole(whole),
            (None, TaskValue::Text(_)) => class.clone(),
            _ => {
                let what = "a class is a whole number or a text, and not";
                return Err(format!("{what} {}", class.python_repr()));
            }
        };
        Ok(self.known.iter().position(|known| *known == class).unwrap_or_else(|| {
            self.known.push(class);
            self.known.len() - 1
        }))
    }

    fn chosen(&self, places: &[usize]) -> impl Iterator<Item = [usize; 2]> {
        places.iter().filter_map(|place| self.pairs.get(*place).copied())
    }
}

/// F1 of the class 1; there may be another one beside it.
pub(super) struct F1 {
    classes: Classes,
    positive: Option<usize>,
}

impl F1 {
    pub(super) fn of(items: &[TaskValue]) -> Result<Self, String> {
        let classes = Classes::of(items)?;
        let positive = classes.known.iter().position(|class| *class == TaskValue::Whole(1));
        Ok(Self { classes, positive })
    }
}

impl Statistic for F1 {
    fn of(&self, places: &[usize]) -> Result<f64, String> {
        let present: BTreeSet<usize> = self.classes.chosen(places).flatten().collect();
        let has_positive = self.positive.is_some_and(|positive| present.contains(&positive));
        if present.len() > 2 || (present.len() == 2 && !has_positive) {
            let known = present.iter().filter_map(|class| self.classes.known.get(*class));
            let known: Vec<String> = known.map(TaskValue::python_repr).collect();
            let known = known.join(", ");
            return Err(format!("F1 is that of 1 beside one other class, and there are {known}"));
        }
        let is_positive = |class: usize| usize::from(Some(class) == self.positive);
        let (mut correct, mut all) = (0, 0);
        for [gold, chosen] in self.classes.chosen(places) {
            correct += is_positive(gold) * is_positive(chosen);
            all += is_positive(gold) + is_positive(chosen);
        }
        Ok(if all == 0 { 0.0 } else { 2.0 * correct as f64 / all as f64 })
    }
}

/// Matthews' correlation of two classes or more; 0 where one side has a single one.
pub(super) struct Matthews(Classes);

impl Matthews {
    pub(super) fn of(items: &[TaskValue]) -> Result<Self, String> {
        Classes::of(items).map(Self)
    }
}

impl Statistic for Matthews {
    fn of(&self, places: &[usize]) -> Result<f64, String> {
        let mut counts = vec![[0.0; 2]; self.0.known.len()];
        let (mut correct, mut samples) = (0.0, 0.0);
        for [gold, chosen] in self.0.chosen(places) {
            samples += 1.0;
            correct += f64::from(u8::from(gold == chosen));
            for (side, class) in [gold, chosen].into_iter().enumerate() {
                if let Some(count) = counts.get_mut(class).and_then(|counts| counts.get_mut(side)) {
                    *count += 1.0;
                }
            }
        }
        let product = |one: usize, other: usize| -> f64 {
            counts.iter().filter_map(|counts| Some(counts.get(one)? * counts.get(other)?)).sum()
        };
        let covariance = correct * samples - product(0, 1);
        let square = samples * samples;
        let spread = (square - product(1, 1)) * (square - product(0, 0));
        Ok(if spread == 0.0 { 0.0 } else { covariance / spread.sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn items(pairs: &Value) -> Vec<TaskValue> {
        TaskValue::from(pairs).items().unwrap()
    }

    #[test]
    fn figures_are_those_of_scikit_learn() {
        // Each row was run in scikit-learn 1.9.1.
        let pairs = items(&json!([[0, 1], [1, 1], [1, 0], [0, 0], [1, 1]]));
        let all = [0, 1, 2, 3, 4];
        assert_eq!(F1::of(&pairs).unwrap().of(&all), Ok(0.666_666_666_666_666_6));
        assert_eq!(Matthews::of(&pairs).unwrap().of(&all), Ok(0.166_666_666_666_666_66));
        // Zeros alone have no positive class, and no spread.
        assert_eq!(F1::of(&pairs).unwrap().of(&[3, 3]), Ok(0.0));
        assert_eq!(Matthews::of(&pairs).unwrap().of(&[3, 3]), Ok(0.0));
        let more = items(&json!([["a", "b"], ["b", "b"], ["c", "c"]]));
        assert_eq!(Matthews::of(&more).unwrap().of(&[0, 1, 2]), Ok(0.612_372_435_695_794_6));
        assert!(F1::of(&more).unwrap().of(&[0, 1, 2]).is_err());
        assert!(F1::of(&items(&json!([[0, 2]]))).unwrap().of(&[0]).is_err());
        assert!(F1::of(&items(&json!([[[0], 2]]))).is_err());
    }
}
