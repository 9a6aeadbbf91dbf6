//! JSON as Python's `json.dumps` writes it, byte for byte.
//!
//! Files that OpenCompass's tools read again, and texts that are hashed, have to look as Python would
//! have written them: its separators, its floats (`1.0`, `1e-05`), its escapes. `serde_json` differs in
//! each. Keys keep their order; whoever wants them sorted sorts them.

use std::fmt::Write as _;

use serde_json::{Number, Value};

use super::python_str;

/// `json.dumps(value, indent=4, ensure_ascii=False)`: the form of prediction and result files.
pub fn to_string_indented(value: &Value) -> String {
    let mut text = String::new();
    write_indented(&mut text, value, 0);
    text
}

/// `json.dumps(value)`, or with `ensure_ascii=False`: one line, a blank behind commas and colons.
pub(crate) fn to_json(value: &Value, ascii: bool) -> String {
    let mut text = String::new();
    write_line(&mut text, value, ascii);
    text
}

fn write_line(out: &mut String, value: &Value, ascii: bool) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_line(out, item, ascii);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push('{');
            for (index, (key, item)) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_string(out, key, ascii);
                out.push_str(": ");
                write_line(out, item, ascii);
            }
            out.push('}');
        }
        Value::String(text) => write_string(out, text, ascii),
        other => write_indented(out, other, 0),
    }
}

fn write_indented(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().map(|item| (None, item));
            write_block(out, ['[', ']'], items, depth);
        }
        Value::Object(entries) if !entries.is_empty() => {
            let entries = entries.iter().map(|(key, value)| (Some(key), value));
            write_block(out, ['{', '}'], entries, depth);
        }
        Value::Array(_) => out.push_str("[]"),
        Value::Object(_) => out.push_str("{}"),
        Value::String(text) => write_string(out, text, false),
        Value::Number(number) => write_number(out, number),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Null => out.push_str("null"),
    }
}

fn write_block<'v>(
    out: &mut String,
    [open, close]: [char; 2],
    items: impl Iterator<Item = (Option<&'v String>, &'v Value)>,
    depth: usize,
) {
    out.push(open);
    for (index, (key, item)) in items.enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        new_line(out, depth + 1);
        if let Some(key) = key {
            write_string(out, key, false);
            out.push_str(": ");
        }
        write_indented(out, item, depth + 1);
    }
    new_line(out, depth);
    out.push(close);
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("    ", depth));
}

/// A number: integers as they are, floats as Python's `repr`.
pub(crate) fn write_number(out: &mut String, number: &Number) {
    out.push_str(&python_str(&Value::Number(number.clone())));
}

/// A string with its quotes; with `ascii`, everything beyond printable ASCII as `\uXXXX`.
pub(crate) fn write_string(out: &mut String, text: &str, ascii: bool) {
    out.push('"');
    let is_plain =
        |letter: char| !matches!(letter, '"' | '\\' | '\0'..='\u{1f}') && (!ascii || letter <= '~');
    let mut rest = text;
    // Files of prompts are mostly letters that stay as they are: whole stretches are copied.
    while let Some(end) = rest.find(|letter| !is_plain(letter)) {
        let (plain, behind) = rest.split_at(end);
        out.push_str(plain);
        let mut letters = behind.chars();
        match letters.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some(letter) => write_escape(out, letter),
            None => {}
        }
        rest = letters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// `\uXXXX`, in two halves beyond the basic plane.
fn write_escape(out: &mut String, letter: char) {
    for half in letter.encode_utf16(&mut [0; 2]) {
        write!(out, "\\u{half:04x}").expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_look_as_python_writes_them() {
        let value = json!({"b": [1.0, 1e-5, 3], "a": {}, "c": [], "d": {"x": null, "y": "中\u{7f}\u{1}\"\n"}});
        let expected = "{\n    \"b\": [\n        1.0,\n        1e-05,\n        3\n    ],\n    \"a\": {},\n    \"c\": [],\n    \
                        \"d\": {\n        \"x\": null,\n        \"y\": \"中\u{7f}\\u0001\\\"\\n\"\n    }\n}";
        assert_eq!(to_string_indented(&value), expected);
    }

    #[test]
    fn one_line_has_blanks_behind_commas_and_colons() {
        let value = json!({"b": [1.0, true, null], "中": {}, "c": []});
        assert_eq!(to_json(&value, true), r#"{"b": [1.0, true, null], "\u4e2d": {}, "c": []}"#);
        assert_eq!(to_json(&value, false), r#"{"b": [1.0, true, null], "中": {}, "c": []}"#);
    }

    #[test]
    fn ascii_strings_use_surrogate_pairs() {
        let mut text = String::new();
        write_string(&mut text, "é😀\u{7f}", true);
        assert_eq!(text, r#""\u00e9\ud83d\ude00\u007f""#);
    }
}
