//! The summary of a run: data sets down, models across, as OpenCompass lays it out.
//!
//! The files are read by other people's scripts, so every byte is OpenCompass's: order of the rows,
//! the metrics left out, widths, dividers. Standard errors have no place in this format; they are in
//! the results files and in the table at the end of a run.

mod aligned;
mod board;
mod group;
mod layout;

use serde::Deserialize;
use serde_json::{Map, Value};

use self::board::Board;
pub use self::group::{Subset, SummaryGroup};
use super::ReportError;
use crate::config::{ConfigError, Node, from_node};

/// The `summarizer` of a config.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct SummarizerConfig {
    /// The rows that are wanted, in order: a name for its most important metric, or `[name, metric]`.
    /// Without it, everything is shown.
    #[serde(default)]
    pub dataset_abbrs: Option<Vec<Subset>>,
    /// Figures over several data sets, computed in order.
    #[serde(default)]
    pub summary_groups: Vec<SummaryGroup>,
}

impl SummarizerConfig {
    /// What a config says about its summary.
    pub fn of(summarizer: Option<&Node>) -> Result<Self, ConfigError> {
        match summarizer {
            Some(node) if !node.is_none() => {
                from_node(node).map_err(|error| error.under("summarizer"))
            }
            _ => Ok(Self::default()),
        }
    }
}

/// A data set of the run.
#[derive(Clone, Debug)]
pub struct SummaryDataset {
    /// Its short name.
    pub abbr: String,
    /// The version of its prompts.
    pub version: String,
    /// How it was answered: `gen`, `ppl` or `unknown`.
    pub mode: String,
}

/// The content of one results file.
#[derive(Clone, Debug)]
pub struct StoredResult {
    /// Short name of the model.
    pub model: String,
    /// Short name of the data set.
    pub dataset: String,
    /// The file, parsed.
    pub results: Value,
}

/// A summary, ready to be written.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Models in order of the columns.
    models: Vec<String>,
    rows: Vec<SummaryRow>,
    /// Per model, what is printed under "raw format".
    raw: Vec<Vec<(String, Map<String, Value>)>>,
}

/// One line of the table; `None` is shown as `-`.
#[derive(Clone, Debug)]
struct SummaryRow {
    dataset: String,
    version: Option<String>,
    metric: Option<String>,
    mode: Option<String>,
    values: Vec<Option<f64>>,
}

impl Summary {
    /// The summary of these results: data sets and models in the order of the config.
    pub fn new(
        datasets: &[SummaryDataset],
        models: &[String],
        results: &[StoredResult],
        config: &SummarizerConfig,
    ) -> Result<Self, ReportError> {
        let mut board = Board::new(datasets, models, results);
        for group in &config.summary_groups {
            group.compute(&mut board)?;
        }
        let lines = match &config.dataset_abbrs {
            Some(wanted) => wanted.clone(),
            None => every_line(&board, datasets),
        };
        let rows = lines.iter().map(|line| row(&board, datasets, line)).collect();
        Ok(Self { models: models.to_vec(), rows, raw: raw(&board) })
    }
}

/// All metrics of all data sets, then those of the groups.
fn every_line(board: &Board, datasets: &[SummaryDataset]) -> Vec<Subset> {
    let metrics_of = |name: &str| match board.metrics.get(name) {
        Some(metrics) => {
            metrics.iter().map(|metric| Subset::One(name.to_owned(), metric.clone())).collect()
        }
        None => vec![Subset::All(name.to_owned())],
    };
    let is_group = |name: &&String| datasets.iter().all(|dataset| dataset.abbr != **name);
    let groups = board.metrics.keys().filter(is_group).map(String::as_str);
    let datasets = datasets.iter().map(|dataset| dataset.abbr.as_str());
    datasets.chain(groups).flat_map(metrics_of).collect()
}

fn row(board: &Board, datasets: &[SummaryDataset], line: &Subset) -> SummaryRow {
    let (Subset::All(name) | Subset::One(name, _)) = line;
    let known = board.metrics.get(name).and_then(|metrics| match line {
        Subset::All(_) => metrics.first(),
        Subset::One(_, wanted) => metrics.iter().find(|metric| *metric == wanted),
    });
    let Some(metric) = known else {
        let values = vec![None; board.models.len()];
        return SummaryRow {
            dataset: name.clone(),
            version: None,
            metric: None,
            mode: None,
            values,
        };
    };
    let dataset = datasets.iter().find(|dataset| dataset.abbr == *name);
    let value = |column: &board::ModelBoard| column.values.get(name)?.get(metric).copied();
    SummaryRow {
        dataset: name.clone(),
        version: dataset.map(|dataset| dataset.version.clone()),
        metric: Some(metric.clone()),
        mode: board.modes.get(name).cloned(),
        values: board.models.iter().map(value).collect(),
    }
}

/// Every model's results, each over the same data sets: an empty dict stands for a missing one.
fn raw(board: &Board) -> Vec<Vec<(String, Map<String, Value>)>> {
    let mut names: Vec<&String> = Vec::new();
    for name in board.models.iter().flat_map(|column| column.raw.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let results = |column: &board::ModelBoard| {
        let results = names
            .iter()
            .map(|&name| (name.clone(), column.raw.get(name).cloned().unwrap_or_default()));
        results.collect()
    };
    board.models.iter().map(results).collect()
}
