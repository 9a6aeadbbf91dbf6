//! What an agent writes, read as Python or as JSON.

use serde_json::{Map, Value};

use crate::python::{python_literal, python_str};

/// The marks around a record, and around a list.
pub(super) const RECORD: Option<(char, char)> = Some(('{', '}'));
pub(super) const LIST: Option<(char, char)> = Some(('[', ']'));

/// The value that a text holds from the first mark to the last, if it is one; what is no text is a value already.
pub(super) fn read(written: &Value, marks: Option<(char, char)>) -> Option<Value> {
    let Some(text) = written.as_str() else { return Some(written.clone()) };
    let text = text.split_once("```json").map_or(text, |(_, rest)| rest.trim_matches('`'));
    let text = match marks {
        None => text,
        Some((first, last)) => {
            // Python's `find` gives -1 for what is not there, and that is the last letter.
            let begin = text.find(first).or(text.char_indices().last().map(|(at, _)| at));
            let text = text.get(begin.unwrap_or_default()..).unwrap_or_default();
            let end = text.rfind(last).map_or(0, |at| at + last.len_utf8());
            text.get(..end).unwrap_or_default()
        }
    };
    python_literal(text)
        .or_else(|| serde_json::from_str(text).ok())
        .or_else(|| serde_json::from_str(&text.replace('\'', "\"")).ok())
}

/// What stands under a key, as a text; nothing where it does not stand.
pub(super) fn text_at(record: &Map<String, Value>, key: &str) -> Option<String> {
    record.get(key).map(python_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn python_and_json_are_read_between_marks() {
        for (text, marks, expected) in [
            ("so: {'a': True} ok", RECORD, json!({"a": true})),
            ("x```json\n[{\"a\": null}]```", LIST, json!([{"a": null}])),
            ("{'a': true}", None, json!({"a": true})),
            ("12", None, json!(12)),
        ] {
            assert_eq!(read(&text.into(), marks), Some(expected), "{text}");
        }
        for (text, marks) in [("no marks", RECORD), ("{ open", RECORD), ("", LIST), ("a b", None)] {
            assert_eq!(read(&text.into(), marks), None, "{text}");
        }
        assert_eq!(read(&json!([1]), RECORD), Some(json!([1])));
    }
}
