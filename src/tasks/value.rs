//! What scoring passes on: values of Python, as lm-eval's filters and metrics give them.
//!
//! JSON is not enough, because a log-likelihood may be infinite and a mean may be no number, and it matters what is
//! written: a whole number is `1`, a float `1.0`. Files have lists for tuples; functions of Python may tell them apart.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::python::{write_float, write_text};

/// A value of Python.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskValue {
    /// `None`.
    None,
    /// A truth value.
    Truth(bool),
    /// A whole number.
    Whole(i128),
    /// A float; it may be infinite or no number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<TaskValue>),
    /// A tuple.
    Tuple(Vec<TaskValue>),
    /// A dict with texts as keys, in their order.
    Mapping(IndexMap<String, TaskValue>),
}

impl TaskValue {
    /// As a number: a truth value is 0 or 1.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Truth(truth) => Some(f64::from(u8::from(*truth))),
            Self::Whole(whole) => Some(*whole as f64),
            Self::Float(float) => Some(*float),
            _ => None,
        }
    }

    /// As a whole number: a truth value is 0 or 1, a float is none.
    pub fn whole(&self) -> Option<i128> {
        match self {
            Self::Truth(truth) => Some(i128::from(*truth)),
            Self::Whole(whole) => Some(*whole),
            _ => None,
        }
    }

    /// Whether Python takes it for true: no zero, and nothing empty.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::None => false,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) | Self::Tuple(items) => !items.is_empty(),
            Self::Mapping(entries) => !entries.is_empty(),
            number => number.number() != Some(0.0),
        }
    }

    /// As a text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// As JSON; a tuple is a list, and a float that is infinite or no number is its name.
    pub fn to_json(&self) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Truth(truth) => (*truth).into(),
            Self::Whole(whole) => match i64::try_from(*whole) {
                Ok(whole) => whole.into(),
                Err(_) => whole.to_string().into(),
            },
            Self::Float(float) if float.is_finite() => (*float).into(),
            Self::Float(_) => self.python_str().into(),
            Self::Text(text) => text.clone().into(),
            Self::List(items) | Self::Tuple(items) => items.iter().map(Self::to_json).collect(),
            Self::Mapping(entries) => {
                entries.iter().map(|(key, value)| (key.clone(), value.to_json())).collect()
            }
        }
    }

    /// The items of a list or a tuple.
    pub fn list(&self) -> Option<&[TaskValue]> {
        match self {
            Self::List(items) | Self::Tuple(items) => Some(items),
            _ => None,
        }
    }

    /// What Python's `for` goes through: items, letters, keys.
    ///
    /// # Errors
    ///
    /// Where the value holds nothing to go through.
    pub(super) fn items(&self) -> Result<Vec<TaskValue>, String> {
        match self {
            Self::List(items) | Self::Tuple(items) => Ok(items.clone()),
            Self::Text(text) => {
                Ok(text.chars().map(|letter| Self::Text(letter.to_string())).collect())
            }
            Self::Mapping(entries) => Ok(entries.keys().cloned().map(Self::Text).collect()),
            other => Err(format!("a list is expected, not {}", other.python_repr())),
        }
    }

    /// `str(value)`: a text is itself, all else its `repr`.
    pub fn python_str(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            other => other.python_repr(),
        }
    }

    /// `repr(value)`.
    pub fn python_repr(&self) -> String {
        let mut text = String::new();
        self.write_repr(&mut text);
        text
    }

    fn write_repr(&self, out: &mut String) {
        let separator = |index: usize| if index == 0 { "" } else { ", " };
        match self {
            Self::None => out.push_str("None"),
            Self::Truth(true) => out.push_str("True"),
            Self::Truth(false) => out.push_str("False"),
            Self::Whole(whole) => out.push_str(&whole.to_string()),
            Self::Float(float) => write_float(out, *float),
            Self::Text(text) => write_text(out, text),
            Self::List(items) | Self::Tuple(items) => {
                let is_tuple = matches!(self, Self::Tuple(_));
                out.push(if is_tuple { '(' } else { '[' });
                for (index, item) in items.iter().enumerate() {
                    out.push_str(separator(index));
                    item.write_repr(out);
                }
                // A tuple of one has a comma.
                out.push_str(match (is_tuple, items.len()) {
                    (true, 1) => ",)",
                    (true, _) => ")",
                    (false, _) => "]",
                });
            }
            Self::Mapping(entries) => {
                out.push('{');
                for (index, (key, item)) in entries.iter().enumerate() {
                    out.push_str(separator(index));
                    write_text(out, key);
                    out.push_str(": ");
                    item.write_repr(out);
                }
                out.push('}');
            }
        }
    }
}

impl From<&Value> for TaskValue {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::None,
            Value::Bool(truth) => Self::Truth(*truth),
            Value::Number(number) => {
                let whole = number.as_i64().map(i128::from);
                match whole.or_else(|| number.as_u64().map(i128::from)) {
                    Some(whole) => Self::Whole(whole),
                    None => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
                }
            }
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(fields) => Self::from(fields),
        }
    }
}

impl From<&Map<String, Value>> for TaskValue {
    fn from(fields: &Map<String, Value>) -> Self {
        let entries = fields.iter().map(|(key, value)| (key.clone(), Self::from(value)));
        Self::Mapping(entries.collect())
    }
}

impl From<f64> for TaskValue {
    fn from(float: f64) -> Self {
        Self::Float(float)
    }
}

impl From<&str> for TaskValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        let value = TaskValue::from(&json!([1, 1.0, true, null, "it's", {"a": [-0.5]}]));
        assert_eq!(value.python_str(), r#"[1, 1.0, True, None, "it's", {'a': [-0.5]}]"#);
        let list = TaskValue::List(vec![f64::NEG_INFINITY.into(), f64::NAN.into()]);
        assert_eq!(list.python_repr(), "[-inf, nan]");
        assert_eq!(TaskValue::Tuple(vec!["a".into()]).python_repr(), "('a',)");
    }

    #[test]
    fn texts_are_gone_through_letter_by_letter() {
        let letters = TaskValue::from("añ").items();
        assert_eq!(letters, Ok(vec!["a".into(), "ñ".into()]));
        assert!(TaskValue::Whole(1).items().is_err());
    }
}
