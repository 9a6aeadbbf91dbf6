//! How Python prints the values of a template, and what it takes for white space.

use std::fmt::Write as _;

use minijinja::{Error, State, Value, value::ValueKind};
use serde_json::Value as Json;

use crate::{
    chat::limits::{ENTRY_BYTES, charge, check_nesting},
    python::python_repr,
};

/// `str(value)`: text is itself, an undefined value is nothing.
pub(super) fn python_str(state: &mut State, value: &Value) -> Result<String, Error> {
    let mut text = String::new();
    match (value.as_str(), value.kind()) {
        (Some(itself), _) => {
            charge(state, itself.len())?;
            text.push_str(itself);
        }
        (_, ValueKind::Undefined) => {}
        _ => write_repr(state, &mut text, value, 0)?,
    }
    Ok(text)
}

/// `repr(value)`.
fn write_repr(
    state: &mut State,
    out: &mut String,
    value: &Value,
    depth: usize,
) -> Result<(), Error> {
    check_nesting(depth)?;
    charge(state, ENTRY_BYTES)?;
    match value.kind() {
        ValueKind::Undefined => out.push_str("Undefined"),
        ValueKind::None => out.push_str("None"),
        ValueKind::Bool => out.push_str(if value.is_true() { "True" } else { "False" }),
        ValueKind::Number => out.push_str(&python_number(value, "nan", "inf")),
        ValueKind::String => {
            let text = value.as_str().unwrap_or_default();
            charge(state, text.len())?;
            let written = python_repr(&Json::from(text));
            charge(state, written.len())?;
            out.push_str(&written);
        }
        ValueKind::Map => {
            out.push('{');
            for (index, key) in value.try_iter()?.checked().enumerate() {
                let key = key?;
                out.push_str(if index == 0 { "" } else { ", " });
                write_repr(state, out, &key, depth + 1)?;
                out.push_str(": ");
                write_repr(state, out, &value.get_item(&key)?, depth + 1)?;
            }
            out.push('}');
        }
        // A slice of a list is lazy for the engine but a list for Python.
        ValueKind::Seq | ValueKind::Iterable if value.len().is_some() => {
            let tuple = value.is_tuple();
            out.push(if tuple { '(' } else { '[' });
            for (index, item) in value.try_iter()?.checked().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_repr(state, out, &item?, depth + 1)?;
            }
            out.push_str(match (tuple, value.len()) {
                (true, Some(1)) => ",)",
                (true, _) => ")",
                (false, _) => "]",
            });
        }
        // Functions and one-pass iterators: Python prints their addresses.
        _ => write!(out, "{value}").map_err(Error::from)?,
    }
    Ok(())
}

/// `repr` of a number; what is not one is named as the caller wants, because JSON has other names.
pub(super) fn python_number(value: &Value, not_a_number: &str, infinity: &str) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    match f64::try_from(value.clone()) {
        Ok(float) if float.is_finite() => python_repr(&Json::from(float)),
        Ok(float) if float == f64::INFINITY => infinity.to_owned(),
        Ok(float) if float == f64::NEG_INFINITY => format!("-{infinity}"),
        _ => not_a_number.to_owned(),
    }
}

/// Whether `str.strip` removes a letter.
pub(in crate::chat) fn is_python_space(letter: char) -> bool {
    letter.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&letter)
}

/// `str.splitlines`, with the line ends on request.
pub(super) fn python_lines(text: &str, keep_ends: bool) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some((at, end)) = rest.char_indices().find(|&(_, letter)| ends_line(letter)) {
        let both = end == '\r' && rest[at + 1..].starts_with('\n');
        let after = at + if both { 2 } else { end.len_utf8() };
        lines.push(&rest[..if keep_ends { after } else { at }]);
        rest = &rest[after..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

pub(super) fn ends_line(letter: char) -> bool {
    matches!(
        letter,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_python_ends_them() {
        assert_eq!(python_lines("a\r\nb\u{2028}\nc\n", false), ["a", "b", "", "c"]);
        assert_eq!(python_lines("a\r\nb\r", true), ["a\r\n", "b\r"]);
        assert!(python_lines("", false).is_empty());
    }
}
