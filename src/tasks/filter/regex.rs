//! `regex`: one of what a pattern finds in an answer, and what stands for nothing.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{super::field::Row, Filter, each, parameters, place};
use crate::{
    python::blank::strip,
    python::regex::{Flags, Pattern, group_text},
    tasks::value::TaskValue,
};

/// What lm-eval looks for where no pattern is given.
pub(super) const PATTERN: &str = r"#### (\-?[0-9\.\,]+)";

/// What stands for an answer in which nothing is found.
pub(super) const INVALID: &str = "[invalid]";

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Parameters {
    regex_pattern: String,
    group_select: i64,
    fallback: Value,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { regex_pattern: PATTERN.to_owned(), group_select: 0, fallback: INVALID.into() }
    }
}

struct Regex {
    found: Found,
    fallback: TaskValue,
}

/// One match among all: `regex.findall(text)[group_select]`.
pub(super) struct Found {
    pattern: Pattern,
    select: i64,
}

/// What a match is.
pub(super) enum Match {
    /// A text: the match, its only group, or the first group that holds something.
    Text(String),
    /// Several groups, each empty.
    Empty,
    /// There is no match.
    None,
}

impl Found {
    pub(super) fn new(pattern: &str, select: i64) -> Result<Self, String> {
        let pattern = Pattern::new(pattern, Flags::default()).map_err(|error| error.to_string())?;
        Ok(Self { pattern, select })
    }

    /// The match that counts, without the blanks at both ends.
    pub(super) fn of(&self, text: &str) -> Result<Match, String> {
        let matches = self.pattern.find_all(text, usize::MAX).map_err(|error| error.to_string())?;
        if matches.is_empty() {
            return Ok(Match::None);
        }
        let count = matches.len();
        let chosen = place(self.select, count).and_then(|place| matches.into_iter().nth(place));
        let chosen = chosen.ok_or_else(|| {
            format!("group_select is {}, but {count} matches are in an answer", self.select)
        })?;
        let group = |number: usize| group_text(text, &chosen, number);
        let groups = self.pattern.groups();
        let found = match groups {
            0 | 1 => Some(group(0)),
            2 => Some(group(1)),
            _ => (1..groups).map(group).find(|group| !group.is_empty()),
        };
        Ok(found.map_or(Match::Empty, |found| Match::Text(strip(found).to_owned())))
    }
}

pub(super) fn build(keys: Map<String, Value>) -> Result<Box<dyn Filter>, String> {
    let Parameters { regex_pattern, group_select, fallback } = parameters(keys)?;
    let found = Found::new(&regex_pattern, group_select)?;
    Ok(Box::new(Regex { found, fallback: TaskValue::from(&fallback) }))
}

impl Filter for Regex {
    fn apply(&self, answers: Vec<TaskValue>, _: &[&Row]) -> Result<Vec<TaskValue>, String> {
        // What is no text holds nothing.
        each(answers, |answer| match self.found.of(answer.text().unwrap_or_default())? {
            Match::Text(text) => Ok(TaskValue::Text(text)),
            Match::None => Ok(self.fallback.clone()),
            // Here the original strips the fallback, too.
            Match::Empty => match &self.fallback {
                TaskValue::Text(fallback) => Ok(strip(fallback).into()),
                other => Err(format!("the fallback is no text: {}", other.python_repr())),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(keys: &Value, text: &str) -> Result<TaskValue, String> {
        let filter = build(keys.as_object().cloned().unwrap_or_default())?;
        let answers = vec![TaskValue::List(vec![text.into()])];
        let first = filter.apply(answers, &[])?.into_iter().next();
        Ok(first.and_then(|answers| answers.items().ok()?.into_iter().next()).unwrap())
    }

    #[test]
    fn one_of_the_matches_is_the_answer() {
        // Each row was run in lm-eval 0.4.13.
        let last = json!({"group_select": -1, "regex_pattern": r"(-?[$0-9.,]{2,})|(-?[0-9]+)"});
        let rows = [
            (json!({}), "#### 1,204 and #### 7", "1,204"),
            (json!({}), "none", "[invalid]"),
            (last.clone(), "from 3 to 41.", "41."),
            (last, "so 7", "7"),
            (json!({"regex_pattern": r"(a?)(b?)x"}), "x", "[invalid]"),
            (json!({"regex_pattern": r"(?<=is )\s*\w+"}), "it is  so", "so"),
            (json!({"regex_pattern": r"\d*", "group_select": -1}), "12", ""),
            (json!({"fallback": " none "}), "x", " none "),
        ];
        for (keys, text, expected) in rows {
            assert_eq!(found(&keys, text), Ok(expected.into()), "{keys} on {text}");
        }
        assert!(found(&json!({"group_select": 1}), "#### 7").is_err());
        assert!(found(&json!({"patern": "x"}), "").is_err());
    }
}
