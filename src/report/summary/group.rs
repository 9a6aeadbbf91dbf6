//! Groups of a summary: one figure for many data sets, such as the mean over all subjects of MMLU.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    super::ReportError,
    board::{Board, ModelBoard},
};
use crate::python::python_repr;

/// One entry of `summary_groups`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct SummaryGroup {
    /// The name of its row.
    pub name: String,
    /// What it is computed from; earlier groups may be among them.
    pub subsets: Vec<Subset>,
    /// Weights by name of the subset, or `name@metric`.
    #[serde(default)]
    pub weights: IndexMap<String, f64>,
    /// Report the standard deviation instead of the mean.
    #[serde(default)]
    pub std: bool,
    /// Report the sum instead of the mean.
    #[serde(default)]
    pub sum: bool,
    /// Report the harmonic mean instead of the mean.
    #[serde(default)]
    pub harmonic_mean: bool,
    /// A name of its own for the figure.
    #[serde(default)]
    pub metric: Option<String>,
    /// Python expressions over a subset's score. They are refused: nothing here runs Python.
    #[serde(default)]
    pub transforms: IndexMap<String, String>,
}

/// A part of a group.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Subset {
    /// A data set or group, with all its metrics.
    All(String),
    /// One metric of it: `[name, metric]`.
    One(String, String),
}

/// Scores of one metric, by `name@metric` of the subset.
type Parts = IndexMap<String, f64>;

impl SummaryGroup {
    /// Computes the group for every model. A model that lacks some of the subsets gets an error in the
    /// raw block, one that lacks all of them gets nothing.
    pub(super) fn compute(&self, board: &mut Board) -> Result<(), ReportError> {
        if !self.transforms.is_empty() {
            return Err(ReportError::Transforms { group: self.name.clone() });
        }
        let names = self.subsets.iter().filter(|subset| matches!(subset, Subset::All(_))).count();
        for index in 0..board.models.len() {
            let column = &board.models[index];
            let (available, missing): (Vec<_>, Vec<_>) =
                self.subsets.iter().partition(|subset| subset.is_in(column));
            if available.is_empty() {
                continue;
            }
            if !missing.is_empty() {
                let missing: Vec<Value> = missing.into_iter().map(Subset::to_json).collect();
                let error = format!("missing metrics: {}", python_repr(&json!(missing)));
                let error = Map::from_iter([("error".to_owned(), Value::String(error))]);
                board.models[index].raw.insert(self.name.clone(), error);
                continue;
            }
            if names != 0 && names != self.subsets.len() {
                return Err(ReportError::MixedSubsets { group: self.name.clone() });
            }
            let mut figures = IndexMap::new();
            for (metric, parts) in self.parts(board, column) {
                figures.insert(metric, self.figure(&parts)?);
            }
            self.enter(board, index, figures);
        }
        Ok(())
    }

    /// Writes a model's figures down.
    fn enter(&self, board: &mut Board, model: usize, figures: IndexMap<String, f64>) {
        let mut modes = self.subsets.iter().map(|subset| {
            board.modes.get(subset.name()).map_or_else(|| "unknown".to_owned(), String::clone)
        });
        let first = modes.next().unwrap_or_default();
        let mode = if modes.all(|mode| mode == first) { first } else { "mixed".to_owned() };
        board.modes.insert(self.name.clone(), mode);
        board.announce(&self.name, figures.keys().cloned().collect());
        let column = &mut board.models[model];
        let raw = figures.iter().map(|(metric, value)| (metric.clone(), json!(value)));
        column.raw.entry(self.name.clone()).or_default().extend(raw);
        column.values.entry(self.name.clone()).or_default().extend(figures);
    }

    /// What each metric of the group is computed from: the metrics that all subsets share, then the
    /// group's own, which takes each subset's most important one.
    fn parts(&self, board: &Board, column: &ModelBoard) -> IndexMap<String, Parts> {
        let metrics_of = |name: &str| board.metrics.get(name).map_or(&[][..], Vec::as_slice);
        let mut shared: Vec<String> = Vec::new();
        if let Some(Subset::All(first)) = self.subsets.first() {
            let in_all = |metric: &&String| {
                self.subsets.iter().all(|subset| metrics_of(subset.name()).contains(metric))
            };
            shared = metrics_of(first).iter().filter(in_all).cloned().collect();
        }
        let own = self.own_metric();
        shared.push(own.to_owned());
        let parts_of = |metric: &String| {
            let parts = self.subsets.iter().filter_map(|subset| {
                let metric = match subset {
                    Subset::One(_, metric) => metric,
                    Subset::All(name) if metric == own => metrics_of(name).first()?,
                    Subset::All(_) => metric,
                };
                let value = *column.values.get(subset.name())?.get(metric)?;
                Some((format!("{}@{metric}", subset.name()), value))
            });
            (metric.clone(), parts.collect())
        };
        shared.iter().map(parts_of).collect()
    }

    fn own_metric(&self) -> &str {
        match &self.metric {
            Some(metric) => metric,
            None if self.std => "standard_deviation",
            None if self.sum => "sum",
            None if !self.weights.is_empty() => "weighted_average",
            None if self.harmonic_mean => "harmonic_mean",
            None => "naive_average",
        }
    }

    /// One figure from its parts. As in OpenCompass, the way is chosen by the name of the group's own
    /// metric and used for the shared metrics as well.
    fn figure(&self, parts: &Parts) -> Result<f64, ReportError> {
        let n = parts.len() as f64;
        let scores = || parts.values().copied();
        let (sum, divisor) = match self.own_metric() {
            "standard_deviation" => {
                let mean = scores().sum::<f64>() / n;
                return Ok((scores().map(|score| (score - mean).powi(2)).sum::<f64>() / n).sqrt());
            }
            "harmonic_mean" => {
                // A score of zero would decide everything; with one, small scores count as 1.
                let floor = if scores().any(|score| score <= 0.0) { 1.0 } else { 0.0 };
                return Ok(n / scores().map(|score| 1.0 / score.max(floor)).sum::<f64>());
            }
            _ if self.weights.is_empty() => (scores().sum(), n),
            _ => (self.weighted_sum(parts)?, self.weights.values().sum()),
        };
        Ok(if self.own_metric() == "sum" { sum } else { sum / divisor })
    }

    fn weighted_sum(&self, parts: &Parts) -> Result<f64, ReportError> {
        let weights = || self.weights.iter().filter(|(_, weight)| **weight != 0.0);
        let name_of = |key: &str| key.split('@').next().unwrap_or_default().to_owned();
        // Keys name a subset with its metric, or, if one of them does not, all name subsets.
        let by_name: Parts;
        let parts = if weights().all(|(key, _)| parts.contains_key(key)) {
            parts
        } else {
            by_name = parts.iter().map(|(key, score)| (name_of(key), *score)).collect();
            &by_name
        };
        let terms = weights().map(|(key, weight)| match parts.get(key) {
            Some(score) => Ok(score * weight),
            None => Err(ReportError::StrayWeight { group: self.name.clone(), weight: key.clone() }),
        });
        terms.sum()
    }
}

impl Subset {
    fn name(&self) -> &str {
        let (Self::All(name) | Self::One(name, _)) = self;
        name
    }

    fn is_in(&self, column: &ModelBoard) -> bool {
        let Some(values) = column.values.get(self.name()) else { return false };
        match self {
            Self::All(_) => true,
            Self::One(_, metric) => values.contains_key(metric),
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::All(name) => json!(name),
            Self::One(name, metric) => json!([name, metric]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Node, from_node},
        report::{StoredResult, SummarizerConfig, Summary, SummaryDataset},
    };

    /// The lines of the `.csv` of two data sets (scores 20 and 80) and one group.
    fn lines(group: &Value) -> Result<Vec<String>, ReportError> {
        let datasets = [("a", "gen", 20.0), ("b", "ppl", 80.0)];
        let stored = datasets.map(|(dataset, _, score)| StoredResult {
            model: "m".into(),
            dataset: dataset.into(),
            results: json!({"accuracy": score, "statistics": {"samples": 9}, "details": {}}),
        });
        let datasets = datasets.map(|(abbr, mode, _)| SummaryDataset {
            abbr: abbr.into(),
            version: "v".into(),
            mode: mode.into(),
        });
        let config: SummarizerConfig =
            from_node(&Node::from_json(&json!({"summary_groups": [group]}))).unwrap();
        let summary = Summary::new(&datasets, &["m".to_owned()], &stored, &config)?;
        Ok(summary.to_csv().lines().skip(3).map(str::to_owned).collect())
    }

    #[test]
    fn each_kind_of_group_has_its_figure() {
        let kinds = [
            (json!({}), "naive_average", "50.00"),
            (json!({"std": true}), "standard_deviation", "30.00"),
            (json!({"sum": true}), "sum", "100.00"),
            (json!({"harmonic_mean": true}), "harmonic_mean", "32.00"),
            (json!({"weights": {"a": 3, "b": 1}}), "weighted_average", "35.00"),
            (json!({"metric": "mine"}), "mine", "50.00"),
        ];
        for (mut group, metric, figure) in kinds {
            group["name"] = json!("g");
            group["subsets"] = json!(["a", "b"]);
            let expected =
                [format!("g,-,accuracy,mixed,{figure}"), format!("g,-,{metric},mixed,{figure}")];
            assert_eq!(lines(&group).unwrap(), expected);
        }
    }

    #[test]
    fn subsets_may_name_their_metric() {
        let group =
            json!({"name": "g", "subsets": [["a", "accuracy"]], "weights": {"a@accuracy": 2}});
        assert_eq!(lines(&group).unwrap(), ["g,-,weighted_average,gen,20.00"]);
    }

    #[test]
    fn groups_that_cannot_be_computed_say_why() {
        let mixed = json!({"name": "g", "subsets": ["a", ["b", "accuracy"]]});
        assert_eq!(lines(&mixed), Err(ReportError::MixedSubsets { group: "g".into() }));
        let stray = json!({"name": "g", "subsets": ["a", "b"], "weights": {"c": 1}});
        let (group, weight) = ("g".into(), "c".into());
        assert_eq!(lines(&stray), Err(ReportError::StrayWeight { group, weight }));
        let missing = json!({"name": "g", "subsets": ["a", "c"]});
        assert!(lines(&missing).unwrap().is_empty());
    }
}
