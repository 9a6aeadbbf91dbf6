//! Several figures of the same rows beside each other.

use serde::Serialize;

/// What is compared, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// Its heading.
    pub title: String,
    /// What differs: `variant`, `model`, `run` or `rule`.
    pub by: String,
    /// Name of the metric.
    pub metric: String,
    /// Unit of the metric, as a figure's.
    pub unit: String,
    /// Whether a larger figure is a better one; so it is where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_more_better: Option<bool>,
    /// What came of it, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// What has to be known about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What is compared.
    pub members: Vec<Member>,
    /// What is told of each member beside the metric.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ComparisonColumn>,
    /// Every two members once.
    pub pairs: Vec<Pair>,
}

/// One of those that are compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Member {
    /// What the comparison calls it.
    pub name: String,
    /// Place of its group.
    pub group: usize,
    /// The metric.
    pub value: Option<f64>,
    /// Lower bound of its 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// A number for each of the comparison's columns.
    pub more: Vec<Option<f64>>,
}

/// What is told of each member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ComparisonColumn {
    /// Its heading.
    pub title: String,
    /// Its unit.
    pub unit: String,
}

/// The difference of two members.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pair {
    /// Place of the first member.
    pub left: usize,
    /// Place of the second.
    pub right: usize,
    /// Left minus right; in points where the unit is percent.
    pub value: Option<f64>,
    /// Lower bound of its own 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Lower bound of the interval that holds for all pairs at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simultaneous_low: Option<f64>,
    /// Upper bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simultaneous_high: Option<f64>,
    /// Of this pair alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Corrected for all pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_adjusted: Option<f64>,
    /// Samples that left has right and right has wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gained: Option<usize>,
    /// The reverse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<usize>,
    /// Whether it is beyond chance after correction for all pairs.
    pub is_real: bool,
    /// The same in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
}
