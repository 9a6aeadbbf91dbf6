//! `last_option`: the option letter that an answer mentions last.

use serde::Deserialize;
use serde_json::Value;

use super::{
    PostprocessError, Postprocessor,
    python_regex::{PatternError, PythonRegex},
};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    options: String,
}

/// Takes the last character that is one of the options; nothing gives the empty text.
pub(super) struct LastOption {
    option: PythonRegex,
}

impl LastOption {
    /// Reads `options`: the letters, as one string.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
        let Parameters { options } = component.read()?;
        let built = Self::new(&options).map_err(|error| error.at(&component.origin))?;
        Ok(Box::new(built))
    }

    fn new(options: &str) -> Result<Self, PatternError> {
        // A class, as OpenCompass builds one, so that ranges such as `A-E` mean the same.
        Ok(Self { option: PythonRegex::new(&format!("[{options}]"))? })
    }
}

impl Postprocessor for LastOption {
    fn process(&self, text: &str, _sample: &Sample) -> Result<Value, PostprocessError> {
        Ok(Value::from(self.option.last(text)?.unwrap_or_default()))
    }

    fn gives(&self, answer: &str) -> Option<bool> {
        Some(self.option.last(answer).ok()?.is_some_and(|last| last == answer))
    }
}
