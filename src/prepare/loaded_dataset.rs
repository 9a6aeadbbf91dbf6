//! A data set's rows, with the examples for each.

use super::PrepareError;
use crate::{
    dataset::Dataset, hub::DownloadProgress, infer::InferError, plan::DatasetPlan, retrieve::Corpus,
};

/// A data set's rows and the examples chosen for each; the same for every model.
#[derive(Debug)]
pub(crate) struct LoadedDataset {
    /// The splits.
    pub(crate) rows: Dataset,
    /// Per test sample, indices into the train split, best first.
    pub(crate) examples: Vec<Vec<usize>>,
}

impl LoadedDataset {
    /// Reads the rows and retrieves examples; `limit` keeps the first test samples only.
    pub(crate) fn load(
        plan: &DatasetPlan,
        limit: Option<usize>,
        progress: &dyn DownloadProgress,
    ) -> Result<Self, PrepareError> {
        let failed =
            |source| PrepareError::Dataset { dataset: plan.abbr.clone(), source: Box::new(source) };
        let splits = plan.reader.splits();
        let read = plan.location.read(&plan.table, &splits, progress).map_err(failed)?;
        let mut rows = plan.reader.load(read.labelled(&plan.abbr)).map_err(failed)?;
        if let Some(limit) = limit {
            rows.test.truncate(limit);
        }
        if rows.test.is_empty() {
            return Err(PrepareError::Infer {
                dataset: plan.abbr.clone(),
                model: "any".to_owned(),
                source: Box::new(InferError::Mismatch(
                    "there is no test sample; check test_range and --limit".to_owned(),
                )),
            });
        }
        let examples = plan
            .retriever
            .retrieve(&Corpus { dataset: &rows, reader: &plan.reader })
            .map_err(|source| PrepareError::Retrieve {
                dataset: plan.abbr.clone(),
                source: Box::new(source),
            })?;
        if examples.iter().any(|chosen| !chosen.is_empty()) {
            plan.reader.check_train(&rows.train).map_err(failed)?;
        }
        Ok(Self { rows, examples })
    }
}
