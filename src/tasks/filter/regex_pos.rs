//! `regex_pos`: the parts of speech of an answer such as `[('dogs', 'NOUN'), ('bark', 'VERB')]`.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{super::field::Row, Filter, each, parameters};
use crate::{
    python::regex::{Pattern, group_text},
    tasks::value::TaskValue,
};

/// A word and its part of speech.
const PAIR: &str = r"\('([^']*)', '([^']*)'\)";

/// The pattern and the number are read by lm-eval and used by nothing.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct Parameters {
    #[serde(rename = "regex_pattern")]
    _regex_pattern: Value,
    #[serde(rename = "group_select")]
    _group_select: Value,
    fallback: Value,
}

struct PartsOfSpeech {
    pair: Pattern,
    fallback: TaskValue,
}

pub(super) fn build(keys: Map<String, Value>) -> Result<Box<dyn Filter>, String> {
    let fallback = match parameters::<Parameters>(keys)?.fallback {
        Value::Null => TaskValue::List(vec!["invalid".into()]),
        given => TaskValue::from(&given),
    };
    Ok(Box::new(PartsOfSpeech { pair: Pattern::constant(PAIR), fallback }))
}

impl PartsOfSpeech {
    fn of(&self, answer: &TaskValue) -> Result<TaskValue, String> {
        let parts: Vec<TaskValue> = if let TaskValue::Text(text) = answer {
            let pairs = self.pair.find_all(text, usize::MAX);
            let pairs = pairs.map_err(|error| error.to_string())?;
            pairs.iter().map(|pair| group_text(text, pair, 2).into()).collect()
        } else {
            let part = |pair: TaskValue| match &pair.items()?[..] {
                [_, part] => Ok(part.clone()),
                _ => Err(format!("regex_pos: {} is no pair", pair.python_repr())),
            };
            answer.items()?.into_iter().map(part).collect::<Result<_, String>>()?
        };
        Ok(if parts.is_empty() { self.fallback.clone() } else { TaskValue::List(parts) })
    }
}

impl Filter for PartsOfSpeech {
    fn apply(&self, answers: Vec<TaskValue>, _: &[&Row]) -> Result<Vec<TaskValue>, String> {
        each(answers, |answer| self.of(&answer))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_of_speech_are_taken_from_pairs() {
        let filter = build(Map::new()).unwrap();
        let answers = TaskValue::from(&json!([["[('a', 'DET'), ('dog', 'NOUN')]", "none"]]));
        let expected = TaskValue::from(&json!([[["DET", "NOUN"], ["invalid"]]]));
        assert_eq!(filter.apply(answers.items().unwrap(), &[]), expected.items());
    }
}
