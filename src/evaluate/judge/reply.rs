//! A judge's reply to one row.

use serde_json::{Map, Value};

use crate::{dataset::Sample, python::python_str};

/// What a judge said of a row.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'r> {
    /// The entry of the judge's predictions file: what it read, what it wrote, and the right answer.
    pub entry: &'r Map<String, Value>,
    /// What the judge was asked about.
    pub sample: &'r Sample,
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

    /// A field of the entry; null where it has none.
    pub(super) fn field(&self, name: &str) -> Value {
        self.entry.get(name).cloned().unwrap_or_default()
    }

    /// A column of what the judge was asked about; null where there is none.
    pub(super) fn column(&self, name: &str) -> Value {
        self.sample.get(name).cloned().unwrap_or_default()
    }
}
