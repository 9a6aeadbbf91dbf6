//! `llm4mat`: the value of one property of a material, which an answer gives as JSON.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    PostprocessError, Postprocessor, Processed, blank::strip, model_marks::after_finished_thoughts,
    python_regex::PythonRegex,
};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
    python::{parse_float, python_str},
};

/// The parameters of `LLM4Mat_postprocessor`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    property: String,
}

/// What a property's values are.
#[derive(Clone, Copy)]
enum Kind {
    Number,
    Gap,
    Truth,
}

/// Reads the value of a property.
pub(super) struct Llm4Mat {
    property: String,
    kind: Kind,
    fence: PythonRegex,
    entry: PythonRegex,
}

impl Llm4Mat {
    /// Reads `property`: the key of the value.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
        let Parameters { property } = component.read()?;
        let kind = match property.as_str() {
            "Direct_or_indirect" | "Direct_or_indirect_HSE" => Kind::Gap,
            "SOC" | "is_gap_direct" | "is_stable" => Kind::Truth,
            _ => Kind::Number,
        };
        let key = escaped(&property);
        let entry = format!(r#"(?is)\{{[^{{}}]*["']?{key}["']?\s*:\s*["']?(.*?)["']?\s*\}}"#);
        let compile =
            |pattern: &str| PythonRegex::new(pattern).map_err(|error| error.at(&component.origin));
        let fence = compile(r"(?im)^```(?:json)?\s*|\s*```$")?;
        Ok(Box::new(Self { property, kind, fence, entry: compile(&entry)? }))
    }

    /// The value under the key of a JSON object; nothing if the text is none or the key is not there.
    fn json_value(&self, text: &str) -> Option<Value> {
        let data: Value = serde_json::from_str(text).ok()?;
        let raw = data.as_object()?.get(&self.property)?;
        match raw {
            Value::Bool(flag) => Some(json!(f64::from(u8::from(*flag)))),
            Value::Number(number) => number.as_f64().map(Value::from),
            other if matches!(self.kind, Kind::Number) => Some(python_str(other).into()),
            other => Some(self.option(&python_str(other))),
        }
    }

    /// The option that a text names, as it is written in the data set, or nothing.
    fn option(&self, raw: &str) -> Value {
        let raw = raw.to_lowercase();
        match (self.kind, raw.as_str()) {
            (Kind::Gap, "indirect") => "Indirect",
            (Kind::Gap, "direct") => "Direct",
            (Kind::Truth, "true" | "yes") => "True",
            (Kind::Truth, "false" | "no") => "False",
            _ => "",
        }
        .into()
    }
}

impl Postprocessor for Llm4Mat {
    /// The number as a float (what is no finite number, as Python writes it), the option or nothing.
    fn process(&self, text: &str, _sample: &Sample) -> Processed {
        let text = after_finished_thoughts(strip(text))?;
        let text = self.fence.replace(strip(&text), "")?;
        if let Some(value) = self.json_value(&text) {
            return Ok(value);
        }
        let Some(raw) = self.entry.first(&text)? else { return Ok("".into()) };
        let raw = strip(raw).trim_matches('"');
        Ok(match self.kind {
            Kind::Number => match parse_float(raw) {
                Some(number) if number.is_nan() => "nan".into(),
                Some(number) if number.is_infinite() => {
                    if number > 0.0 { "inf" } else { "-inf" }.into()
                }
                Some(number) => json!(number),
                None => "".into(),
            },
            Kind::Gap | Kind::Truth => self.option(raw),
        })
    }

    fn process_other(&self, _value: &Value, _sample: &Sample) -> Result<Value, PostprocessError> {
        Ok("".into())
    }
}

/// `re.escape` for the keys of JSON.
fn escaped(key: &str) -> String {
    let mut pattern = String::with_capacity(key.len());
    for character in key.chars() {
        if character.is_ascii() && !character.is_ascii_alphanumeric() && character != '_' {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}
