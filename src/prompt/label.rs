//! A candidate's name.

use std::fmt;

use serde_json::Value as Json;

use crate::{
    config::{Node, Value},
    python::python_str,
};

/// A candidate of a label template: a string as a rule, an integer in some data sets. Kept as a JSON
/// scalar because that is what it is compared with and written as.
#[derive(Clone, Debug, PartialEq)]
pub struct Label(Json);

impl Label {
    /// The label a JSON value names.
    pub fn new(value: Json) -> Self {
        Self(value)
    }

    /// The label a dict key names; `None` when the key is not a scalar.
    pub fn from_node(key: &Node) -> Option<Self> {
        let value = match &key.value {
            Value::None => Json::Null,
            Value::Bool(flag) => (*flag).into(),
            Value::Int(number) => (*number).into(),
            Value::Float(number) => (*number).into(),
            Value::Str(text) => text.as_str().into(),
            _ => return None,
        };
        Some(Self(value))
    }

    /// As JSON.
    pub fn json(&self) -> &Json {
        &self.0
    }

    /// Whether a value of the data names this label. Python's dict lookup: `1` finds the label `1`,
    /// not the label `'1'`.
    pub fn names(&self, value: &Json) -> bool {
        match (self.0.as_f64(), value.as_f64()) {
            (Some(left), Some(right)) => left.total_cmp(&right).is_eq(),
            _ => self.0 == *value,
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&python_str(&self.0))
    }
}
