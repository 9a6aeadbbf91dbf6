//! Marks of a judge, and their means over the parts of a data set that they belong to.

use std::collections::BTreeMap;

use crate::{
    evaluate::{Metric, Unit, by_row::rounded},
    statistics::Mean,
};

/// Marks by the name of a part, the parts in the order in which they were met.
#[derive(Default)]
pub(super) struct Parts {
    parts: Vec<Part>,
}

struct Part {
    name: String,
    /// Each mark with the row it is of; a row may be marked several times.
    marks: Vec<(usize, f64)>,
}

/// How a mean of marks is written.
#[derive(Clone, Copy)]
pub(super) struct Written {
    pub(super) unit: Unit,
    /// What the mean is multiplied with.
    pub(super) factor: f64,
    /// To how many places it is rounded.
    pub(super) places: Option<u32>,
}

impl Written {
    /// As it is.
    pub(super) const PLAIN: Self = Self { unit: Unit::Number, factor: 1.0, places: None };
    /// In percent.
    pub(super) const PERCENT: Self = Self { unit: Unit::Percent, factor: 100.0, places: None };

    pub(super) const fn rounded(self, places: u32) -> Self {
        Self { places: Some(places), ..self }
    }

    pub(super) const fn times(self, factor: f64) -> Self {
        Self { factor, ..self }
    }

    /// The figure of a mean.
    fn value(self, mean: f64) -> f64 {
        let value = mean * self.factor;
        self.places.map_or(value, |places| rounded(value, places))
    }
}

impl Parts {
    /// Takes a mark of a row, which is a share from 0 to 1 where means are in percent.
    pub(super) fn add(&mut self, name: &str, row: usize, mark: f64) {
        match self.parts.iter_mut().find(|part| part.name == name) {
            Some(part) => part.marks.push((row, mark)),
            None => self.parts.push(Part { name: name.to_owned(), marks: vec![(row, mark)] }),
        }
    }

    /// The mean of each part; `rows` is how many rows there are.
    pub(super) fn metrics(&self, rows: usize, written: Written) -> Vec<Metric> {
        self.parts.iter().map(|part| part.metric(rows, written)).collect()
    }
}

impl Part {
    fn metric(&self, rows: usize, written: Written) -> Metric {
        let mut by_row: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for (row, mark) in &self.marks {
            let (sum, count) = by_row.entry(*row).or_default();
            *sum += mark;
            *count += 1.0;
        }
        let is_share = written.unit == Unit::Percent;
        // Marks of one row rise and fall together, so that a row is one observation.
        let means: Vec<f64> = by_row.values().map(|(sum, count)| sum / count).collect();
        let scaled: Vec<f64> = means.iter().map(|mean| mean * written.factor).collect();
        let mut scores = vec![f64::NAN; rows];
        for ((row, _), (mean, scaled)) in by_row.iter().zip(means.iter().zip(&scaled)) {
            if let Some(score) = scores.get_mut(*row) {
                *score = if is_share { *mean } else { *scaled };
            }
        }
        let sum: f64 = self.marks.iter().map(|(_, mark)| mark).sum();
        let value = written.value(sum / self.marks.len() as f64);
        let mean = Mean { value, ..Mean::of(&scaled) };
        Metric { scores, ..Metric::from_mean(&self.name, mean, written.unit) }
    }
}
