//! Filters that can make much of little, with what they make counted first.

use minijinja::{
    Error, State, Value, filters,
    value::{Kwargs, Rest, ValueKind, ValueOrKwargs},
};

use super::{
    arithmetic::{add, escaped, escaped_bytes},
    bad,
    python_str::python_str,
    sequences::iterate,
};
use crate::chat::limits::{ENTRY_BYTES, charge};

/// `batch(linecount, fill_with=None)`.
pub(super) fn batch(
    state: &mut State,
    value: Value,
    count: usize,
    filler: Option<Value>,
) -> Result<Value, Error> {
    charge(state, count.saturating_mul(ENTRY_BYTES))?;
    filters::batch(state, value, count, filler)
}

/// `slice(slices, fill_with=None)`.
pub(super) fn slice(
    state: &mut State,
    value: Value,
    count: usize,
    filler: Option<Value>,
) -> Result<Value, Error> {
    charge(state, count.saturating_mul(ENTRY_BYTES))?;
    filters::slice(state, value, count, filler)
}

/// `escape` and `e`.
pub(super) fn escape(state: &mut State, value: Value) -> Result<Value, Error> {
    if value.is_safe() {
        return Ok(value);
    }
    let text = python_str(state, &value)?;
    charge(state, escaped_bytes(&text))?;
    Ok(Value::from_safe_string(escaped(&text)))
}

/// `format`, with `printf`'s directives.
pub(super) fn format(
    state: &mut State,
    pattern: &Value,
    arguments: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let values: Vec<Value> =
        arguments.iter().map(|argument| argument.clone().into_value()).collect();
    charge_format(state, pattern.as_str().unwrap_or_default(), &values)?;
    filters::format(state, pattern, arguments)
}

/// Counts what a pattern may make of values: every number in it may be a width, and every value too
/// where the pattern takes widths from them.
pub(super) fn charge_format(
    state: &mut State,
    pattern: &str,
    values: &[Value],
) -> Result<(), Error> {
    for digits in pattern.split(|letter: char| !letter.is_ascii_digit()) {
        charge(state, digits.parse().unwrap_or(usize::from(!digits.is_empty())))?;
    }
    let widths_are_values = ["*", ":{", ".{"].iter().any(|taken| pattern.contains(taken));
    for value in values {
        match value.as_usize() {
            Some(width) if widths_are_values => charge(state, width)?,
            _ => drop(python_str(state, value)?),
        }
    }
    Ok(())
}

/// `sum(attribute=None, start=0)`.
#[expect(clippy::needless_pass_by_value, reason = "the engine passes named arguments by value")]
pub(super) fn sum(
    state: &mut State,
    value: &Value,
    positional: Rest<Value>,
    named: Kwargs,
) -> Result<Value, Error> {
    let argument = |index: usize, name: &str| match positional.get(index) {
        Some(value) => Ok(Some(value.clone())),
        None => named.get::<Option<Value>>(name),
    };
    let attribute = argument(0, "attribute")?.filter(|attribute| !attribute.is_none());
    let start = argument(1, "start")?.unwrap_or_else(|| Value::from(0));
    named.assert_all_used()?;
    if start.kind() == ValueKind::String {
        return Err(bad("strings cannot be summed; use join"));
    }
    iterate(state, value)?.try_iter()?.try_fold(start, |sum, item| {
        let item = match attribute.as_ref().and_then(Value::as_str) {
            Some(attribute) => item.get_attr(attribute)?,
            None => item,
        };
        add(state, Rest(vec![sum, item]))
    })
}
