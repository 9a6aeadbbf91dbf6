//! `format_span`: labels and names that an answer lists, written in one way: `per: ann $ loc: rome`.

use serde_json::{Map, Value};

use super::{super::field::Row, Filter, each, parameters, selection::Nothing};
use crate::{
    python::blank::strip,
    python::regex::{Pattern, PythonRegex, escaped, group_text},
    tasks::value::TaskValue,
};

/// What labels are called, and what they become, one after the other.
const LABELS: [(&str, &str); 15] = [
    ("person", "PER"),
    ("location", "LOC"),
    ("organization", "ORG"),
    ("counties", "LOC"),
    ("places", "LOC"),
    ("people", "PER"),
    ("persons", "PER"),
    ("company", "ORG"),
    ("country", "LOC"),
    ("continent", "LOC"),
    ("time", "DATE"),
    ("date", "DATE"),
    ("per", "PER"),
    ("loc", "LOC"),
    ("org", "ORG"),
];

/// A label and what follows it, up to the next separator.
const SPAN: &str = r"\b(PER|LOC|ORG|DATE):\s*([^$]+)";

struct Spans {
    labels: Vec<(PythonRegex, String)>,
    span: Pattern,
}

pub(super) fn build(keys: Map<String, Value>) -> Result<Box<dyn Filter>, String> {
    let Nothing {} = parameters(keys)?;
    let label = |(name, label): (&str, &str)| {
        let pattern = PythonRegex::new(&format!(r"\b{}\s*:", escaped(name)));
        pattern.map(|pattern| (pattern, format!("{label}:"))).map_err(|error| error.to_string())
    };
    let labels = LABELS.into_iter().map(label).collect::<Result<_, _>>()?;
    Ok(Box::new(Spans { labels, span: Pattern::constant(SPAN) }))
}

impl Spans {
    fn of(&self, answer: &str) -> Result<String, crate::python::regex::PatternError> {
        let mut text = answer.to_lowercase();
        for (name, label) in &self.labels {
            text = name.replace(&text, label)?;
        }
        let text = text.replace("$$", "$");
        let text = text.trim_end_matches('$').replace('\n', "$");
        let mut spans = Vec::new();
        let text = strip(&text);
        for found in self.span.find_all(text, usize::MAX)? {
            let group = |number: usize| group_text(text, &found, number);
            let label = group(1).to_lowercase();
            let names = group(2).split(',').map(strip);
            let names = names.filter(|name| name.to_lowercase() != "none");
            spans.extend(names.map(|name| format!("{label}: {name}")));
        }
        Ok(spans.join(" $ "))
    }
}

impl Filter for Spans {
    fn apply(&self, answers: Vec<TaskValue>, _: &[&Row]) -> Result<Vec<TaskValue>, String> {
        each(answers, |answer| match &answer {
            TaskValue::Text(text) => {
                self.of(text).map(TaskValue::Text).map_err(|error| error.to_string())
            }
            other => Err(format!("an answer is no text: {}", other.python_repr())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_those_of_the_original() {
        // Each row was run in lm-eval 0.4.13.
        let rows = [
            ("PERSON: Ann, None $$ Location : Rome", "per: ann $ loc: rome"),
            ("Persons: Ann\ndate: Monday$$", "per: ann $ date: monday"),
            ("a person: Bo $ time: none", "per: bo"),
            ("nothing", ""),
        ];
        for (text, expected) in rows {
            let filter = build(Map::new()).unwrap();
            let answers = vec![TaskValue::List(vec![text.into()])];
            let expected = vec![TaskValue::List(vec![expected.into()])];
            assert_eq!(filter.apply(answers, &[]), Ok(expected), "{text}");
        }
    }
}
