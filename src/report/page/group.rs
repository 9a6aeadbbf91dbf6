//! What a page is about: runs, models, and the samples of data sets with their figures.

use serde::Serialize;

use super::Pieces;

/// Something about the whole page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// How bad it is.
    pub severity: NoteSeverity,
    /// For people.
    pub message: String,
}

impl Note {
    /// Something that makes no figure wrong.
    pub fn worth_knowing(message: String) -> Self {
        Self { severity: NoteSeverity::Note, message }
    }
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NoteSeverity {
    /// Worth knowing.
    Note,
    /// Makes figures wrong.
    Warning,
}

/// A run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Run {
    /// How it is called.
    pub name: String,
    /// When it was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// What it ran on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// What was typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The program and its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Tokens of all questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_tokens: Option<usize>,
    /// Tokens that went through a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed_tokens: Option<usize>,
    /// Tokens of questions whose answers were known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reused_tokens: Option<usize>,
}

/// A model with what its tokens spell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// How it is called.
    pub name: String,
    /// What was computed in.
    pub dtype: Option<String>,
    /// Where.
    pub device: Option<String>,
    /// Its pieces, to which segments refer.
    pub pieces: Pieces,
}

/// The samples of one data set, and variant, under one model in one run. Those of the page's samples that
/// follow those of the group before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Group {
    /// Unique in the page and the same when it is written again, without `~`: links hold it.
    pub key: String,
    /// Place of the run.
    pub run: usize,
    /// Place of the model.
    pub model: usize,
    /// The data set, without its variant.
    pub dataset: String,
    /// The variant, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// `ppl`, `gen`, ….
    pub mode: String,
    /// The scoring rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Groups with the same have rows that mean the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_of: Option<String>,
    /// How many samples.
    pub samples: usize,
}

/// A figure of a group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Place of the group.
    pub group: usize,
    /// Name of the metric.
    pub metric: String,
    /// `percent`, `nats_per_token` or another.
    pub unit: String,
    /// The figure; null where no sample could be scored.
    pub value: Option<f64>,
    /// Lower bound of its 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Samples that were scored.
    pub samples: usize,
    /// Samples without an answer.
    pub failed: usize,
}
