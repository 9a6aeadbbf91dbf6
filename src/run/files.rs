//! OpenCompass's files of a run.

use crate::{
    config::Node,
    infer::Record,
    kept_run::{RunError, UnitFacts, evaluation::Evaluated, judgements::Judgements},
    python::to_string_indented,
    report::{self, FamilyRow, ResultRow, StoredResult, SummarizerConfig, Summary, SummaryDataset},
    score::Rule,
    store::{RunFolder, Store, write_atomically},
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

/// Writes what a judge was asked about a data set under a model, and its replies.
pub(super) fn write_replies(
    folder: &RunFolder,
    model: &str,
    judgements: &Judgements,
    store: &Store,
    rule: &dyn Rule,
) -> Result<(), RunError> {
    let Some(judged) = &judgements.facts.judged else { return Ok(()) };
    let records = judgements.records(store)?;
    let text = report::predictions(&records.iter().collect::<Vec<_>>(), rule);
    let name = format!("{}{}", judgements.facts.dataset, judged.file_suffix);
    Ok(write_atomically(&folder.results(model, &name), text.as_bytes())?)
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
    let config = SummarizerConfig::of(summarizer)?;
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

/// Writes every figure with its interval, in two files of our own.
pub(super) fn write_details(
    folder: &RunFolder,
    rows: &[ResultRow],
    families: &[FamilyRow],
) -> Result<(), RunError> {
    write_atomically(&folder.details("csv"), report::details_csv(rows)?.as_bytes())?;
    write_atomically(&folder.details("json"), report::details_json(rows, families)?.as_bytes())?;
    Ok(())
}

/// Whether the files of a finished run are all there.
pub(super) fn are_there(folder: &RunFolder, units: &[UnitFacts], rows: &[ResultRow]) -> bool {
    let predictions = units.iter().map(|unit| folder.predictions(&unit.model, &unit.dataset));
    let results = rows.iter().map(|row| folder.results(&row.model, &row.dataset));
    let summaries = ["txt", "csv", "md"].map(|extension| folder.summary(extension));
    let details = ["csv", "json"].map(|extension| folder.details(extension));
    let others = summaries.into_iter().chain(details).chain([folder.config()]);
    RunFolder::are_files(predictions.chain(results).chain(others))
}
