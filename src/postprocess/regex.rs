//! `regex`: what a pattern of the config captures; and `match_answer_pattern`, its OpenCompass form.

use serde::Deserialize;
use serde_json::Value;

use super::{PostprocessError, Postprocessor, python_regex::PythonRegex};
use crate::{
    config::{Component, ConfigError, Origin},
    dataset::Sample,
};

/// `match_answer_pattern(answer_pattern)`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerPattern {
    answer_pattern: String,
}

/// `regex(pattern, group=1, on_missing='empty')`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    pattern: String,
    #[serde(default)]
    group: Group,
    #[serde(default)]
    on_missing: OnMissing,
}

/// Which part of a match is the answer: a group's number (0 is the whole match) or its name.
#[derive(Deserialize)]
#[serde(untagged)]
enum Group {
    Number(usize),
    Name(String),
}

impl Default for Group {
    fn default() -> Self {
        Self::Number(1)
    }
}

/// What a text without a match becomes.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OnMissing {
    /// The empty text.
    #[default]
    Empty,
    /// The text itself.
    Text,
    /// An error: the sample fails.
    Error,
}

/// Captures part of an answer by a Python regular expression.
pub(super) struct Regex {
    pattern: PythonRegex,
    group: Group,
    on_missing: OnMissing,
}

impl Regex {
    /// Reads `pattern`, `group` (default 1) and `on_missing` (`'empty'`, `'text'` or `'error'`).
    pub(super) fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
        let Parameters { pattern, group, on_missing } = component.read()?;
        Ok(Box::new(Self::new(&pattern, group, on_missing, &component.origin)?))
    }

    /// Reads `answer_pattern`; group 1 is the answer, and no match gives the empty text.
    pub(super) fn build_answer_pattern(
        component: &Component,
    ) -> Result<Box<dyn Postprocessor>, ConfigError> {
        let AnswerPattern { answer_pattern } = component.read()?;
        let group = Group::default();
        Ok(Box::new(Self::new(&answer_pattern, group, OnMissing::Empty, &component.origin)?))
    }

    fn new(
        pattern: &str,
        group: Group,
        on_missing: OnMissing,
        origin: &Origin,
    ) -> Result<Self, ConfigError> {
        let pattern = PythonRegex::new(pattern).map_err(|error| error.at(origin))?;
        let is_there = match &group {
            Group::Number(number) => *number < pattern.groups(),
            Group::Name(name) => pattern.group_names().any(|known| known == name),
        };
        if !is_there {
            let message = format!("the pattern {:?} has no group {group}", pattern.as_str());
            let hint = "put the answer in parentheses, or set group=0 for the whole match";
            return Err(ConfigError::at(origin, message).with_hint(hint));
        }
        Ok(Self { pattern, group, on_missing })
    }
}

impl Postprocessor for Regex {
    fn process(&self, text: &str, _sample: &Sample) -> Result<Value, PostprocessError> {
        if let Some(captures) = self.pattern.search(text)? {
            let group = match &self.group {
                Group::Number(number) => captures.get(*number),
                Group::Name(name) => captures.name(name),
            };
            // A group on a branch not taken is None, as in Python.
            return Ok(group.map_or(Value::Null, |found| Value::from(found.as_str())));
        }
        match self.on_missing {
            OnMissing::Empty => Ok(Value::from("")),
            OnMissing::Text => Ok(Value::from(text)),
            OnMissing::Error => Err(PostprocessError::NothingFound {
                processor: "regex",
                missing: format!("match of {:?}", self.pattern.as_str()),
                text: text.to_owned(),
            }),
        }
    }
}

impl std::fmt::Display for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "{name:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Node;

    fn built(json: &Value) -> Result<Box<dyn Postprocessor>, ConfigError> {
        Regex::build(&Component::parse(&Node::from_json(json))?)
    }

    fn processed(json: &Value, text: &str) -> Value {
        built(json).unwrap().process(text, &Sample::default()).unwrap()
    }

    #[test]
    fn a_group_is_chosen_by_number_or_name() {
        let by_number = json!({"type": "regex", "pattern": r"(\d+) of (\d+)", "group": 2});
        assert_eq!(processed(&by_number, "3 of 7"), "7");
        let by_name = json!({"type": "regex", "pattern": r"is (?P<x>\w)", "group": "x"});
        assert_eq!(processed(&by_name, "it is B"), "B");
        assert_eq!(processed(&by_name, "no"), "");
    }

    #[test]
    fn a_missing_match_does_what_the_config_says() {
        let keep = json!({"type": "regex", "pattern": "x", "group": 0, "on_missing": "text"});
        assert_eq!(processed(&keep, "abc"), "abc");
        let fail = json!({"type": "regex", "pattern": "x", "group": 0, "on_missing": "error"});
        assert!(built(&fail).unwrap().process("abc", &Sample::default()).is_err());
    }

    #[test]
    fn a_group_that_is_not_there_is_an_error_of_the_config() {
        let error = built(&json!({"type": "regex", "pattern": "x"})).err().unwrap();
        assert!(error.to_string().contains(r#"the pattern "x" has no group 1"#));
    }
}
