//! Typed, suspicious reading of a checkpoint's `config.json`.
//!
//! A field that is absent or null falls back to the default of the family's config class in
//! transformers, where it has one. A field with a value the decoder cannot honour is refused by
//! name.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::model::error::ModelError;

/// Sizes beyond this are taken for damage rather than for a model.
const LARGEST_COUNT: u64 = 1 << 31;

/// One JSON object of a checkpoint, with the place it came from for messages.
#[derive(Clone, Debug)]
pub struct Config {
    path: PathBuf,
    prefix: String,
    fields: Map<String, Value>,
}

impl Config {
    /// Takes the object read from `path`.
    pub fn new(path: &Path, value: Value) -> Result<Self, ModelError> {
        match value {
            Value::Object(fields) => {
                Ok(Self { path: path.to_owned(), prefix: String::new(), fields })
            }
            other => Err(ModelError::Config {
                path: path.to_owned(),
                problem: format!("expected a JSON object, found {}", brief(&other)),
            }),
        }
    }

    /// The value of a field, unless it is absent or null.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field).filter(|value| !value.is_null())
    }

    /// The same under the usual names of its fields: `names` are pairs of a family's own name, which
    /// counts first, and the usual one.
    pub fn renamed(&self, names: &[(&str, &str)]) -> Self {
        let mut config = self.clone();
        for &(own, usual) in names {
            if let Some(value) = config.fields.remove(own) {
                config.fields.insert(usual.to_owned(), value);
            }
        }
        config
    }

    /// The same with `defaults` for the fields that are absent, but not for those that are null.
    pub fn filled<const N: usize>(&self, defaults: [(&str, Value); N]) -> Self {
        let mut config = self.clone();
        for (field, value) in defaults {
            config.fields.entry(field).or_insert(value);
        }
        config
    }

    /// The same with another value of a field.
    pub fn with(&self, field: &str, value: Value) -> Self {
        let mut config = self.clone();
        config.fields.insert(field.to_owned(), value);
        config
    }

    /// The same without some fields.
    pub fn without(&self, fields: &[&str]) -> Self {
        let mut config = self.clone();
        config.fields.retain(|field, _| !fields.contains(&field.as_str()));
        config
    }

    /// The same with the text `to` in a field of a nested object that has one of `from`.
    pub fn respelled(&self, object: &str, field: &str, from: &[&str], to: &str) -> Self {
        let mut config = self.clone();
        if let Some(value) = config.fields.get_mut(object).and_then(|value| value.get_mut(field))
            && value.as_str().is_some_and(|text| from.contains(&text))
        {
            *value = to.into();
        }
        config
    }

    /// Whether it has no fields but some of `names`.
    pub fn only_has(&self, names: &[&str]) -> bool {
        self.fields.keys().all(|field| names.contains(&field.as_str()))
    }

    /// The names of its fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// Whether no field is there.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// A nested object.
    pub fn object(&self, field: &str) -> Result<Option<Self>, ModelError> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(Self {
                path: self.path.clone(),
                prefix: format!("{}{field}.", self.prefix),
                fields: fields.clone(),
            })),
            Some(_) => Err(self.expected(field, "an object")),
        }
    }

    /// A positive number of something.
    pub fn count(&self, field: &str) -> Result<usize, ModelError> {
        self.optional_count(field)?.ok_or_else(|| self.missing(field))
    }

    /// A positive number of something, where the family's config class has a default.
    pub fn count_or(&self, field: &str, default: usize) -> Result<usize, ModelError> {
        Ok(self.optional_count(field)?.unwrap_or(default))
    }

    /// A positive number of something, if it is there.
    pub fn optional_count(&self, field: &str) -> Result<Option<usize>, ModelError> {
        self.get(field)
            .map(|value| {
                value
                    .as_u64()
                    .filter(|count| (1..=LARGEST_COUNT).contains(count))
                    .map(|count| count as usize)
                    .ok_or_else(|| self.expected(field, "a positive whole number"))
            })
            .transpose()
    }

    /// A number of something, zero included, where the family's config class has a default.
    pub fn count_or_zero(&self, field: &str, default: usize) -> Result<usize, ModelError> {
        match self.get(field).map(Value::as_u64) {
            Some(Some(0)) => Ok(0),
            _ => self.count_or(field, default),
        }
    }

    /// Whether a field is there and null, where that is not the same as its default.
    pub fn is_null(&self, field: &str) -> bool {
        self.fields.get(field).is_some_and(Value::is_null)
    }

    /// A finite number, if it is there.
    pub fn optional_number(&self, field: &str) -> Result<Option<f64>, ModelError> {
        self.get(field)
            .map(|value| value.as_f64().ok_or_else(|| self.expected(field, "a number")))
            .transpose()
    }

    /// A finite number, where the family's config class has a default.
    pub fn number_or(&self, field: &str, default: f64) -> Result<f64, ModelError> {
        Ok(self.optional_number(field)?.unwrap_or(default))
    }

    /// A number above zero, which must be there.
    pub fn positive(&self, field: &str) -> Result<f64, ModelError> {
        match self.optional_number(field)? {
            None => Err(self.missing(field)),
            Some(number) if number > 0.0 => Ok(number),
            Some(_) => Err(self.expected(field, "a number above zero")),
        }
    }

    /// A switch, where the family's config class has a default.
    pub fn flag_or(&self, field: &str, default: bool) -> Result<bool, ModelError> {
        match self.get(field) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.expected(field, "true or false")),
        }
    }

    /// A string, if it is there.
    pub fn text(&self, field: &str) -> Result<Option<&str>, ModelError> {
        self.get(field)
            .map(|value| value.as_str().ok_or_else(|| self.expected(field, "a string")))
            .transpose()
    }

    /// A list of finite numbers, if it is there.
    pub fn numbers(&self, field: &str) -> Result<Option<Vec<f64>>, ModelError> {
        self.get(field)
            .map(|value| {
                value
                    .as_array()
                    .and_then(|items| items.iter().map(Value::as_f64).collect())
                    .ok_or_else(|| self.expected(field, "a list of numbers"))
            })
            .transpose()
    }

    /// A list of strings, if it is there.
    pub fn texts(&self, field: &str) -> Result<Option<Vec<&str>>, ModelError> {
        self.get(field)
            .map(|value| {
                value
                    .as_array()
                    .and_then(|items| items.iter().map(Value::as_str).collect())
                    .ok_or_else(|| self.expected(field, "a list of strings"))
            })
            .transpose()
    }

    /// A list of places, counted from 0, if it is there.
    pub fn places(&self, field: &str) -> Result<Option<Vec<usize>>, ModelError> {
        self.get(field)
            .map(|value| {
                value
                    .as_array()
                    .and_then(|items| {
                        items.iter().map(|item| item.as_u64().map(|place| place as usize)).collect()
                    })
                    .ok_or_else(|| self.expected(field, "a list of whole numbers"))
            })
            .transpose()
    }

    /// Refuses a `field` that is there with another value than `text`.
    pub fn only_text(&self, field: &str, text: &str) -> Result<(), ModelError> {
        match self.text(field)? {
            None => Ok(()),
            Some(found) if found == text => Ok(()),
            Some(_) => Err(self.unsupported(field)),
        }
    }

    /// The refusal of what `field` asks for.
    pub fn unsupported(&self, field: &str) -> ModelError {
        let value =
            self.fields.get(field).map_or_else(String::new, |value| format!(" = {}", brief(value)));
        ModelError::Unsupported {
            path: self.path.clone(),
            what: format!("`{}{field}`{value}", self.prefix),
        }
    }

    /// The refusal of a checkpoint that is `what`, with the way to one that is read.
    pub(super) fn foreign(&self, what: &str, advice: &str) -> ModelError {
        let (what, advice) = (what.to_owned(), advice.to_owned());
        ModelError::Foreign { path: self.path.clone(), what, advice }
    }

    /// The complaint that `field` is not `what` it should be.
    pub fn expected(&self, field: &str, what: &str) -> ModelError {
        let found = self.fields.get(field).map_or_else(|| "nothing".to_owned(), brief);
        ModelError::Config {
            path: self.path.clone(),
            problem: format!("`{}{field}` should be {what}, found {found}", self.prefix),
        }
    }

    fn missing(&self, field: &str) -> ModelError {
        ModelError::Config {
            path: self.path.clone(),
            problem: format!("`{}{field}` is missing", self.prefix),
        }
    }
}

/// A value in a message: whole when short, cut when long.
fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn damaged_fields_are_named() {
        let config = Config::new(
            Path::new("m/config.json"),
            json!({"a": -1, "b": 1e300, "c": {"d": "x"}, "e": null}),
        )
        .unwrap();
        for field in ["a", "b", "c"] {
            let message = config.count(field).unwrap_err().to_string();
            assert!(message.contains(&format!("`{field}` should be")), "{message}");
        }
        assert_eq!(config.count_or("e", 7).unwrap(), 7);
        let nested = config.object("c").unwrap().unwrap();
        let message = nested.unsupported("d").to_string();
        assert!(message.contains("`c.d` = \"x\""), "{message}");
    }
}
