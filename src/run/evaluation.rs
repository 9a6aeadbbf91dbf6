//! Results from records.

use serde_json::Value;

use super::RunError;
use crate::{
    config::from_node,
    evaluate::{EvaluateError, Row, details},
    infer::{Outcome, Record},
    plan::{DatasetPlan, ModelPlan, RunPlan},
    postprocess::{self, PostprocessError, Postprocessor},
    prepare::LoadedDataset,
    python::{python_str, to_string_indented},
    report::{
        self, Family, FamilyRow, ResultRow, StoredResult, SummarizerConfig, Summary, SummaryDataset,
    },
    store::{RunFolder, write_atomically},
};

/// What the records of one data set under one model come to.
pub(super) struct Evaluated {
    /// Lines of the table; none without an evaluator.
    pub(super) rows: Vec<ResultRow>,
    /// The results file.
    pub(super) stored: Option<StoredResult>,
    /// Samples without an answer; they are counted, not scored.
    pub(super) failed_samples: usize,
}

/// Scores the records and writes the results file.
pub(super) fn evaluate(
    dataset: &DatasetPlan,
    loaded: &LoadedDataset,
    model: &ModelPlan,
    records: Vec<Record>,
    folder: &RunFolder,
) -> Result<Evaluated, RunError> {
    let failed = |source: EvaluateError| RunError::Evaluate {
        dataset: dataset.abbr.clone(),
        model: model.abbr.clone(),
        source: Box::new(source),
    };
    let all_samples = records.len();
    let mut answered = records;
    answered.retain(|record| !matches!(record.outcome, Outcome::Failed { .. }));
    let failed_samples = all_samples - answered.len();
    let Some(evaluator) = &dataset.evaluator else {
        return Ok(Evaluated { rows: Vec::new(), stored: None, failed_samples });
    };
    let values = report::prediction_values(&answered);
    let mut rows = Vec::with_capacity(answered.len());
    for (record, value) in answered.iter().zip(&values) {
        let row = row(dataset, loaded, model, record, value);
        rows.push(row.map_err(|source| {
            failed(EvaluateError::Normalization { row: record.id, source: Box::new(source) })
        })?);
    }
    let scores = evaluator.evaluate(&rows).map_err(failed)?;
    let details = match &scores.details {
        Some(own) => Some(details::of_metric(&example_names(dataset, loaded, &answered), own)),
        None => details::of_records(&values, &rows),
    };
    let results = scores.to_results(details);
    let text = to_string_indented(&results);
    write_atomically(&folder.results(&model.abbr, &dataset.abbr), text.as_bytes())?;
    Ok(Evaluated {
        rows: ResultRow::of(&dataset.abbr, &model.abbr, dataset.mode, &scores, failed_samples),
        stored: Some(StoredResult {
            model: model.abbr.clone(),
            dataset: dataset.abbr.clone(),
            results,
        }),
        failed_samples,
    })
}

/// One record as a metric sees it.
fn row(
    dataset: &DatasetPlan,
    loaded: &LoadedDataset,
    model: &ModelPlan,
    record: &Record,
    value: &Value,
) -> Result<Row, PostprocessError> {
    let sample = &loaded.rows.test[record.id];
    let processed = |value: Value, rules: &[&Option<Box<dyn Postprocessor>>]| {
        rules
            .iter()
            .filter_map(|rule| rule.as_deref())
            .try_fold(value, |value, rule| postprocess::apply(rule, &value, sample))
    };
    let prediction = value.get("prediction").cloned().unwrap_or_default();
    let reference = record.gold.clone().unwrap_or_default();
    Ok(Row {
        prediction: match prediction {
            Value::Null => Value::Null,
            answer => {
                processed(answer, &[&model.postprocessor, &dataset.prediction_postprocessor])?
            }
        },
        reference: match reference {
            Value::Null => Value::Null,
            gold => processed(gold, &[&dataset.gold_postprocessor])?,
        },
        prompt: value.get("origin_prompt").cloned().unwrap_or_default(),
        ppl_nats: value.get("ppl").and_then(Value::as_f64),
    })
}

/// What OpenCompass calls each example: `<subdivision>_<idx>`.
fn example_names(dataset: &DatasetPlan, loaded: &LoadedDataset, records: &[Record]) -> Vec<String> {
    let name = |record: &Record| {
        let part = |column: &str| loaded.rows.test[record.id].get(column).map(python_str);
        let subdivision = part("subdivision").unwrap_or_else(|| dataset.abbr.clone());
        format!("{subdivision}_{}", part("idx").unwrap_or_else(|| record.id.to_string()))
    };
    records.iter().map(name).collect()
}

/// Writes the summary in OpenCompass's three formats.
pub(super) fn write_summaries(
    plan: &RunPlan,
    results: &[StoredResult],
    folder: &RunFolder,
) -> Result<(), RunError> {
    let config = summarizer(plan)?;
    let datasets: Vec<SummaryDataset> = plan
        .datasets
        .iter()
        .map(|dataset| SummaryDataset {
            abbr: dataset.abbr.clone(),
            version: dataset.version.clone(),
            mode: dataset.mode.to_owned(),
        })
        .collect();
    let models: Vec<String> = plan.models.iter().map(|model| model.abbr.clone()).collect();
    let summary = Summary::new(&datasets, &models, results, &config)?;
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

/// Writes every figure with its interval, and tells the figures of families of data sets.
pub(super) fn write_details(
    plan: &RunPlan,
    rows: &[ResultRow],
    folder: &RunFolder,
) -> Result<Vec<FamilyRow>, RunError> {
    let datasets: Vec<&str> = plan.datasets.iter().map(|dataset| dataset.abbr.as_str()).collect();
    let families: Vec<FamilyRow> = Family::find(&datasets, &summarizer(plan)?.summary_groups)
        .iter()
        .flat_map(|family| family.rows(rows))
        .collect();
    write_atomically(&folder.details("csv"), report::details_csv(rows)?.as_bytes())?;
    write_atomically(&folder.details("json"), report::details_json(rows, &families)?.as_bytes())?;
    Ok(families)
}

/// What the config says about its summary.
fn summarizer(plan: &RunPlan) -> Result<SummarizerConfig, RunError> {
    match &plan.summarizer {
        Some(node) if !node.is_none() => {
            Ok(from_node(node).map_err(|error| error.under("summarizer"))?)
        }
        _ => Ok(SummarizerConfig::default()),
    }
}
