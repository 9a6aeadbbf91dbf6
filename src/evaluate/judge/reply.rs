//! A judge's reply to one question.

use serde_json::{Map, Value};

use super::Asked;
use crate::{
    dataset::Sample,
    evaluate::{EvaluateError, Row},
    python::python_str,
};

/// What a judge said of a row.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'r> {
    /// The entry of the judge's predictions file: what it read, what it wrote, and the right answer.
    pub entry: &'r Map<String, Value>,
    /// What the judge was asked about.
    pub sample: &'r Sample,
    /// Index of the row.
    pub row: usize,
}

impl Judged<'_> {
    /// What the judge wrote.
    pub fn text(&self) -> String {
        self.entry.get("prediction").map(python_str).unwrap_or_default()
    }

    /// The right answer; an empty text where there is none.
    pub fn gold(&self) -> Value {
        self.entry.get("gold").cloned().unwrap_or_else(|| "".into())
    }

    /// A field of a right answer that is a record; `rule` needs it.
    pub(super) fn gold_field(
        &self,
        name: &'static str,
        rule: &'static str,
    ) -> Result<&Value, EvaluateError> {
        let found = self.entry.get("gold").and_then(|gold| gold.get(name));
        found.ok_or(EvaluateError::NoColumn { row: self.row, evaluator: rule, column: name })
    }

    /// The same as text.
    pub(super) fn gold_text(
        &self,
        name: &'static str,
        rule: &'static str,
    ) -> Result<String, EvaluateError> {
        self.gold_field(name, rule).map(python_str)
    }

    /// A field of the entry; null where it has none.
    pub(super) fn field(&self, name: &str) -> Value {
        self.entry.get(name).cloned().unwrap_or_default()
    }

    /// A column of what the judge was asked about; null where there is none.
    pub(super) fn column(&self, name: &str) -> Value {
        self.sample.get(name).cloned().unwrap_or_default()
    }
}

/// What a judge said of a row when it was first asked; nothing where it has not replied.
pub(super) fn first(row: &Row<'_>) -> Option<String> {
    let entry = row.judgements.first().filter(|entry| entry.get("error").is_none())?;
    Some(entry.get("prediction").map(python_str).unwrap_or_default())
}

/// The replies to what was asked about rows; an error if one is missing.
pub(super) fn of_rows<'r>(
    rows: &'r [Row<'_>],
    asked: &'r [Asked],
) -> Result<Vec<Judged<'r>>, EvaluateError> {
    let mut used = vec![0; rows.len()];
    let reply = |one: &'r Asked| {
        let entry = rows.get(one.row).zip(used.get_mut(one.row)).and_then(|(row, used)| {
            *used += 1;
            row.judgements.get(*used - 1)
        });
        let missing = |why| EvaluateError::NotJudged { row: one.row, why };
        let entry = entry.ok_or_else(|| missing(None))?;
        match entry.get("error") {
            Some(error) => Err(missing(Some(python_str(error)))),
            None => Ok(Judged { entry, sample: &one.sample, row: one.row }),
        }
    };
    asked.iter().map(reply).collect()
}
