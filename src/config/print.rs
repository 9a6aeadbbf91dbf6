//! Nodes as Python source.

use std::fmt::Write as _;

use super::value::{Node, Value};

/// A value as a Python expression on one line.
pub fn repr(node: &Node) -> String {
    let mut out = String::new();
    write_inline(node, &mut out);
    out
}

fn write_inline(node: &Node, out: &mut String) {
    match &node.value {
        Value::None => out.push_str("None"),
        Value::Bool(flag) => out.push_str(if *flag { "True" } else { "False" }),
        Value::Int(number) => _ = write!(out, "{number}"),
        Value::Float(number) if number.is_finite() => out.push_str(&float(*number)),
        Value::Float(number) => _ = write!(out, "float('{}')", float(*number)),
        Value::Str(text) | Value::Type(text) => quote(text, out),
        Value::List(items) => write_joined(items, "[", "]", out),
        Value::Tuple(items) if items.len() == 1 => write_joined(items, "(", ",)", out),
        Value::Tuple(items) => write_joined(items, "(", ")", out),
        Value::Dict(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_inline(key, out);
                out.push_str(": ");
                write_inline(value, out);
            }
            out.push('}');
        }
    }
}

fn write_joined(items: &[Node], open: &str, close: &str, out: &mut String) {
    out.push_str(open);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        write_inline(item, out);
    }
    out.push_str(close);
}

/// A float as Python's `repr` writes it: the shortest digits that read back as the same number.
pub(super) fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    let text = format!("{number:?}");
    match text.split_once('e') {
        // Python gives the exponent a sign and two digits.
        Some((digits, exponent)) => {
            let sign = if exponent.starts_with('-') { '-' } else { '+' };
            format!("{digits}e{sign}{:0>2}", exponent.trim_start_matches('-'))
        }
        None => text,
    }
}

/// A string as Python's `repr` writes it.
pub(super) fn quote(text: &str, out: &mut String) {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(mark);
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            _ if letter == mark => {
                out.push('\\');
                out.push(letter);
            }
            _ if is_printable(letter) => out.push(letter),
            _ => {
                _ = match u32::from(letter) {
                    code @ ..0x100 => write!(out, "\\x{code:02x}"),
                    code @ 0x100..0x10000 => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                }
            }
        }
    }
    out.push(mark);
}

/// Python leaves letters, marks, numbers, punctuation, symbols and the plain space as they are.
fn is_printable(letter: char) -> bool {
    let is_format = matches!(letter,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{e000}'..='\u{f8ff}' | '\u{feff}');
    letter == ' ' || !(letter.is_control() || letter.is_whitespace() || is_format)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        let quoted = |text: &str| repr(&Value::Str(text.into()).into());
        assert_eq!(quoted("it's"), "\"it's\"");
        assert_eq!(quoted("'\"\n\u{7f}\u{3000}é"), "'\\'\"\\n\\x7f\\u3000é'");
        assert_eq!([1e-5, 1e16, 0.1, 2.0].map(float), ["1e-05", "1e+16", "0.1", "2.0"]);
        let node = Node::from_json(&json!({"a": [1, null], "b": {"$items": [[0, true]]}}));
        assert_eq!(repr(&node), "{'a': [1, None], 'b': {0: True}}");
        let single = Value::Tuple(vec![Value::Float(f64::INFINITY).into()]).into();
        assert_eq!(repr(&single), "(float('inf'),)");
    }
}
