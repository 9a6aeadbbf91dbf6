//! Rows of a stage: those of its data set with what came out of the stages before it.
//!
//! Before anything is asked their golds stand in for that, so that prompts can be built, checked and counted; once a stage
//! is answered, its predictions take their place. It knows neither how they were asked nor where they are kept.

use serde_json::Value;

use super::PrepareError;
use crate::{
    dataset::{Dataset, Sample},
    infer::{InferError, Outcome},
    plan::{DatasetPlan, Stage},
    python::is_truthy,
};

/// What a stage said of each row, or why it said nothing, with the stage's name.
pub(crate) type StageColumn = (String, Vec<Result<Value, String>>);

/// Gives rows the columns of earlier stages, filled with their golds or nothing.
pub(super) fn stand_in(stage: &Stage, rows: &mut Dataset) {
    for earlier in &stage.before {
        for sample in rows.train.iter_mut().chain(&mut rows.test) {
            let gold = earlier.gold.as_ref().and_then(|column| sample.get(column)).cloned();
            sample.set(&earlier.name, gold.unwrap_or_else(|| Value::from("")));
        }
    }
}

/// The rows with what earlier stages said; a row of which one said nothing is known to fail.
pub(super) fn answered(
    rows: &[Sample],
    columns: &[StageColumn],
) -> (Vec<Sample>, Vec<Option<Outcome>>) {
    let mut all = rows.to_vec();
    let mut known = vec![None; rows.len()];
    for (name, values) in columns {
        for ((sample, known), value) in all.iter_mut().zip(&mut known).zip(values) {
            match value {
                Ok(value) => sample.set(name, value.clone()),
                Err(error) => {
                    sample.set(name, Value::Null);
                    let error = format!("stage {name}: {error}");
                    known.get_or_insert(Outcome::Failed { error });
                }
            }
        }
    }
    (all, known)
}

/// Which rows are not asked about, by the stage's condition, with what is their prediction then.
pub(super) fn unasked(
    plan: &DatasetPlan,
    rows: &[Sample],
) -> Result<Vec<Option<Outcome>>, PrepareError> {
    let Some(condition) = plan.stage.as_ref().and_then(|stage| stage.condition.as_ref()) else {
        return Ok(vec![None; rows.len()]);
    };
    let value = |place: usize, column: &str| {
        rows[place].get(column).ok_or_else(|| PrepareError::Infer {
            dataset: plan.abbr.clone(),
            model: "any".to_owned(),
            source: Box::new(InferError::Mismatch(format!(
                "sample {place} has no column {column:?}, which the stage's condition names"
            ))),
        })
    };
    (0..rows.len())
        .map(|place| {
            if is_truthy(value(place, &condition.when)?) {
                return Ok(None);
            }
            let prediction = value(place, &condition.otherwise)?.clone();
            Ok(Some(Outcome::Given { prediction }))
        })
        .collect()
}
