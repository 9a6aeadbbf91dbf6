//! Fields that look into a column: `{choices[0]}`, `{choices[text]}`, `{choices.text[0]}`.
//!
//! The steps are those of Python's `str.format`: digits in brackets count items from 0, any other text
//! in brackets is a key. Behind a dot stands an attribute, which rows from JSON do not have; what their
//! authors mean is the key of that name. Texts are not looked into: Python would give a letter, OpenCompass
//! leaves the field as it stands, and so does this. A field that leads nowhere is no field and stays in
//! the text, and a column whose name is the whole field comes first.

use std::ops::Range;

use serde_json::Value;

use crate::dataset::Sample;

/// A field of a text that looks into a column.
#[derive(Debug, PartialEq)]
pub(crate) struct DeepField<'a> {
    /// Where it stands, braces included.
    pub(crate) span: Range<usize>,
    /// What it leads to.
    pub(crate) value: &'a Value,
}

/// One step into a value.
enum Step<'a> {
    Item(usize),
    Key(&'a str),
}

/// The fields of `text` that lead into a column of `sample`, in order.
pub(crate) fn deep_fields<'a>(text: &str, sample: &'a Sample) -> Vec<DeepField<'a>> {
    let mut found = Vec::new();
    for (open, _) in text.match_indices('{') {
        let inside = text.get(open + 1..).unwrap_or_default();
        let Some(length) = inside.find(['{', '}']).filter(|end| inside[*end..].starts_with('}'))
        else {
            continue;
        };
        if let Some(value) = led_to(&inside[..length], sample) {
            found.push(DeepField { span: open..open + length + 2, value });
        }
    }
    found
}

/// What a field means, by its name between the braces: a column, or what it looks into.
pub(super) fn value<'a>(name: &str, sample: &'a Sample) -> Option<&'a Value> {
    sample.get(name).or_else(|| led_to(name, sample))
}

/// What the text between two braces leads to, if it looks into a column.
fn led_to<'a>(field: &str, sample: &'a Sample) -> Option<&'a Value> {
    if !field.contains(['.', '[']) || sample.get(field).is_some() {
        return None;
    }
    // Names of columns may hold dots and brackets; the longest name is the one that is meant.
    field.rmatch_indices(['.', '[']).find_map(|(at, _)| {
        let (column, path) = field.split_at(at);
        let value = sample.get(column)?;
        let steps = steps(path)?;
        if sample.hides(column) {
            return Some(value);
        }
        steps.iter().try_fold(value, |value, step| step.taken(value))
    })
}

/// `[0].text` as steps.
fn steps(mut path: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    while !path.is_empty() {
        let key;
        if let Some(rest) = path.strip_prefix('[') {
            (key, path) = rest.split_once(']')?;
            let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
            steps.push(if is_number && !key.is_empty() {
                Step::Item(key.parse().ok()?)
            } else {
                Step::Key(key)
            });
        } else {
            let rest = path.strip_prefix('.')?;
            (key, path) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
            steps.push(Step::Key(key));
        }
        if key.is_empty() {
            return None;
        }
    }
    Some(steps)
}

impl Step<'_> {
    fn taken<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        match (self, value) {
            (Self::Item(index), Value::Array(items)) => items.get(*index),
            (Self::Key(key), Value::Object(entries)) => entries.get(*key),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row() -> Sample {
        Sample::new(vec![
            ("choices".into(), json!({"label": ["A", "B"], "text": ["cat", "dog"], "0": "zero"})),
            ("options".into(), json!([["x", "y"], {"é": 1.0}])),
            ("a.b".into(), json!("own")),
            ("a".into(), json!({"b": "inner", "c": null})),
            ("word".into(), json!("cat")),
        ])
    }

    #[test]
    fn a_field_looks_into_lists_and_records() {
        let row = row();
        // Beside each field what Python's `str.format` gives for the same row, with a dict that gives
        // its keys as attributes.
        for (field, expected) in [
            ("choices.label", json!(["A", "B"])),
            ("choices[text][1]", json!("dog")),
            ("choices.text[1]", json!("dog")),
            ("options[0]", json!(["x", "y"])),
            ("options[0][01]", json!("y")),
            ("options[1][é]", json!(1.0)),
            ("a.c", json!(null)),
        ] {
            let text = format!("é {{{field}}} {{{field}}}");
            let found = deep_fields(&text, &row);
            assert_eq!(found.len(), 2, "{field}");
            assert_eq!(found[0].value, &expected, "{field}");
            assert_eq!(text[found[1].span.clone()], format!("{{{field}}}"));
        }
    }

    #[test]
    fn what_leads_nowhere_is_no_field() {
        for field in [
            "choices",
            "a.b",
            "choices.",
            "choices[]",
            "choices[0]",
            "choices[-1]",
            "options[-1]",
            "options[2]",
            "options[0]x",
            "options[0",
            "options.label",
            "word[0]",
            "word.label",
            "other[0]",
            "other.label",
            "[0]",
            ".x",
            "options[99999999999999999999]",
            "choices[text",
            "choices .text",
            "choices.text!r",
            "{options[0]",
        ] {
            let text = format!("{{{field}}}");
            let found = deep_fields(&text, &row()).len();
            // Behind one more brace, what is left is a field.
            let expected = usize::from(field.starts_with('{'));
            assert_eq!(found, expected, "{field}");
        }
    }
}
