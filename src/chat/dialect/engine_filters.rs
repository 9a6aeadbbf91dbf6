//! The engine's own filters that make lists or text, with what they go through counted first.

use minijinja::{
    Environment, Error, State, Value, filters,
    value::{Kwargs, Rest},
};

use crate::chat::limits::{ENTRY_BYTES, charge};

/// Puts them into an environment.
pub(super) fn add_to(environment: &mut Environment) {
    environment.add_filter("chain", |state: &mut State, value: Value, others: Rest<Value>| {
        others.iter().try_for_each(|other| count_entries(state, other))?;
        count_entries(state, &value)?;
        filters::chain(state, value, others)
    });
    environment.add_filter("dictsort", |state: &mut State, value: &Value, named: Kwargs| {
        count_entries(state, value)?;
        filters::dictsort(value, named)
    });
    environment.add_filter(
        "groupby",
        |state: &mut State, value: Value, attribute: Option<&str>, named: Kwargs| {
            count_entries(state, &value)?;
            filters::groupby(value, attribute, named)
        },
    );
    environment.add_filter("lines", |state: &mut State, value: &Value| {
        count_entries(state, value)?;
        filters::lines(value)
    });
    environment.add_filter("list", |state: &mut State, value: Value| {
        count_entries(state, &value)?;
        filters::list(state, value)
    });
    environment.add_filter("max", |state: &mut State, value: Value, named: Kwargs| {
        count_entries(state, &value)?;
        filters::max(state, value, named)
    });
    environment.add_filter("min", |state: &mut State, value: Value, named: Kwargs| {
        count_entries(state, &value)?;
        filters::min(state, value, named)
    });
    environment.add_filter("reverse", |state: &mut State, value: &Value| {
        count_text_or_entries(state, value)?;
        filters::reverse(value)
    });
    environment.add_filter("sort", |state: &mut State, value: Value, named: Kwargs| {
        count_entries(state, &value)?;
        filters::sort(state, value, named)
    });
    environment.add_filter("unique", |state: &mut State, value: Value, named: Kwargs| {
        count_entries(state, &value)?;
        filters::unique(state, value, named)
    });
    environment.add_filter("zip", |state: &mut State, value: Value, others: Rest<Value>| {
        others.iter().try_for_each(|other| count_entries(state, other))?;
        count_entries(state, &value)?;
        filters::zip(state, value, others)
    });
}

/// Counts the entries of a value, which for a text are at most its bytes.
fn count_entries(state: &mut State, value: &Value) -> Result<(), Error> {
    let entries = value.as_str().map_or_else(|| value.len().unwrap_or(0), str::len);
    charge(state, entries.saturating_mul(ENTRY_BYTES))
}

/// Counts a text as text.
fn count_text_or_entries(state: &mut State, value: &Value) -> Result<(), Error> {
    match value.as_str() {
        Some(text) => charge(state, text.len()),
        None => count_entries(state, value),
    }
}
