//! A data set's rows, with the examples for each.

use std::sync::Arc;

use super::PrepareError;
use crate::{
    dataset::Dataset,
    hub::DownloadProgress,
    infer::InferError,
    plan::{DatasetPlan, Variant},
    retrieve::Corpus,
};

/// A data set's rows and the examples chosen for each; the same for every model.
#[derive(Debug)]
pub(crate) struct LoadedDataset {
    /// The splits; variants of a data set share them.
    pub(crate) rows: Arc<Dataset>,
    /// Per test sample, indices into the train split, best first.
    pub(crate) examples: Vec<Vec<usize>>,
}

impl LoadedDataset {
    /// Loads data sets in their order, the rows of variants once; `step` hears of each.
    pub(crate) fn load_all<'p>(
        plans: impl IntoIterator<Item = &'p DatasetPlan>,
        limit: Option<usize>,
        progress: &dyn DownloadProgress,
        step: &dyn Fn(),
    ) -> Result<Vec<Self>, PrepareError> {
        let mut loaded: Vec<(&DatasetPlan, Arc<Dataset>, Self)> = Vec::new();
        for plan in plans {
            let is_of_same = |variant: &Option<Variant>| match (variant, &plan.variant) {
                (Some(one), Some(own)) => one.dataset == own.dataset,
                _ => false,
            };
            let same = loaded.iter().rfind(|(other, ..)| is_of_same(&other.variant));
            let all = match same {
                Some((_, all, _)) => all.clone(),
                None => Arc::new(Self::rows(plan, limit, progress)?),
            };
            let drawn = same.filter(|(other, ..)| other.draw == plan.draw);
            let own = Self::of(plan, all.clone())?.drawn(plan, drawn.map(|(.., own)| &own.rows));
            loaded.push((plan, all, own));
            step();
        }
        Ok(loaded.into_iter().map(|(.., loaded)| loaded).collect())
    }

    /// The rows that the plan draws, each with the examples that it has among all; `known` are these rows.
    fn drawn(self, plan: &DatasetPlan, known: Option<&Arc<Dataset>>) -> Self {
        let Some(draw) = plan.draw else { return self };
        let places = draw.places(self.rows.test.len());
        let test = || places.iter().map(|&place| self.rows.test[place].clone()).collect();
        let rows = known
            .cloned()
            .unwrap_or_else(|| Arc::new(Dataset { train: self.rows.train.clone(), test: test() }));
        let examples = places.iter().map(|&place| self.examples[place].clone()).collect();
        Self { rows, examples }
    }

    /// Reads the rows; `limit` keeps the first test samples only.
    fn rows(
        plan: &DatasetPlan,
        limit: Option<usize>,
        progress: &dyn DownloadProgress,
    ) -> Result<Dataset, PrepareError> {
        let failed =
            |source| PrepareError::Dataset { dataset: plan.abbr.clone(), source: Box::new(source) };
        let splits = plan.reader.splits();
        let read = plan.location.read(&plan.table, &splits, progress).map_err(failed)?;
        let mut rows = plan.reader.load(read.labelled(plan.rows_name())).map_err(failed)?;
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
        Ok(rows)
    }

    /// Retrieves examples.
    fn of(plan: &DatasetPlan, rows: Arc<Dataset>) -> Result<Self, PrepareError> {
        let failed =
            |source| PrepareError::Dataset { dataset: plan.abbr.clone(), source: Box::new(source) };
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
