//! Values as Python's `json.dumps(…, ensure_ascii=False)` writes them, infinities and what is no number included.

use super::value::TaskValue;
use crate::python::{write_float, write_string};

/// The value on one line, or on several that are indented by so many blanks a level.
pub(super) fn to_json(value: &TaskValue, indent: Option<usize>) -> String {
    let mut text = String::new();
    write(&mut text, value, indent, 0);
    text
}

fn write(out: &mut String, value: &TaskValue, indent: Option<usize>, depth: usize) {
    match value {
        TaskValue::None => out.push_str("null"),
        TaskValue::Truth(truth) => out.push_str(if *truth { "true" } else { "false" }),
        TaskValue::Whole(whole) => out.push_str(&whole.to_string()),
        TaskValue::Float(float) if float.is_nan() => out.push_str("NaN"),
        TaskValue::Float(float) if float.is_infinite() => {
            out.push_str(if *float > 0.0 { "Infinity" } else { "-Infinity" });
        }
        TaskValue::Float(float) => write_float(out, *float),
        TaskValue::Text(text) => write_string(out, text, false),
        TaskValue::List(items) | TaskValue::Tuple(items) => {
            let items = items.iter().map(|item| (None, item));
            block(out, ['[', ']'], items, indent, depth);
        }
        TaskValue::Mapping(entries) => {
            let entries = entries.iter().map(|(key, item)| (Some(key), item));
            block(out, ['{', '}'], entries, indent, depth);
        }
    }
}

fn block<'v>(
    out: &mut String,
    [open, close]: [char; 2],
    items: impl ExactSizeIterator<Item = (Option<&'v String>, &'v TaskValue)>,
    indent: Option<usize>,
    depth: usize,
) {
    let is_empty = items.len() == 0;
    let new_line = |out: &mut String, depth: usize| {
        if let Some(indent) = indent.filter(|_| !is_empty) {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent * depth));
        }
    };
    out.push(open);
    for (index, (key, item)) in items.enumerate() {
        out.push_str(match (index, indent) {
            (0, _) => "",
            (_, None) => ", ",
            (_, Some(_)) => ",",
        });
        new_line(out, depth + 1);
        if let Some(key) = key {
            write_string(out, key, false);
            out.push_str(": ");
        }
        write(out, item, indent, depth + 1);
    }
    new_line(out, depth);
    out.push(close);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_json_dumps_writes_them() {
        let value = TaskValue::from(&json!({"b": [1, 1.0, "é\n"], "a": {}, "c": []}));
        assert_eq!(to_json(&value, None), r#"{"b": [1, 1.0, "é\n"], "a": {}, "c": []}"#);
        let expected =
            "{\n  \"b\": [\n    1,\n    1.0,\n    \"é\\n\"\n  ],\n  \"a\": {},\n  \"c\": []\n}";
        assert_eq!(to_json(&value, Some(2)), expected);
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(TaskValue::Float).to_vec();
        assert_eq!(to_json(&TaskValue::List(odd), None), "[NaN, Infinity, -Infinity]");
    }
}
