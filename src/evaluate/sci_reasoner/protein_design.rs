//! `mol_instructions_protein_design`: proteins that were asked for, by how well they can be laid beside the gold.

use serde::{Deserialize, de::IgnoredAny};

use super::{
    super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked},
    alignment::likeness,
    answer::first_text,
};
use crate::{
    config::{Component, ConfigError},
    python::blank::strip,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    #[serde(rename = "task")]
    _task: Option<IgnoredAny>,
}

/// Likeness in percent: the greatest, the least, the mean, and the mean of those above nothing.
pub(in super::super) struct ProteinDesign;

impl ProteinDesign {
    /// Reads `task`, of which nothing depends.
    pub(in super::super) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        component.read::<Parameters>()?;
        Ok(Box::new(Self))
    }
}

impl Evaluator for ProteinDesign {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let known: Vec<Option<f64>> = scores(rows)?;
        let scores: Vec<f64> = known.into_iter().map(Option::unwrap_or_default).collect();
        let valid: Vec<f64> = scores.iter().copied().filter(|score| *score > 0.0).collect();
        let valid_mean =
            if valid.is_empty() { 0.0 } else { valid.iter().sum::<f64>() / valid.len() as f64 };
        let of_all = |name, share| Metric::of_all(name, Unit::Percent, 100.0 * share);
        let greatest = scores.iter().copied().reduce(f64::max).unwrap_or(f64::NAN);
        let least = scores.iter().copied().reduce(f64::min).unwrap_or(f64::NAN);
        let metrics = vec![
            of_all("Max SW score", greatest),
            of_all("Min SW score", least),
            Metric::of_grades("Average SW score", scores),
            of_all("valid average SW score", valid_mean),
        ];
        Ok(Scores::new(metrics, rows.len()))
    }

    fn departures(&self, rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        let known = scores(rows).unwrap_or_default().into_iter().enumerate();
        let odd = known.filter(|(_, score)| score.is_none());
        odd.map(|(index, _)| (index, "a letter is no amino acid")).collect()
    }
}

/// Likeness from 0 to 1, row by row; nothing where a letter is no amino acid.
fn scores(rows: &[Row<'_>]) -> Result<Vec<Option<f64>>, EvaluateError> {
    let score = |(index, row): (usize, &Row<'_>)| {
        let asked = Asked::new(row, index, "mol_instructions_protein_design");
        let given = strip(first_text(&asked, "the prediction", &row.prediction)?);
        let meant = strip(first_text(&asked, "the reference", &row.reference)?);
        let is_empty = given.is_empty() || meant.is_empty();
        Ok(if is_empty { Some(0.0) } else { likeness(given, meant) })
    };
    rows.iter().enumerate().map(score).collect()
}
