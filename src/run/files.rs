//! OpenCompass's files of a run.

use super::{RunError, evaluation::Evaluated};
use crate::{
    config::{Node, from_node},
    infer::Record,
    python::to_string_indented,
    report::{self, StoredResult, SummarizerConfig, Summary, SummaryDataset},
    score::Rule,
    store::{RunFolder, write_atomically},
};

/// Writes the predictions of a data set under a model.
pub(super) fn write_predictions(
    folder: &RunFolder,
    model: &str,
    dataset: &str,
    records: &[&Record],
    rule: &dyn Rule,
) -> Result<(), RunError> {
    let text = report::predictions(records, rule);
    Ok(write_atomically(&folder.predictions(model, dataset), text.as_bytes())?)
}

/// Writes the results of a data set under a model, if it was evaluated.
pub(super) fn write_results(folder: &RunFolder, evaluated: &Evaluated) -> Result<(), RunError> {
    let Some(StoredResult { model, dataset, results }) = &evaluated.stored else { return Ok(()) };
    let text = to_string_indented(results);
    Ok(write_atomically(&folder.results(model, dataset), text.as_bytes())?)
}

/// Writes the summary in OpenCompass's three formats.
pub(super) fn write_summaries(
    folder: &RunFolder,
    summarizer: Option<&Node>,
    datasets: &[SummaryDataset],
    models: &[String],
    results: &[StoredResult],
) -> Result<(), RunError> {
    let config: SummarizerConfig = match summarizer {
        Some(node) if !node.is_none() => {
            from_node(node).map_err(|error| error.under("summarizer"))?
        }
        _ => SummarizerConfig::default(),
    };
    let summary = Summary::new(datasets, models, results, &config)?;
    let texts = [
        ("txt", summary.to_txt(folder.time_stamp())),
        ("csv", summary.to_csv()),
        ("md", summary.to_md()),
    ];
    for (extension, text) in texts {
        write_atomically(&folder.summary(extension), text.as_bytes())?;
    }
    Ok(())
}
