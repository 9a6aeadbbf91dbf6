//! One row of a data set.

use std::sync::Arc;

use serde_json::Value;

use super::RepeatedKeys;

/// A row: named columns in the order of the data set, which is the order in which fields are filled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    columns: Vec<(String, Value)>,
    /// The column whose value stands in for a list or a record that must not be looked into.
    hidden: Option<Box<str>>,
    /// Keys whose first value is lost.
    repeated_keys: Option<Arc<RepeatedKeys>>,
}

impl Sample {
    /// A row of these columns, in this order.
    pub fn new(columns: Vec<(String, Value)>) -> Self {
        Self { columns, hidden: None, repeated_keys: None }
    }

    /// The same row, told which keys stood twice in it.
    pub(super) fn repeating(self, keys: Option<Arc<RepeatedKeys>>) -> Self {
        Self { repeated_keys: keys, ..self }
    }

    /// The keys that stood twice in the row as its file has it, if any did. The last value of each is the column's.
    pub fn repeated_keys(&self) -> Option<&Arc<RepeatedKeys>> {
        self.repeated_keys.as_ref()
    }

    /// The value of a column.
    pub fn get(&self, column: &str) -> Option<&Value> {
        self.columns.iter().find(|(name, _)| name == column).map(|(_, value)| value)
    }

    /// Replaces a column's value in place, or appends the column if it is new.
    pub fn set(&mut self, column: &str, value: Value) {
        match self.columns.iter_mut().find(|(name, _)| name == column) {
            Some((_, slot)) => *slot = value,
            None => self.columns.push((column.to_owned(), value)),
        }
    }

    /// The same row with `stand_in` for the value of a column that a prompt must not show.
    pub fn with_hidden(&self, column: &str, stand_in: &str) -> Self {
        let is_deep = matches!(self.get(column), Some(Value::Array(_) | Value::Object(_)));
        let mut row = Self { hidden: is_deep.then(|| column.into()), ..self.clone() };
        row.set(column, stand_in.into());
        row
    }

    /// Whether the value of a column stands in for a list or a record.
    pub fn hides(&self, column: &str) -> bool {
        self.hidden.as_deref() == Some(column)
    }

    /// Columns in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.columns.iter().map(|(name, value)| (name.as_str(), value))
    }
}

/// Whether a text of a cell, however deep in lists and records, is one of these.
pub(crate) fn has_text(cell: &Value, is_it: &impl Fn(&str) -> bool) -> bool {
    match cell {
        Value::String(text) => is_it(text),
        Value::Array(items) => items.iter().any(|item| has_text(item, is_it)),
        Value::Object(fields) => fields.values().any(|value| has_text(value, is_it)),
        _ => false,
    }
}
