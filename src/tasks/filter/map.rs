//! `map`: another value for each answer that a mapping knows, and one for all others.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{super::field::Row, Filter, each, parameters};
use crate::tasks::value::TaskValue;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct Parameters {
    mapping_dict: Option<Map<String, Value>>,
    default_value: Value,
}

struct Mapping {
    values: Map<String, Value>,
    other: TaskValue,
}

pub(super) fn build(keys: Map<String, Value>) -> Result<Box<dyn Filter>, String> {
    let Parameters { mapping_dict, default_value } = parameters(keys)?;
    let other = TaskValue::from(&default_value);
    Ok(Box::new(Mapping { values: mapping_dict.unwrap_or_default(), other }))
}

impl Filter for Mapping {
    fn apply(&self, answers: Vec<TaskValue>, _: &[&Row]) -> Result<Vec<TaskValue>, String> {
        each(answers, |answer| match answer {
            TaskValue::Text(text) => {
                Ok(self.values.get(&text).map_or_else(|| self.other.clone(), TaskValue::from))
            }
            other => Err(format!("map: an answer is no text: {}", other.python_repr())),
        })
    }
}
