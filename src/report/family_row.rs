//! A figure of data sets that belong together.

use serde::{Deserialize, Serialize};

use super::{
    ResultRow,
    result_row::{interval_95, perplexity},
};
use crate::evaluate::Unit;

/// A metric of a model over a family. The questions are taken as different ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyRow {
    /// Name of the family.
    pub family: String,
    /// Short names of its data sets.
    pub datasets: Vec<String>,
    /// Short name of the model.
    pub model: String,
    /// `gen`, `ppl`, … or `mixed`.
    pub mode: String,
    /// Name of the metric; `average` where the data sets have different ones.
    pub metric: String,
    /// The mean in which every sample weighs the same, or a group's own weights count.
    pub weighted: FamilyFigure,
    /// The mean in which every data set weighs the same.
    pub plain: FamilyFigure,
    /// The unit of all figures.
    pub unit: Unit,
    /// How many samples were scored.
    pub samples: usize,
    /// How many samples failed and are not in the figures.
    pub failed: usize,
}

/// A mean over data sets with its uncertainty, all in the unit of the row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyFigure {
    /// Σ wᵢ·xᵢ, the weights adding up to 1.
    #[serde(deserialize_with = "super::result_row::nan_of_null")]
    pub value: f64,
    /// √(Σ wᵢ²·sᵢ²) of the standard errors of the data sets; unknown if one of them is.
    pub standard_error: Option<f64>,
    /// Lower bound of its 95 % interval.
    pub interval_low: Option<f64>,
    /// Upper bound of its 95 % interval.
    pub interval_high: Option<f64>,
    /// e to the power of a figure in nats per token.
    pub perplexity: Option<f64>,
}

/// A weighted mean of the rows' figures.
///
/// Its interval is that of so many equal samples as would scatter alike if all data sets were equally
/// hard: 1 / Σ (wᵢ² / nᵢ), L. Kish's effective sample size. Where every sample weighs the same that is
/// their number.
pub(super) fn figure(rows: &[&ResultRow], weight: impl Fn(&ResultRow) -> f64) -> FamilyFigure {
    let sum = |of: &dyn Fn(&ResultRow) -> f64| rows.iter().map(|row| of(row)).sum::<f64>();
    let unit = rows.first().map_or(Unit::Percent, |row| row.unit);
    let mut value = sum(&|row| weight(row) * row.value);
    if unit == Unit::Percent {
        // Weights that add up to a little more than 1 make more than all of all.
        value = value.clamp(0.0, 100.0);
    }
    let errors: Option<Vec<f64>> = rows
        .iter()
        .map(|row| row.standard_error.map(|error| (weight(row) * error).powi(2)))
        .collect();
    let standard_error = errors.map(|squares| squares.iter().sum::<f64>().sqrt());
    let effective_samples = 1.0 / sum(&|row| weight(row).powi(2) / row.samples as f64);
    let interval = interval_95(unit, value, standard_error, effective_samples);
    FamilyFigure {
        value,
        standard_error,
        interval_low: interval.map(|interval| interval.low),
        interval_high: interval.map(|interval| interval.high),
        perplexity: perplexity(unit, value),
    }
}
