//! Filters and tests on lists and mappings where Jinja2 and the engine see them differently.

use std::borrow::Cow;

use minijinja::{
    Error, State, Value, filters,
    value::{Rest, Tuple, ValueKind, ValueOrKwargs},
};

use super::bad;
use crate::chat::limits::read;

/// `length` and `count`; an undefined value has none.
pub(super) fn length(state: &mut State, value: &Value) -> Result<usize, Error> {
    read(state, value.as_str().map_or(0, str::len))?;
    match value.kind() {
        ValueKind::Undefined => Ok(0),
        kind => value.len().ok_or_else(|| bad(format!("a value of type {kind} has no length"))),
    }
}

/// `items`; an undefined value has none.
pub(super) fn items(value: &Value) -> Result<Vec<Value>, Error> {
    match value.kind() {
        ValueKind::Undefined => Ok(Vec::new()),
        ValueKind::Map => value
            .try_iter()?
            .checked()
            .map(|key| {
                let key = key?;
                let item = value.get_item(&key)?;
                Ok(Tuple::from([key, item]).into())
            })
            .collect(),
        kind => Err(bad(format!("cannot get item pairs from {kind}"))),
    }
}

/// The test `iterable`; for the engine `none` is one too.
pub(super) fn is_iterable(value: &Value) -> bool {
    use ValueKind::{Bytes, Iterable, Map, Seq, String, Undefined};
    matches!(value.kind(), Undefined | String | Bytes | Seq | Map | Iterable)
}

/// The test `sequence`: what has a length and items, mappings and strings included.
pub(super) fn is_sequence(value: &Value) -> bool {
    is_iterable(value) && (value.kind() != ValueKind::Iterable || value.len().is_some())
}

// The filters below are generators in Jinja2: they have no length, can be read once, and `tojson`
// refuses them. Templates notice.

/// What a generator goes over: nothing where its source is empty, `none` or false.
fn source(value: Value) -> Value {
    if value.is_true() { value } else { Value::from(Vec::<Value>::new()) }
}

fn generator(items: Vec<Value>) -> Value {
    Value::make_one_shot_iterator(items.into_iter())
}

/// `map`.
pub(super) fn map(
    state: &mut State,
    value: Value,
    arguments: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    filters::map(state, source(value), arguments).map(generator)
}

/// `select`.
pub(super) fn select(
    state: &mut State,
    value: Value,
    test: Option<Cow<'_, str>>,
    arguments: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    filters::select(state, source(value), test, arguments).map(generator)
}

/// `reject`.
pub(super) fn reject(
    state: &mut State,
    value: Value,
    test: Option<Cow<'_, str>>,
    arguments: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    filters::reject(state, source(value), test, arguments).map(generator)
}

/// `selectattr`.
pub(super) fn selectattr(
    state: &mut State,
    value: Value,
    attribute: Cow<'_, str>,
    test: Option<Cow<'_, str>>,
    arguments: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    filters::selectattr(state, source(value), attribute, test, arguments).map(generator)
}

/// `rejectattr`.
pub(super) fn rejectattr(
    state: &mut State,
    value: Value,
    attribute: Cow<'_, str>,
    test: Option<Cow<'_, str>>,
    arguments: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    filters::rejectattr(state, source(value), attribute, test, arguments).map(generator)
}
