//! Filters that make text of text. Each takes `str(value)` first, as Jinja2's do.

use std::sync::Arc;

use minijinja::{
    Error, State, Value,
    filters::{split as engine_split, title as engine_title},
    value::{Kwargs, Rest, ValueKind},
};

use super::{
    python_str::{is_python_space, python_lines, python_str},
    sequences::iterate,
};
use crate::chat::limits::{ENTRY_BYTES, charge, charged, read};

/// `string`.
pub(super) fn string(state: &mut State, value: Value) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::String => Ok(value),
        _ => python_str(state, &value).map(Value::from),
    }
}

/// `trim(chars=None)`.
pub(super) fn trim(
    state: &mut State,
    value: &Value,
    letters: Option<&str>,
) -> Result<Value, Error> {
    let text = python_str(state, value)?;
    let trimmed = match letters {
        Some(letters) => {
            read(state, text.len().saturating_mul(letters.len()))?;
            text.trim_matches(|letter| letters.contains(letter))
        }
        None => text.trim_matches(is_python_space),
    };
    let safe = value.is_safe();
    Ok(if safe { Value::from_safe_string(trimmed.to_owned()) } else { Value::from(trimmed) })
}

/// `upper`.
pub(super) fn upper(state: &mut State, value: &Value) -> Result<String, Error> {
    Ok(python_str(state, value)?.to_uppercase())
}

/// `lower`.
pub(super) fn lower(state: &mut State, value: &Value) -> Result<String, Error> {
    Ok(python_str(state, value)?.to_lowercase())
}

/// `title`.
pub(super) fn title(state: &mut State, value: &Value) -> Result<String, Error> {
    Ok(engine_title(python_str(state, value)?.into()))
}

/// `capitalize`.
pub(super) fn capitalize(state: &mut State, value: &Value) -> Result<String, Error> {
    let text = python_str(state, value)?;
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    Ok(first + &letters.as_str().to_lowercase())
}

/// `replace(old, new, count=None)`.
pub(super) fn replace(
    state: &mut State,
    value: &Value,
    old: &Value,
    new: &Value,
    count: Option<i64>,
) -> Result<String, Error> {
    let (text, old) = (python_str(state, value)?, python_str(state, old)?);
    let new = python_str(state, new)?;
    replaced(state, &text, &old, &new, count)
}

/// `str.replace`; a negative count is no limit.
pub(super) fn replaced(
    state: &mut State,
    text: &str,
    old: &str,
    new: &str,
    count: Option<i64>,
) -> Result<String, Error> {
    let most = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    let places = text.matches(old).take(most).count();
    charge(state, text.len().saturating_add(places.saturating_mul(new.len())))?;
    Ok(text.replacen(old, new, places))
}

/// `split(separator=None, maxsplit=-1)`, the engine's own.
pub(super) fn split(
    state: &mut State,
    value: &Value,
    separator: Option<Arc<str>>,
    most: Option<i64>,
) -> Result<Value, Error> {
    count_pieces(state, value.as_str().unwrap_or_default(), separator.as_deref())?;
    engine_split(value, separator, most)
}

/// Counts the pieces that a text is split into, at white space unless there is a separator.
pub(super) fn count_pieces(
    state: &mut State,
    text: &str,
    separator: Option<&str>,
) -> Result<(), Error> {
    let pieces = match separator {
        Some(separator) => text.matches(separator).count(),
        None => text.split(char::is_whitespace).count(),
    };
    charge(state, pieces.saturating_mul(ENTRY_BYTES))
}

/// `join(d='', attribute=None)`.
#[expect(clippy::needless_pass_by_value, reason = "the engine passes named arguments by value")]
pub(super) fn join(
    state: &mut State,
    value: &Value,
    separator: Option<String>,
    named: Kwargs,
) -> Result<String, Error> {
    let attribute: Option<String> = named.get("attribute")?;
    let separator = match separator {
        Some(separator) => separator,
        None => named.get::<Option<String>>("d")?.unwrap_or_default(),
    };
    named.assert_all_used()?;
    let mut text = String::new();
    for (index, item) in iterate(state, value)?.try_iter()?.enumerate() {
        let item = match &attribute {
            Some(attribute) => item.get_attr(attribute)?,
            None => item,
        };
        if index > 0 {
            charge(state, separator.len())?;
            text.push_str(&separator);
        }
        text.push_str(&python_str(state, &item)?);
    }
    charged(state, text)
}

/// `indent(width=4, first=False, blank=False)`; unlike the engine's it keeps a line end at the end.
#[expect(clippy::needless_pass_by_value, reason = "the engine passes named arguments by value")]
pub(super) fn indent(
    state: &mut State,
    value: &Value,
    positional: Rest<Value>,
    named: Kwargs,
) -> Result<String, Error> {
    let argument = |index: usize, name: &str| match positional.get(index) {
        Some(value) => Ok(Some(value.clone())),
        None => named.get::<Option<Value>>(name),
    };
    let width = argument(0, "width")?;
    let first = argument(1, "first")?.is_some_and(|flag| flag.is_true());
    let blank = argument(2, "blank")?.is_some_and(|flag| flag.is_true());
    named.assert_all_used()?;
    let text = python_str(state, value)? + "\n";
    let lines = python_lines(&text, false);
    let padding = match width {
        None => "    ".to_owned(),
        Some(text) if text.kind() == ValueKind::String => text.to_string(),
        Some(width) => {
            let width = usize::try_from(width)?;
            charge(state, width)?;
            " ".repeat(width)
        }
    };
    charge(state, text.len().saturating_add(lines.len().saturating_mul(padding.len())))?;
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        let padded = match index {
            0 => first,
            _ => blank || !line.is_empty(),
        };
        out.push_str(if index == 0 { "" } else { "\n" });
        out.push_str(if padded { &padding } else { "" });
        out.push_str(line);
    }
    Ok(out)
}
