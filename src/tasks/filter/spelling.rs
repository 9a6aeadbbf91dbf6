//! `lowercase`, `uppercase`, `remove_whitespace`: the same text in another spelling.

use serde_json::{Map, Value};

use super::{super::field::Row, Filter, each, parameters, selection::Nothing};
use crate::{python::blank::strip, tasks::value::TaskValue};

/// Another spelling of a text.
struct Spelling(fn(&str) -> String);

fn build(keys: Map<String, Value>, spelling: Spelling) -> Result<Box<dyn Filter>, String> {
    parameters::<Nothing>(keys).map(|Nothing {}| Box::new(spelling) as _)
}

pub(super) fn lowercase(keys: Map<String, Value>) -> Result<Box<dyn Filter>, String> {
    build(keys, Spelling(str::to_lowercase))
}

pub(super) fn uppercase(keys: Map<String, Value>) -> Result<Box<dyn Filter>, String> {
    build(keys, Spelling(str::to_uppercase))
}

pub(super) fn remove_whitespace(keys: Map<String, Value>) -> Result<Box<dyn Filter>, String> {
    build(keys, Spelling(|text| strip(text).to_owned()))
}

impl Filter for Spelling {
    fn apply(&self, answers: Vec<TaskValue>, _: &[&Row]) -> Result<Vec<TaskValue>, String> {
        each(answers, |answer| match answer {
            TaskValue::Text(text) => Ok(TaskValue::Text((self.0)(&text))),
            other => Err(format!("an answer is no text: {}", other.python_repr())),
        })
    }
}
