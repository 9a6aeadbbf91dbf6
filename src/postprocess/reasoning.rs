//! `without_reasoning` and `think_pred`: the answer behind a model's thoughts.

use serde::Deserialize;
use serde_json::Value;

use super::{PostprocessError, Postprocessor, blank::strip, python_regex::PythonRegex};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
};

/// Removes what stands between two tokens.
pub(super) struct WithoutReasoning {
    start: String,
    end: String,
    thoughts: PythonRegex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tokens {
    #[serde(default = "start_token")]
    think_start_token: String,
    #[serde(default = "end_token")]
    think_end_token: String,
}

fn start_token() -> String {
    "<think>".to_owned()
}

fn end_token() -> String {
    "</think>".to_owned()
}

impl WithoutReasoning {
    /// Reads `think_start_token` and `think_end_token` (default `<think>`, `</think>`).
    pub(super) fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
        let Tokens { think_start_token: start, think_end_token: end } = component.read()?;
        let thoughts = PythonRegex::dotall(&format!("{start}(.*?){end}"))
            .map_err(|error| error.at(&component.origin))?;
        Ok(Box::new(Self { start, end, thoughts }))
    }
}

impl Postprocessor for WithoutReasoning {
    /// Chat templates may have opened the thoughts already in the prompt, so a text with only an end
    /// token is cut there. Thoughts that never end are kept.
    fn process(&self, text: &str, _sample: &Sample) -> Result<Value, PostprocessError> {
        if let Some((_, answer)) = text.rsplit_once(&self.end)
            && !text.contains(&self.start)
        {
            return Ok(Value::from(strip(answer)));
        }
        Ok(Value::from(strip(&self.thoughts.replace(text, "")?)))
    }
}

/// Takes what a pattern captures, without blanks around it, or the whole text.
pub(super) struct ThinkPred {
    pattern: PythonRegex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pattern {
    re_pattern: String,
}

impl ThinkPred {
    /// Reads `re_pattern`, which needs a group.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
        let Pattern { re_pattern } = component.read()?;
        let pattern = PythonRegex::new(&re_pattern).map_err(|error| error.at(&component.origin))?;
        if pattern.groups() < 2 {
            let message = format!("re_pattern {re_pattern:?} has no group");
            return Err(ConfigError::at(&component.origin, message)
                .with_hint("put the part that is wanted in parentheses"));
        }
        Ok(Box::new(Self { pattern }))
    }
}

impl Postprocessor for ThinkPred {
    fn process(&self, text: &str, _sample: &Sample) -> Result<Value, PostprocessError> {
        let captures = self.pattern.search(text)?;
        let answer = captures.and_then(|captures| captures.get(1));
        Ok(Value::from(answer.map_or(text, |answer| strip(answer.as_str()))))
    }
}
