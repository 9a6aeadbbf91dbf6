//! The operators `~`, `+` and `*`, as Python computes them, and counted.

use minijinja::{
    Error, ErrorKind, State, Value,
    value::{Rest, Tuple, ValueKind},
};

use super::{
    bad,
    python_str::python_str,
    sequences::{collected, is_list},
};
use crate::chat::limits::{ENTRY_BYTES, charge, charged};

/// `a ~ b`: the texts of both, one after the other.
pub(super) fn cat(state: &mut State, values: Rest<Value>) -> Result<String, Error> {
    let mut text = String::new();
    for value in values.0 {
        text.push_str(&python_str(state, &value)?);
    }
    charged(state, text)
}

/// `a + b + …`, from the left.
pub(super) fn add(state: &mut State, values: Rest<Value>) -> Result<Value, Error> {
    let mut values = values.0.into_iter();
    let first = values.next().unwrap_or_default();
    values.try_fold(first, |sum, value| add_two(state, &sum, &value))
}

fn add_two(state: &mut State, left: &Value, right: &Value) -> Result<Value, Error> {
    if let (Some(a), Some(b)) = (left.as_str(), right.as_str()) {
        let escapes = left.is_safe() != right.is_safe();
        let longest = if escapes { escaped_bytes(a).max(escaped_bytes(b)) } else { 0 };
        charge(state, a.len().saturating_add(b.len()).saturating_add(longest))?;
        // Text that is marked safe escapes what it is joined with, even where nothing else escapes.
        return Ok(match (left.is_safe(), right.is_safe()) {
            (false, false) => Value::from(format!("{a}{b}")),
            (true, true) => Value::from_safe_string(format!("{a}{b}")),
            (true, false) => Value::from_safe_string(format!("{a}{}", escaped(b))),
            (false, true) => Value::from_safe_string(format!("{}{b}", escaped(a))),
        });
    }
    if let (Some(a), Some(b)) = (integer(left), integer(right)) {
        let sum = a.checked_add(b).ok_or_else(|| bad("the sum is too large"))?;
        return Ok(i64::try_from(sum).map_or_else(|_| Value::from(sum), Value::from));
    }
    if let (Some(a), Some(b)) = (float(left), float(right)) {
        return Ok(Value::from(a + b));
    }
    if is_list(left) && is_list(right) && left.is_tuple() == right.is_tuple() {
        let items = left.try_iter()?.chain(right.try_iter()?).collect::<Vec<_>>();
        charge(state, items.len() * ENTRY_BYTES)?;
        return Ok(if left.is_tuple() { Tuple::from(items).into() } else { items.into() });
    }
    if left.is_undefined() || right.is_undefined() {
        return Err(Error::new(ErrorKind::UndefinedError, "a side of `+` is undefined"));
    }
    Err(bad(format!("cannot add {} and {}", left.kind(), right.kind())))
}

/// `a * b * …`, from the left.
pub(super) fn multiply(state: &mut State, values: Rest<Value>) -> Result<Value, Error> {
    let mut values = values.0.into_iter();
    let first = values.next().unwrap_or_default();
    values.try_fold(first, |product, value| multiply_two(state, &product, &value))
}

fn multiply_two(state: &mut State, left: &Value, right: &Value) -> Result<Value, Error> {
    if let (Some(a), Some(b)) = (integer(left), integer(right)) {
        let product = a.checked_mul(b).ok_or_else(|| bad("the product is too large"))?;
        return Ok(i64::try_from(product).map_or_else(|_| Value::from(product), Value::from));
    }
    if let (Some(a), Some(b)) = (float(left), float(right)) {
        return Ok(Value::from(a * b));
    }
    let (repeated, times) = if integer(left).is_some() { (right, left) } else { (left, right) };
    let Some(times) = integer(times) else {
        return Err(bad(format!("cannot multiply {} and {}", left.kind(), right.kind())));
    };
    // Fewer than none is none.
    let times = usize::try_from(times.max(0)).unwrap_or(usize::MAX);
    if let Some(text) = repeated.as_str() {
        charge(state, text.len().saturating_mul(times))?;
        return Ok(Value::from(text.repeat(times)));
    }
    if !is_list(repeated) {
        return Err(bad(format!("cannot repeat {}", repeated.kind())));
    }
    let items = collected(state, repeated)?;
    charge(state, items.len().max(1).saturating_mul(times).saturating_mul(ENTRY_BYTES))?;
    let items: Vec<Value> = std::iter::repeat_n(items, times).flatten().collect();
    Ok(if repeated.is_tuple() { Tuple::from(items).into() } else { items.into() })
}

/// Text with the five letters of HTML replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(escaped_bytes(text));
    for letter in text.chars() {
        match escape(letter) {
            Some(written) => out.push_str(written),
            None => out.push(letter),
        }
    }
    out
}

/// The length of what [`escaped`] makes.
pub(super) fn escaped_bytes(text: &str) -> usize {
    text.chars().map(|letter| escape(letter).map_or(letter.len_utf8(), str::len)).sum()
}

fn escape(letter: char) -> Option<&'static str> {
    Some(match letter {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '\'' => "&#39;",
        '"' => "&#34;",
        _ => return None,
    })
}

fn integer(value: &Value) -> Option<i128> {
    match value.kind() {
        ValueKind::Bool => Some(i128::from(value.is_true())),
        ValueKind::Number if value.is_integer() => i128::try_from(value.clone()).ok(),
        _ => None,
    }
}

fn float(value: &Value) -> Option<f64> {
    match value.kind() {
        ValueKind::Bool => Some(f64::from(u8::from(value.is_true()))),
        ValueKind::Number => f64::try_from(value.clone()).ok(),
        _ => None,
    }
}
