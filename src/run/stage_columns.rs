//! What the stages of data sets have said under a model, as columns of the stages after them.
//!
//! A prediction is read from the samples that the store keeps, after the stage's own post-processors: it is what the
//! stage's metric compares.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    infer::{Outcome, Unasked},
    kept_run::{
        RunError, UnitFacts,
        evaluation::{self, UnitEvaluation},
        kept_sample::{self, KeptSample},
    },
    plan::DatasetPlan,
    prepare::{StageColumn, passage_values},
    store::{Store, UnitRow},
};

/// The columns of each data set that has stages, in their order.
#[derive(Default)]
pub(super) struct StageColumns(BTreeMap<String, Vec<StageColumn>>);

impl StageColumns {
    /// What was said before a stage of a data set; nothing where it is the first, or has none.
    pub(super) fn before(&self, dataset: &DatasetPlan) -> &[StageColumn] {
        let chain = dataset.stage.as_ref().map(|stage| &stage.chain);
        chain.and_then(|chain| self.0.get(chain)).map_or(&[], Vec::as_slice)
    }

    /// Reads what a stage has said; nothing for a data set without stages.
    pub(super) fn read(
        &mut self,
        dataset: &DatasetPlan,
        unit: &UnitRow,
        store: &Store,
    ) -> Result<(), RunError> {
        let Some(stage) = &dataset.stage else { return Ok(()) };
        let facts = UnitFacts::of(unit)?;
        let name = format!("data set {}, model {}", facts.dataset, facts.model);
        let samples = kept_sample::read(store, unit, &name)?;
        let postprocessor = evaluation::model_postprocessor(&facts)?;
        let evaluation =
            UnitEvaluation::new(&facts, &dataset.evaluation, postprocessor.as_deref(), &samples);
        let columns = self.0.entry(stage.chain.clone()).or_default();
        let name = stage.name.clone();
        if let Some(Unasked::Passages(search)) = dataset.inferencer.unasked() {
            let (lines, ids) = samples.iter().map(|kept| found(kept, search.shown)).unzip();
            let ids_name = stage.ids_column();
            columns.push(StageColumn { stage: name.clone(), name: name.clone(), values: lines });
            columns.push(StageColumn { stage: name, name: ids_name, values: ids });
        } else {
            let values = samples.iter().map(|kept| said(&evaluation, kept)).collect();
            columns.push(StageColumn { stage: name.clone(), name, values });
        }
        Ok(())
    }
}

/// The best passages that were found for a sample, as lines and as ids, or why nothing was searched.
fn found(kept: &KeptSample, shown: usize) -> (Result<Value, String>, Result<Value, String>) {
    match &kept.record.outcome {
        Outcome::Retrieved { passages, .. } => {
            let [lines, ids] = passage_values(&passages[..shown.min(passages.len())]);
            (Ok(lines), Ok(ids))
        }
        Outcome::Failed { error } => (Err(error.clone()), Err(error.clone())),
        _ => {
            let error = "nothing was searched".to_owned();
            (Err(error.clone()), Err(error))
        }
    }
}

/// The prediction of a sample, or why it has none.
fn said(evaluation: &UnitEvaluation<'_>, kept: &KeptSample) -> Result<Value, String> {
    if let Outcome::Failed { error } = &kept.record.outcome {
        return Err(error.clone());
    }
    match evaluation.prediction(kept) {
        Ok(Value::Null) => Err("there is no prediction that another stage could read".to_owned()),
        Ok(prediction) => Ok(prediction),
        Err(error) => Err(error.to_string()),
    }
}
