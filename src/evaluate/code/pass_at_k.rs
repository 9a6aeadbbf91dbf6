//! pass@k: how likely one of k answers, drawn from those that there are, is right.
//!
//! M. Chen et al. 2021, "Evaluating Large Language Models Trained on Code", arXiv:2107.03374: of n answers to a task of
//! which c are right it is 1 − C(n−c, k) / C(n, k); the mean over tasks.

use serde_json::{Map, Value, json};

use crate::{
    evaluate::{Metric, Unit},
    statistics::Mean,
};

/// The answers to each task, in the order in which tasks come.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    /// Name, answers, right ones, and the rows of the answers.
    tasks: Vec<(String, usize, usize)>,
    /// Whether each answer is right, row by row.
    answers: Vec<Vec<bool>>,
}

impl Tasks {
    /// Adds the answers of a row to its task.
    pub(super) fn add(&mut self, name: &str, are_right: Vec<bool>) {
        let right = are_right.iter().filter(|is_right| **is_right).count();
        match self.tasks.iter_mut().find(|(known, ..)| known == name) {
            Some((_, all, passed)) => {
                *all += are_right.len();
                *passed += right;
            }
            None => self.tasks.push((name.to_owned(), are_right.len(), right)),
        }
        self.answers.push(are_right);
    }

    /// pass@k for each k that no task has fewer answers than.
    pub(super) fn metrics(&self, prefix: &str, ks: &[usize]) -> Vec<Metric> {
        self.possible(ks).map(|k| self.metric(prefix, k)).collect()
    }

    /// Each k that no task has fewer answers than.
    pub(super) fn possible(&self, ks: &[usize]) -> impl Iterator<Item = usize> {
        let fewest = self.tasks.iter().map(|(_, all, _)| *all).min().unwrap_or(0);
        ks.iter().copied().filter(move |k| *k <= fewest && *k > 0)
    }

    /// pass@k of each task, from 0 to 1.
    pub(super) fn chances(&self, k: usize) -> Map<String, Value> {
        let chance = |(name, all, right): &(String, usize, usize)| {
            (name.clone(), json!(chance(*all, *right, k)))
        };
        self.tasks.iter().map(chance).collect()
    }

    fn metric(&self, prefix: &str, k: usize) -> Metric {
        let percents: Vec<f64> =
            self.tasks.iter().map(|(_, all, right)| 100.0 * chance(*all, *right, k)).collect();
        let name = format!("{prefix}pass@{k}");
        let metric = Metric::from_mean(&name, Mean::of(&percents), Unit::Percent);
        // A row stands for a task only where it is the only one of it.
        let is_single = self.tasks.len() == self.answers.len();
        let of_row = |own: &Vec<bool>| {
            chance(own.len(), own.iter().filter(|is_right| **is_right).count(), k)
        };
        let scores = if is_single { self.answers.iter().map(of_row).collect() } else { Vec::new() };
        Metric { scores, ..metric }
    }

    /// How many tasks there are.
    pub(super) fn len(&self) -> usize {
        self.tasks.len()
    }
}

/// How likely one of `k` is right, drawn from `all` of which `right` are.
fn chance(all: usize, right: usize, k: usize) -> f64 {
    let wrong = all - right;
    if wrong < k {
        return 1.0;
    }
    1.0 - (wrong + 1..=all).map(|n| 1.0 - k as f64 / n as f64).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chance_is_that_of_drawing_without_putting_back() {
        // 1 − C(3, 2) / C(5, 2) and the like.
        for (all, right, k, expected) in
            [(5, 2, 2, 0.7), (1, 1, 1, 1.0), (1, 0, 1, 0.0), (10, 1, 10, 1.0), (4, 1, 1, 0.25)]
        {
            assert!((chance(all, right, k) - expected).abs() < 1e-12, "{all} {right} {k}");
        }
    }

    #[test]
    fn a_task_with_too_few_answers_has_no_chance() {
        let mut tasks = Tasks::default();
        tasks.add("a", vec![true, false]);
        tasks.add("b", vec![false]);
        tasks.add("b", vec![false]);
        let metrics = tasks.metrics("", &[1, 2, 10]);
        let figures: Vec<_> = metrics.iter().map(|one| (one.name.as_str(), one.value)).collect();
        assert_eq!(figures, [("pass@1", 25.0), ("pass@2", 50.0)]);
        assert!(metrics[0].scores.is_empty());
    }
}
