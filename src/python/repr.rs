//! How Python prints a value.
//!
//! A template field is filled with `str(value)` of the row's value, so a benchmark's prompts contain
//! Python's `None`, `True`, `1e+16` and `['a', "it's"]`. A row's integers end at 64 bits, as they do
//! in the columns of Hugging Face data sets.

use std::fmt::Write as _;

use serde_json::{Number, Value};

use super::is_printable;

/// Why writing the text out cannot fail.
const INFALLIBLE: &str = "writing to a string cannot fail";

/// `str(value)`: text is itself, everything else its [`python_repr`].
pub fn python_str(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => python_repr(other),
    }
}

/// `repr(value)`.
pub fn python_repr(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_text(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push('{');
            for (index, (key, item)) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_text(out, key);
                out.push_str(": ");
                write_value(out, item);
            }
            out.push('}');
        }
    }
}

fn write_number(out: &mut String, number: &Number) {
    match number.as_f64() {
        Some(float) if number.is_f64() => write_float(out, float),
        _ => out.push_str(&number.to_string()),
    }
}

/// `repr` of a float: the shortest digits that read back as the same; an exponent from 1e16 up and
/// below 1e-4; `nan` and `inf`.
pub(crate) fn write_float(out: &mut String, float: f64) {
    if !float.is_finite() {
        out.push_str(match float {
            _ if float.is_nan() => "nan",
            _ if float > 0.0 => "inf",
            _ => "-inf",
        });
        return;
    }
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        let plain = format!("{float}");
        let fraction = if plain.contains('.') { "" } else { ".0" };
        out.push_str(&plain);
        out.push_str(fraction);
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(out, "{digits}e{sign}{:02}", exponent.unsigned_abs()).expect(INFALLIBLE);
    }
}

/// `repr` of a text: single quotes, unless only double quotes save an escape.
pub(crate) fn write_text(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if letter == quote => out.extend(['\\', quote]),
            _ if is_printable(letter) => out.push(letter),
            _ => write_escape(out, u32::from(letter)),
        }
    }
    out.push(quote);
}

fn write_escape(out: &mut String, code: u32) {
    match code {
        0..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    }
    .expect(INFALLIBLE);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn floats_switch_to_exponents_where_python_does() {
        let printed = [0.1, 1.0, 1e15, 1e16, 1.5e16, 1e-4, 1e-5, 1.25e-7, 1e100, 5e-324, -0.0]
            .map(|float| python_str(&json!(float)));
        let expected = [
            "0.1",
            "1.0",
            "1000000000000000.0",
            "1e+16",
            "1.5e+16",
            "0.0001",
            "1e-05",
            "1.25e-07",
            "1e+100",
            "5e-324",
            "-0.0",
        ];
        assert_eq!(printed, expected);
    }

    #[test]
    fn containers_print_their_items_as_literals() {
        let value = json!({"a": [1, null, true, "x"], "it's": {"b": 2.0}});
        assert_eq!(python_str(&value), r#"{'a': [1, None, True, 'x'], "it's": {'b': 2.0}}"#);
        assert_eq!(python_str(&json!("plain 'text'\n")), "plain 'text'\n");
    }

    #[test]
    fn quotes_and_unprintable_letters_are_escaped_as_python_does() {
        let cases = [
            ("both ' and \"", r#"'both \' and "'"#),
            ("tab\t back\\ nul\0", r"'tab\t back\\ nul\x00'"),
            ("é 中 😀 e\u{301}", "'é 中 😀 e\u{301}'"),
            ("\u{a0}\u{ad}\u{200b}\u{2028}\u{378}\u{e000}", r"'\xa0\xad\u200b\u2028\u0378\ue000'"),
            ("\u{e0001}", r"'\U000e0001'"),
        ];
        for (text, expected) in cases {
            assert_eq!(python_repr(&json!(text)), expected);
        }
    }
}
