//! Rows of a stage: those of its data set with what came out of the stages before it.
//!
//! Before anything is asked their golds stand in for that, so that prompts can be built, checked and counted; once a stage
//! is answered, its predictions take their place. It knows neither how they were asked nor where they are kept.

use serde_json::Value;

use super::{CheckpointModels, PassageSearches, PrepareError};
use crate::{
    dataset::{Dataset, Sample},
    infer::{InferError, Outcome, PassageSearch, RetrievedPassage, Unasked},
    passages::PassageError,
    plan::{DatasetPlan, Stage},
    python::is_truthy,
};

/// What a stage said of each row, or why it said nothing, under the name of the column that it makes.
#[derive(Clone, Debug)]
pub(crate) struct StageColumn {
    /// The stage.
    pub(crate) stage: String,
    /// The column.
    pub(crate) name: String,
    pub(crate) values: Vec<Result<Value, String>>,
}

/// What rows are found out by, beside their files.
#[derive(Clone, Copy)]
pub(crate) struct RowSources<'a> {
    /// The models that retrievers and searches ask.
    pub(crate) models: &'a CheckpointModels<'a>,
    /// Corpora, and what was found in them.
    pub(crate) searches: &'a PassageSearches,
}

/// Gives rows the columns of earlier stages, filled with their golds or nothing.
pub(super) fn stand_in(
    plan: &DatasetPlan,
    stage: &Stage,
    rows: &mut Dataset,
    searches: &PassageSearches,
) -> Result<(), PrepareError> {
    for earlier in &stage.before {
        let samples = rows.train.iter_mut().chain(&mut rows.test);
        for (place, sample) in samples.enumerate() {
            refuse_twice(plan, sample, &earlier.columns())?;
            let gold = earlier.gold.as_ref().and_then(|column| sample.get(column)).cloned();
            let Some(search) = &earlier.search else {
                sample.set(&earlier.name, gold.unwrap_or_else(|| Value::from("")));
                continue;
            };
            let gold = gold.unwrap_or_default();
            let passages = named(plan, (search, searches), &gold, place)?;
            // Golds are shown whole: they stand for the best that could be found.
            let [lines, ids] = passage_values(&passages);
            sample.set(&earlier.name, lines);
            sample.set(&earlier.ids_column(), ids);
        }
    }
    match rows.test.first() {
        Some(sample) => refuse_twice(plan, sample, std::slice::from_ref(&stage.name)),
        None => Ok(()),
    }
}

/// An error if rows have a column that a stage is going to make.
fn refuse_twice(
    plan: &DatasetPlan,
    sample: &Sample,
    columns: &[String],
) -> Result<(), PrepareError> {
    match columns.iter().find(|column| sample.get(column).is_some()) {
        None => Ok(()),
        Some(column) => Err(mismatch(
            plan,
            format!(
                "rows have a column {column:?}, which a stage is called after; give the stage another name"
            ),
        )),
    }
}

/// The passages that a row's gold names.
fn named(
    plan: &DatasetPlan,
    (search, searches): (&PassageSearch, &PassageSearches),
    gold: &Value,
    place: usize,
) -> Result<Vec<RetrievedPassage>, PrepareError> {
    searches.named(search, gold, &format!("sample {place}")).map_err(failed(plan))
}

/// The columns that found passages make: lines of texts, and ids.
pub(crate) fn passage_values(passages: &[RetrievedPassage]) -> [Value; 2] {
    let ids = passages.iter().map(|passage| Value::from(passage.id.as_str()));
    [Value::from(RetrievedPassage::lines(passages)), Value::Array(ids.collect())]
}

/// The rows with what earlier stages said; a row of which one said nothing is known to fail.
pub(super) fn answered(
    rows: &[Sample],
    columns: &[StageColumn],
) -> (Vec<Sample>, Vec<Option<Outcome>>) {
    let mut all = rows.to_vec();
    let mut known = vec![None; rows.len()];
    for StageColumn { stage, name, values } in columns {
        for ((sample, known), value) in all.iter_mut().zip(&mut known).zip(values) {
            match value {
                Ok(value) => sample.set(name, value.clone()),
                Err(error) => {
                    sample.set(name, Value::Null);
                    let error = format!("stage {stage}: {error}");
                    known.get_or_insert(Outcome::Failed { error });
                }
            }
        }
    }
    (all, known)
}

/// What is known of rows without asking a model: what a search finds, what stands in a column, or what is the
/// prediction where the stage's condition says that nothing is asked. `is_ahead` says that the stages before are
/// not answered, so that a search has golds stand in for what it will find.
pub(super) fn known(
    plan: &DatasetPlan,
    rows: &[Sample],
    sources: RowSources<'_>,
    is_ahead: bool,
) -> Result<Vec<Option<Outcome>>, PrepareError> {
    let RowSources { models, searches } = sources;
    match plan.inferencer.unasked() {
        None => unasked(plan, rows),
        Some(Unasked::Column(column)) => (0..rows.len())
            .map(|place| {
                let prediction = value(plan, rows, place, column)?.clone();
                Ok(Some(Outcome::Given { prediction }))
            })
            .collect(),
        Some(Unasked::Passages(search)) => {
            let column = plan.reader.output_column();
            let gold = |row: &Sample| column.and_then(|column| row.get(column)).cloned();
            let golds = rows.iter().enumerate().map(|(place, row)| {
                named(plan, (search, searches), &gold(row).unwrap_or_default(), place)
            });
            // A gold that is not in the corpus would count as never found.
            let golds = golds.collect::<Result<Vec<_>, _>>()?;
            if is_ahead {
                let stands_in = |passages| Outcome::Retrieved { query: String::new(), passages };
                return Ok(golds.into_iter().map(|own| Some(stands_in(own))).collect());
            }
            let found = searches.found(search, rows, models).map_err(failed(plan))?;
            Ok(found.into_iter().map(Some).collect())
        }
    }
}

/// Which rows are not asked about, by the stage's condition, with what is their prediction then.
fn unasked(plan: &DatasetPlan, rows: &[Sample]) -> Result<Vec<Option<Outcome>>, PrepareError> {
    let Some(condition) = plan.stage.as_ref().and_then(|stage| stage.condition.as_ref()) else {
        return Ok(vec![None; rows.len()]);
    };
    (0..rows.len())
        .map(|place| {
            if is_truthy(value(plan, rows, place, &condition.when)?) {
                return Ok(None);
            }
            let prediction = value(plan, rows, place, &condition.otherwise)?.clone();
            Ok(Some(Outcome::Given { prediction }))
        })
        .collect()
}

/// The value of a column that a stage names.
fn value<'r>(
    plan: &DatasetPlan,
    rows: &'r [Sample],
    place: usize,
    column: &str,
) -> Result<&'r Value, PrepareError> {
    let found = rows.get(place).and_then(|row| row.get(column));
    found.ok_or_else(|| {
        mismatch(plan, format!("sample {place} has no column {column:?}, which the stage names"))
    })
}

fn mismatch(plan: &DatasetPlan, what: String) -> PrepareError {
    PrepareError::Infer {
        dataset: plan.abbr.clone(),
        model: "any".to_owned(),
        source: Box::new(InferError::Mismatch(what)),
    }
}

fn failed(plan: &DatasetPlan) -> impl Fn(PassageError) -> PrepareError {
    |source| PrepareError::Passages { dataset: plan.abbr.clone(), source: Box::new(source) }
}
