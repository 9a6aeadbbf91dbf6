//! A record as a row of the store, and back.

use serde_json::{Map, Value as Json};

use super::RunError;
use crate::{
    answer::{Answered, QuestionKey},
    dataset::Sample,
    infer::Record,
    store::{KeptText, SampleRow, Store, StoreError, UnitRow},
};

/// A sample with what was asked about it and what came of it.
#[derive(Debug)]
pub(crate) struct KeptSample {
    /// The row of the data set.
    pub(crate) sample: Sample,
    /// The record, answers included.
    pub(crate) record: Record,
    /// Where its texts come from, as [`origin`](crate::origin) keeps it.
    pub(crate) origins: String,
}

/// The row of a record; its texts go beside it, where what they share is kept once.
pub(crate) fn row(
    sample: &Sample,
    mut record: Record,
    origins: String,
    questions: Vec<QuestionKey>,
) -> SampleRow {
    let columns: Map<String, Json> =
        sample.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    let texts = record
        .outcome
        .texts()
        .into_iter()
        .map(|(text, is_repeated)| KeptText { text: std::mem::take(text), is_repeated });
    SampleRow {
        row: record.id,
        columns: Json::Object(columns).to_string(),
        texts: texts.collect(),
        origins,
        questions,
        record: serde_json::to_string(&record).unwrap_or_default(),
    }
}

/// The samples of a unit with their answers; an error if some of it cannot be read.
pub(crate) fn read(store: &Store, unit: &UnitRow, name: &str) -> Result<Vec<KeptSample>, RunError> {
    of_rows(store, store.samples(unit, name)?, name)
}

/// The samples of rows that were read, or are about to be written.
pub(crate) fn of_rows(
    store: &Store,
    rows: Vec<SampleRow>,
    name: &str,
) -> Result<Vec<KeptSample>, RunError> {
    let count = rows.len();
    let mut samples = Vec::with_capacity(count);
    let mut missing = 0;
    for row in rows {
        let mut answers = Vec::with_capacity(row.questions.len());
        for question in &row.questions {
            answers.extend(store.answer(question)?);
        }
        match kept(row, answers) {
            Some(kept) => samples.push(kept),
            None => missing += 1,
        }
    }
    if missing > 0 {
        let unit_name = name.to_owned();
        return Err(StoreError::Incomplete {
            unit: unit_name,
            missing,
            samples: count,
            what: "samples",
        }
        .into());
    }
    Ok(samples)
}

/// A row put together again; nothing if it is not what [`row`] makes.
fn kept(row: SampleRow, answers: Vec<Answered>) -> Option<KeptSample> {
    if answers.len() != row.questions.len() {
        return None;
    }
    let columns: Map<String, Json> = serde_json::from_str(&row.columns).ok()?;
    let mut record: Record = serde_json::from_str(&row.record).ok()?;
    let places = record.outcome.texts();
    if places.len() != row.texts.len() {
        return None;
    }
    for ((place, _), kept) in places.into_iter().zip(&row.texts) {
        place.clone_from(&kept.text);
    }
    record.outcome = record.outcome.with_answers(answers);
    let sample = Sample::new(columns.into_iter().collect());
    Some(KeptSample { sample, record, origins: row.origins })
}
