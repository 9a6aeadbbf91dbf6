//! The rows of a task of lm-evaluation-harness: those that are asked, and those that examples are drawn from.

use std::collections::BTreeMap;

use super::PrepareError;
use crate::{
    dataset::{Dataset, Rows, Sample},
    hub::DownloadProgress,
    plan::{DatasetPlan, PlanError},
    tasks::{ANSWER_COLUMN, Row, TaskError, TaskPlan, document},
};

/// The name that `datasets` gives to rows that stand in no split.
const ONLY_SPLIT: &str = "train";

/// Reads the splits of a task; each document has its answer beside it.
pub(super) fn task_rows(
    plan: &DatasetPlan,
    task: &TaskPlan,
    progress: &dyn DownloadProgress,
) -> Result<Dataset, PrepareError> {
    let wrong = |source: TaskError| PrepareError::Plan(PlanError::Task(source));
    let splits: Vec<&str> =
        [task.asked_split(), task.example_split()].into_iter().flatten().collect();
    let read = plan.location.read(&plan.table, &splits, progress).map_err(|source| {
        PrepareError::Dataset { dataset: plan.abbr.clone(), source: Box::new(source) }
    })?;
    let rows = |samples: &[Sample]| samples.iter().map(document).collect::<Vec<Row>>();
    let splits: BTreeMap<String, Vec<Row>> = match read {
        Rows::Single(samples) => BTreeMap::from([(ONLY_SPLIT.to_owned(), rows(&samples))]),
        Rows::Splits(splits) => {
            splits.iter().map(|(name, samples)| (name.clone(), rows(samples))).collect()
        }
    };
    let found = task.rows(&splits).map_err(wrong)?;
    let answers = task.answers(&found.documents).map_err(wrong)?;
    let sample = |row: &Row| Sample::new(row.clone().into_iter().collect());
    let test = found.documents.iter().zip(answers).map(|(row, answer)| {
        let mut sample = sample(row);
        sample.set(ANSWER_COLUMN, answer);
        sample
    });
    let train = found.examples.iter().map(sample).collect();
    Ok(Dataset { test: test.collect(), train, left_out: 0 })
}
