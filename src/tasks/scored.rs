//! What a task's answers are worth: of each document, and altogether.

use indexmap::IndexMap;

use super::{field::Row, metric::Measured, value::TaskValue};

/// A document's answer behind one of the filters.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredSample {
    /// The document's number.
    pub document: usize,
    /// The document as the task's functions leave it, where they write into it.
    pub changed: Option<Row>,
    /// The name of the filter.
    pub filter: String,
    /// What the document's answer should be.
    pub target: TaskValue,
    /// What the filter leaves of the answers to each of its requests.
    pub filtered: Vec<TaskValue>,
    /// What it is worth.
    pub measured: Measured,
    /// SHA-256 of the document, as JSON, as it was left when it had been asked.
    pub document_hash: String,
    /// SHA-256 of what the model was given first.
    pub prompt_hash: String,
    /// SHA-256 of the target.
    pub target_hash: String,
}

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskFigure {
    /// The metric.
    pub metric: String,
    /// The filter.
    pub filter: String,
    /// Its value.
    pub value: TaskValue,
    /// Its standard error, if it has one.
    pub standard_error: Option<f64>,
    /// How many documents it is made of.
    pub documents: usize,
}

/// A task with all that its answers are worth.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredTask {
    /// Its name.
    pub name: String,
    /// What tables call it.
    pub alias: String,
    /// The version that its file says, or `Yaml`.
    pub version: TaskValue,
    /// How many examples were shown.
    pub shots: usize,
    /// Of each metric, whether more is better.
    pub higher_is_better: IndexMap<String, TaskValue>,
    /// Every document behind every filter, filter by filter.
    pub samples: Vec<ScoredSample>,
    /// The figures, filter by filter.
    pub figures: Vec<TaskFigure>,
    /// How many documents were scored.
    pub scored: usize,
    /// How many there are.
    pub documents: usize,
    /// What a reader of the figures may not expect.
    pub notes: Vec<String>,
}
