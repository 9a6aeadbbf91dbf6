//! Python's methods on strings, lists and mappings.
//!
//! Most come from `minijinja-contrib`; here are those that it lacks, that it does with Rust's idea of
//! white space and lines instead of Python's, or that can make text without end.

use minijinja::{
    Error, State, Value,
    value::{Tuple, ValueKind, from_args},
};
use minijinja_contrib::pycompat::unknown_method_callback;

use super::{
    bad,
    counted_filters::charge_format,
    python_str::{ends_line, is_python_space, python_lines},
    text_filters::{count_pieces, replaced},
};
use crate::chat::limits::{ENTRY_BYTES, charge, charged, read};

/// Calls `value.name(arguments)`.
pub(super) fn call(
    state: &mut State,
    value: &Value,
    name: &str,
    arguments: &[Value],
) -> Result<Value, Error> {
    let result = match value.as_str() {
        Some(text) => {
            count_reading(state, text, name, arguments)?;
            string_method(state, text, name, arguments)
        }
        None => list_method(state, value, name, arguments),
    };
    let result = match result {
        Some(result) => result?,
        None => unknown_method_callback(state, value, name, arguments)?,
    };
    charge(state, result.as_str().map_or(0, str::len))?;
    Ok(result)
}

/// Counts what a method goes through, and the entries of the list that it makes.
fn count_reading(
    state: &mut State,
    text: &str,
    name: &str,
    arguments: &[Value],
) -> Result<(), Error> {
    let argument = arguments.first().and_then(Value::as_str);
    match name {
        "strip" | "lstrip" | "rstrip" => {
            read(state, text.len().saturating_mul(argument.map_or(1, str::len)))
        }
        "split" | "rsplit" => count_pieces(state, text, argument),
        "splitlines" => {
            let lines = text.chars().filter(|letter| ends_line(*letter)).count();
            charge(state, lines.saturating_mul(ENTRY_BYTES))
        }
        _ => read(state, text.len()),
    }
}

/// The methods that are done here; nothing for all others.
fn string_method(
    state: &mut State,
    text: &str,
    name: &str,
    arguments: &[Value],
) -> Option<Result<Value, Error>> {
    Some(match name {
        "format" => match charge_format(state, text, arguments) {
            Ok(()) => return None,
            Err(error) => Err(error),
        },
        "strip" => strip(text, arguments, true, true),
        "lstrip" => strip(text, arguments, true, false),
        "rstrip" => strip(text, arguments, false, true),
        "splitlines" => splitlines(text, arguments),
        "replace" => from_args(arguments)
            .and_then(|(old, new, count)| replaced(state, text, old, new, count).map(Value::from)),
        "join" => from_args(arguments).and_then(|(items,)| join(state, text, items)),
        "removeprefix" => from_args(arguments)
            .map(|(prefix,): (&str,)| Value::from(text.strip_prefix(prefix).unwrap_or(text))),
        "removesuffix" => from_args(arguments)
            .map(|(suffix,): (&str,)| Value::from(text.strip_suffix(suffix).unwrap_or(text))),
        "partition" => from_args(arguments)
            .and_then(|(separator,)| parts(separator, text.split_once(separator), (text, "", ""))),
        "rpartition" => from_args(arguments)
            .and_then(|(separator,)| parts(separator, text.rsplit_once(separator), ("", "", text))),
        "rsplit" => {
            from_args(arguments).and_then(|(separator, most): (Option<&str>, Option<i64>)| {
                rsplit(text, separator, most)
            })
        }
        _ => return None,
    })
}

/// The methods of lists that the engine lacks.
fn list_method(
    state: &mut State,
    value: &Value,
    name: &str,
    arguments: &[Value],
) -> Option<Result<Value, Error>> {
    (name == "index" && value.kind() == ValueKind::Seq).then(|| {
        let (wanted,): (&Value,) = from_args(arguments)?;
        read(state, value.len().unwrap_or(0).saturating_mul(ENTRY_BYTES))?;
        let place = value.try_iter()?.position(|item| item == *wanted);
        place.map(Value::from).ok_or_else(|| bad(format!("{wanted} is not in the list")))
    })
}

fn strip(text: &str, arguments: &[Value], start: bool, end: bool) -> Result<Value, Error> {
    let (letters,): (Option<&str>,) = from_args(arguments)?;
    let strips = |letter: char| match letters {
        Some(letters) => letters.contains(letter),
        None => is_python_space(letter),
    };
    let text = if start { text.trim_start_matches(strips) } else { text };
    Ok(Value::from(if end { text.trim_end_matches(strips) } else { text }))
}

fn splitlines(text: &str, arguments: &[Value]) -> Result<Value, Error> {
    let (keep_ends,): (Option<bool>,) = from_args(arguments)?;
    Ok(python_lines(text, keep_ends.unwrap_or(false)).into_iter().map(Value::from).collect())
}

/// `separator.join(items)`; Python joins nothing but strings.
fn join(state: &mut State, separator: &str, items: &Value) -> Result<Value, Error> {
    let mut text = String::new();
    for (index, item) in items.try_iter()?.checked().enumerate() {
        let item = item?;
        let Some(item) = item.as_str() else {
            return Err(bad(format!("item {index} to be joined is {}", item.kind())));
        };
        let separator = if index == 0 { "" } else { separator };
        charge(state, separator.len() + item.len())?;
        text.push_str(separator);
        text.push_str(item);
    }
    charged(state, text).map(Value::from)
}

fn parts(
    separator: &str,
    split: Option<(&str, &str)>,
    whole: (&str, &str, &str),
) -> Result<Value, Error> {
    if separator.is_empty() {
        return Err(bad("empty separator"));
    }
    let (before, between, after) =
        split.map_or(whole, |(before, after)| (before, separator, after));
    Ok(Tuple::from([before, between, after].map(Value::from)).into())
}

fn rsplit(text: &str, separator: Option<&str>, most: Option<i64>) -> Result<Value, Error> {
    let most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    let mut pieces = Vec::new();
    let mut rest = text;
    match separator {
        Some("") => return Err(bad("empty separator")),
        Some(separator) => {
            while pieces.len() < most
                && let Some((before, after)) = rest.rsplit_once(separator)
            {
                pieces.push(Value::from(after));
                rest = before;
            }
            pieces.push(Value::from(rest));
        }
        None => {
            rest = rest.trim_end_matches(is_python_space);
            while pieces.len() < most
                && let Some(at) = rest.rfind(is_python_space)
            {
                let (before, after) = rest.split_at(at);
                pieces.push(Value::from(after.trim_start_matches(is_python_space)));
                rest = before.trim_end_matches(is_python_space);
            }
            if !rest.is_empty() {
                pieces.push(Value::from(rest));
            }
        }
    }
    pieces.reverse();
    Ok(pieces.into())
}
