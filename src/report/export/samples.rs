//! The table `samples`: a line for each row of each data set under each model.

use serde_json::{Map, Value as Json};

use super::{Cell, ColumnType, DocumentedColumn, ExportedSample};
use crate::{infer::Outcome, python::python_str, score};

/// The columns, before one `score_METRIC` for each metric of the run: 1 or 0 for a share, nats per token for
/// `average_ppl`; null for a sample without an answer.
pub const SAMPLE_COLUMNS: &[DocumentedColumn] = &[
    ("run", ColumnType::Text, "name of the run"),
    ("model", ColumnType::Text, "short name of the model"),
    ("dataset", ColumnType::Text, "short name of the data set"),
    ("mode", ColumnType::Text, "ppl or gen"),
    (
        "row",
        ColumnType::Integer,
        "index among the samples of the data set, from 0: the first of test_range is 0",
    ),
    (
        "gold",
        ColumnType::Text,
        "the right answer of the row, as Python's str() writes it; null if there is none",
    ),
    (
        "prediction",
        ColumnType::Text,
        "the chosen label or the generated text; null if nothing was asked for or it failed",
    ),
    (
        "compared_gold",
        ColumnType::Text,
        "gold after the data set's post-processor, as the metric compares it; null without one",
    ),
    (
        "compared_prediction",
        ColumnType::Text,
        "prediction after its post-processors, as the metric compares it; null without a metric",
    ),
    (
        "prompt",
        ColumnType::Text,
        "the text that was continued or scored, an image as `[image FILE]`; of candidates, the first one's",
    ),
    (
        "dropped_examples",
        ColumnType::Integer,
        "in-context examples that were dropped to fit the context",
    ),
    (
        "truncated_tokens",
        ColumnType::Integer,
        "tokens that were cut off, summed over the sample's prompts",
    ),
    ("error", ColumnType::Text, "why there is no answer; null if there is one"),
    ("columns", ColumnType::Text, "all columns of the data set's row, as a JSON object"),
];

/// The name of the column of a metric's scores.
pub fn score_column(metric: &str) -> String {
    format!("score_{metric}")
}

/// The line of a sample.
pub(super) fn line(own: &ExportedSample<'_>) -> Vec<Cell> {
    let record = own.record;
    let columns: Map<String, Json> =
        own.sample.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    let prompt = match &record.outcome {
        Outcome::Ranked { candidates, .. } => candidates.first().map(|first| first.prompt.as_str()),
        Outcome::Scored { candidate, .. } => Some(candidate.prompt.as_str()),
        Outcome::Generated { prompt, .. } | Outcome::Sampled { prompt, .. } => {
            Some(prompt.as_str())
        }
        Outcome::Dialogue { exchanges, .. } => exchanges.last().map(|last| last.prompt.as_str()),
        Outcome::Retrieved { query, .. } => Some(query.as_str()),
        Outcome::Windows { .. } | Outcome::Given { .. } | Outcome::Failed { .. } => None,
    };
    let prediction = match &record.outcome {
        Outcome::Dialogue { exchanges, .. } => {
            let replies: Vec<&str> =
                exchanges.iter().map(|own| own.continuation.text.as_str()).collect();
            Some(serde_json::to_string(&replies).unwrap_or_default())
        }
        _ => score::prediction(own.rule, record).map(|value| python_str(&value)),
    };
    let error = match &record.outcome {
        Outcome::Failed { error } => Some(error.as_str()),
        _ => None,
    };
    let text = |value: Option<&Json>| {
        value.filter(|value| !value.is_null()).map(python_str).as_deref().into()
    };
    let mut cells: Vec<Cell> = vec![
        own.run.into(),
        own.model.into(),
        own.dataset.into(),
        own.mode.into(),
        record.id.into(),
        text(record.gold.as_ref()),
        prediction.as_deref().into(),
        text(own.compared.map(|row| &row.reference)),
        text(own.compared.map(|row| &row.prediction)),
        prompt.map(|own| record.readable(own)).as_deref().into(),
        record.dropped_examples.into(),
        record.truncated_tokens.into(),
        error.into(),
        Cell::Text(Json::Object(columns).to_string()),
    ];
    cells.extend(own.scores.iter().map(|score| Cell::from(*score)));
    cells
}
