//! The keys of a task file, each taken as what it should be.

use serde_json::{Map, Value};

use super::{TaskError, field::Field, yaml::FUNCTION};
use crate::config::functions::{Function, FunctionFiles};

/// The keys of a task while they are taken.
pub(super) struct Keys<'a> {
    pub(super) files: &'a FunctionFiles,
    pub(super) task: &'a str,
    pub(super) fields: &'a Map<String, Value>,
}

impl Keys<'_> {
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn wrong<T>(&self, key: &str, expected: &str) -> Result<T, TaskError> {
        Err(TaskError::task(self.task, format!("`{key}` is expected to be {expected}")))
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<String>, TaskError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            // A config of a data set may be called 2023.
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(_) => self.wrong(key, "text"),
        }
    }

    pub(super) fn count(&self, key: &str) -> Result<Option<usize>, TaskError> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => match value.as_u64().and_then(|count| usize::try_from(count).ok()) {
                Some(count) => Ok(Some(count)),
                None => self.wrong(key, "a whole number"),
            },
        }
    }

    pub(super) fn mapping(&self, key: &str) -> Result<Map<String, Value>, TaskError> {
        match self.get(key) {
            None => Ok(Map::new()),
            Some(Value::Object(fields)) => Ok(fields.clone()),
            Some(_) => self.wrong(key, "a mapping"),
        }
    }

    pub(super) fn function(&self, key: &str) -> Result<Option<Function>, TaskError> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => match value.get(FUNCTION).and_then(Value::as_str) {
                Some(reference) => Ok(Some(self.files.function(reference))),
                None => self.wrong(key, "a function"),
            },
        }
    }

    pub(super) fn field(&self, key: &str) -> Result<Option<Field>, TaskError> {
        self.get(key).map(|value| Field::new(self.task, key, value, self.files)).transpose()
    }
}
