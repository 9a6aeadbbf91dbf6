//! Every figure of a run, by model, data set and metric: what a summary is laid out from.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::{StoredResult, SummaryDataset};
use crate::evaluate::STATISTICS;

/// Metrics that are shown first, most important first; OpenCompass's list.
const FIRST: &[&str] = &[
    "score",
    "auc_score",
    "accuracy",
    "humaneval_pass@1",
    "rouge1",
    "avg_toxicity_score",
    "bleurt_diff",
    "matthews_correlation",
    "truth",
    "f1",
    "exact_match",
    "extract_rate",
];

/// Numbers in results that are not scores; OpenCompass's list.
const NOT_SCORES: &[&str] = &["bp", "sys_len", "ref_len", "type"];

/// The figures, and what is known about each data set or group.
pub(super) struct Board {
    /// Models in order of the columns.
    pub(super) models: Vec<ModelBoard>,
    /// The metrics of each data set and group that has any, most important first.
    pub(super) metrics: IndexMap<String, Vec<String>>,
    /// `gen`, `ppl`, … of each data set and group.
    pub(super) modes: IndexMap<String, String>,
}

/// One model's figures.
pub(super) struct ModelBoard {
    /// Data set or group, then metric.
    pub(super) values: IndexMap<String, IndexMap<String, f64>>,
    /// The results as they are printed under "raw format".
    pub(super) raw: IndexMap<String, Map<String, Value>>,
}

impl Board {
    /// The figures of the stored results. Results that hold an error or no number count as missing.
    pub(super) fn new(
        datasets: &[SummaryDataset],
        models: &[String],
        results: &[StoredResult],
    ) -> Self {
        let modes = datasets.iter().map(|dataset| (dataset.abbr.clone(), dataset.mode.clone()));
        let mut board =
            Self { models: Vec::new(), metrics: IndexMap::new(), modes: modes.collect() };
        for model in models {
            let mut column = ModelBoard { values: IndexMap::new(), raw: IndexMap::new() };
            for dataset in datasets {
                let is_wanted = |stored: &&StoredResult| {
                    stored.model == *model && stored.dataset == dataset.abbr
                };
                if let Some(stored) = results.iter().find(is_wanted) {
                    board.add(&mut column, &dataset.abbr, &stored.results);
                }
            }
            board.models.push(column);
        }
        board
    }

    fn add(&mut self, column: &mut ModelBoard, dataset: &str, results: &Value) {
        let mut raw = results.as_object().cloned().unwrap_or_default();
        raw.shift_remove("details");
        raw.shift_remove(STATISTICS);
        if !raw.contains_key("error") {
            let is_score = |(metric, value): (&String, &Value)| {
                let value = value.as_f64().filter(|_| !NOT_SCORES.contains(&metric.as_str()));
                value.map(|value| (metric.clone(), value))
            };
            let values: IndexMap<String, f64> = raw.iter().filter_map(is_score).collect();
            if !values.is_empty() {
                let mut metrics: Vec<String> = values.keys().cloned().collect();
                metrics.sort_by_key(|metric| rank(metric));
                self.announce(dataset, metrics);
                column.values.insert(dataset.to_owned(), values);
            }
        }
        column.raw.insert(dataset.to_owned(), raw);
    }

    /// Adds metrics of a data set or group, behind those that are known.
    pub(super) fn announce(&mut self, dataset: &str, metrics: Vec<String>) {
        let known = self.metrics.entry(dataset.to_owned()).or_default();
        for metric in metrics {
            if !known.contains(&metric) {
                known.push(metric);
            }
        }
    }
}

fn rank(metric: &str) -> usize {
    FIRST.iter().position(|first| *first == metric).unwrap_or(FIRST.len())
}
