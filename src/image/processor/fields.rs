//! Fields of a file of settings, each of which is read or refused.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::ProcessorError;
use crate::image::Filter;

/// Fields that say how transformers is called, or repeat what another file says. They change no number.
const WITHOUT_EFFECT: [&str; 12] = [
    "_valid_processor_keys",
    "auto_map",
    "data_format",
    "default_to_square",
    "device",
    "disable_grouping",
    "image_seq_length",
    "input_data_format",
    "processor_class",
    "return_row_col_info",
    "return_tensors",
    "transformers_version",
];

/// The fields of a class.
pub(super) struct Fields<'a> {
    file: &'static str,
    /// What stands before their names in messages.
    prefix: &'static str,
    map: &'a Map<String, Value>,
    read: BTreeSet<&'static str>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        file: &'static str,
        prefix: &'static str,
        value: &'a Value,
    ) -> Result<Self, ProcessorError> {
        let Some(map) = value.as_object() else {
            let field = prefix.trim_end_matches('.').to_owned();
            let problem = "must be an object".to_owned();
            return Err(ProcessorError::Field { file, field, problem });
        };
        Ok(Self { file, prefix, map, read: BTreeSet::new() })
    }

    /// What is wrong with a field, in words.
    pub(super) fn wrong(&self, name: &str, problem: String) -> ProcessorError {
        ProcessorError::Field { file: self.file, field: format!("{}{name}", self.prefix), problem }
    }

    /// A field's value, which may be null as well as not there.
    pub(super) fn optional(&mut self, name: &'static str) -> Option<&'a Value> {
        self.read.insert(name);
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// A field's value. Null is none, and not what the class has where the field is not there.
    pub(super) fn value(
        &mut self,
        name: &'static str,
    ) -> Result<Option<&'a Value>, ProcessorError> {
        self.read.insert(name);
        match self.map.get(name) {
            Some(Value::Null) => {
                Err(self.wrong(name, "is null; remove it, or give it a value".into()))
            }
            value => Ok(value),
        }
    }

    fn parsed<T>(
        &mut self,
        name: &'static str,
        wanted: &str,
        parse: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, ProcessorError> {
        let Some(value) = self.value(name)? else { return Ok(None) };
        parse(value)
            .map(Some)
            .ok_or_else(|| self.wrong(name, format!("must be {wanted}, and is {value}")))
    }

    pub(super) fn text(&mut self, name: &'static str) -> Result<Option<String>, ProcessorError> {
        let Some(value) = self.optional(name) else { return Ok(None) };
        let text = value.as_str().map(str::to_owned);
        text.map(Some).ok_or_else(|| self.wrong(name, format!("must be a text, and is {value}")))
    }

    /// True or false; null is false.
    pub(super) fn flag(
        &mut self,
        name: &'static str,
        default: bool,
    ) -> Result<bool, ProcessorError> {
        if self.map.get(name).is_some_and(Value::is_null) {
            self.read.insert(name);
            return Ok(false);
        }
        Ok(self.parsed(name, "true or false", Value::as_bool)?.unwrap_or(default))
    }

    /// A whole number from 1 to 2³¹ on.
    pub(super) fn count(&mut self, name: &'static str) -> Result<Option<usize>, ProcessorError> {
        self.parsed(name, "a whole number above 0", count)
    }

    /// A finite number above 0.
    pub(super) fn factor(
        &mut self,
        name: &'static str,
        default: f64,
    ) -> Result<f64, ProcessorError> {
        let above_zero = |value: &Value| value.as_f64().filter(|it| it.is_finite() && *it > 0.0);
        Ok(self.parsed(name, "a number above 0", above_zero)?.unwrap_or(default))
    }

    /// A number for each channel; one number stands for all.
    pub(super) fn channels(
        &mut self,
        name: &'static str,
        default: [f64; 3],
    ) -> Result<[f64; 3], ProcessorError> {
        let channels = |value: &Value| match value {
            Value::Array(numbers) => {
                let numbers: Option<Vec<f64>> = numbers.iter().map(Value::as_f64).collect();
                <[f64; 3]>::try_from(numbers?).ok()
            }
            number => Some([number.as_f64()?; 3]),
        };
        Ok(self.parsed(name, "three numbers", channels)?.unwrap_or(default))
    }

    pub(super) fn filter(&mut self, default: Filter) -> Result<Filter, ProcessorError> {
        let filter = |value: &Value| Filter::by_number(value.as_u64()?);
        let wanted = "a number from 0 to 5, which Pillow has for a filter";
        Ok(self.parsed("resample", wanted, filter)?.unwrap_or(default))
    }

    /// A field that must have its default, because the other way is not known here.
    pub(super) fn only(&mut self, name: &'static str, known: bool) -> Result<(), ProcessorError> {
        if self.flag(name, known)? == known {
            return Ok(());
        }
        Err(self.wrong(name, format!("is {}, and only {known} is supported", !known)))
    }

    /// Fields that have no effect in this class.
    pub(super) fn pass_over(&mut self, names: &[&'static str]) {
        self.read.extend(names);
    }

    /// Refuses fields that were not read.
    pub(super) fn finish(self) -> Result<(), ProcessorError> {
        let is_unknown = |name: &&String| {
            !self.read.contains(name.as_str()) && !WITHOUT_EFFECT.contains(&name.as_str())
        };
        let mut unknown =
            self.map.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name);
        match unknown.find(is_unknown) {
            None => Ok(()),
            Some(name) => {
                Err(self.wrong(name, "is not known for this class, and might change images".into()))
            }
        }
    }
}

/// A whole number from 1 to 2³¹ on.
pub(super) fn count(value: &Value) -> Option<usize> {
    // Sizes are sometimes stored as 336.0.
    let number = value
        .as_u64()
        .or_else(|| value.as_f64().filter(|it| it.fract() == 0.0).map(|it| it as u64))?;
    usize::try_from(number).ok().filter(|count| (1..=1 << 31).contains(count))
}
