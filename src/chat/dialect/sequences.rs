//! Lists and strings as loops, slices and variables see them.

use minijinja::{
    Error, ErrorKind, State, Value,
    value::{Tuple, ValueKind},
};

use super::bad;
use crate::chat::limits::{ENTRY_BYTES, charge, check_nesting};

/// Whether Python has a list there: slices of lists are lazy for the engine, but lists for Python; what has no length is a generator.
pub(super) fn is_list(value: &Value) -> bool {
    value.kind() == ValueKind::Seq || value.kind() == ValueKind::Iterable && value.len().is_some()
}

/// What a template keeps under a name: counted, not nested without end, and no chain of lazy slices.
pub(super) fn held(state: &mut State, value: Value) -> Result<Value, Error> {
    charge(state, value.as_str().map_or(0, str::len))?;
    let value = match value.kind() {
        ValueKind::Iterable if is_list(&value) => collected(state, &value)?.into(),
        _ => value,
    };
    weigh(state, &value, 0)?;
    Ok(value)
}

fn weigh(state: &mut State, value: &Value, depth: usize) -> Result<(), Error> {
    check_nesting(depth)?;
    charge(state, ENTRY_BYTES)?;
    match value.kind() {
        ValueKind::Seq => {
            for item in value.try_iter()?.checked() {
                weigh(state, &item?, depth + 1)?;
            }
        }
        ValueKind::Map => {
            for key in value.try_iter()?.checked() {
                weigh(state, &value.get_item(&key?)?, depth + 1)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// What a loop goes over: the letters of a string, the keys of a mapping, nothing for an undefined
/// value, and an error for what Python cannot iterate.
pub(super) fn iterate(state: &mut State, value: &Value) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::Undefined => Ok(Value::from(Vec::<Value>::new())),
        ValueKind::String => {
            let text = value.as_str().unwrap_or_default();
            charge(state, text.len().saturating_mul(ENTRY_BYTES))?;
            let letters = text.chars().map(|letter| Value::from(letter.to_string()));
            Ok(letters.collect::<Vec<_>>().into())
        }
        ValueKind::Seq | ValueKind::Iterable | ValueKind::Map => {
            Ok(collected(state, value)?.into())
        }
        kind => Err(bad(format!("cannot loop over {kind}"))),
    }
}

/// The items of a list or the keys of a mapping.
pub(super) fn collected(state: &mut State, value: &Value) -> Result<Vec<Value>, Error> {
    let mut items = Vec::new();
    for item in value.try_iter()?.checked() {
        charge(state, ENTRY_BYTES)?;
        items.push(item?);
    }
    Ok(items)
}

/// `value[start:stop:step]`.
pub(super) fn slice(
    state: &mut State,
    value: &Value,
    start: Option<i64>,
    stop: Option<i64>,
    step: Option<i64>,
) -> Result<Value, Error> {
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(bad("the step of a slice cannot be 0"));
    }
    if value.is_undefined() {
        return Err(Error::new(ErrorKind::UndefinedError, "an undefined value has no slices"));
    }
    if value.kind() != ValueKind::String && !is_list(value) {
        // A subscript that Python refuses is undefined in a template.
        return Ok(Value::UNDEFINED);
    }
    let items = iterate(state, value)?.try_iter()?.collect::<Vec<_>>();
    let picked: Vec<Value> =
        indices(items.len(), start, stop, step).filter_map(|at| items.get(at).cloned()).collect();
    Ok(match value.kind() {
        ValueKind::String => picked.iter().filter_map(Value::as_str).collect::<String>().into(),
        _ if value.is_tuple() => Tuple::from(picked).into(),
        _ => picked.into(),
    })
}

/// Python's `range(*slice(start, stop, step).indices(length))`.
fn indices(
    length: usize,
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
) -> impl Iterator<Item = usize> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let (lowest, highest) = if step > 0 { (0, length) } else { (-1, length - 1) };
    let bound = |index: i64| {
        (if index < 0 { index.saturating_add(length) } else { index }).clamp(lowest, highest)
    };
    let (first, last) = if step > 0 { (lowest, highest) } else { (highest, lowest) };
    let (start, stop) = (start.map_or(first, bound), stop.map_or(last, bound));
    std::iter::successors(Some(start), move |at| at.checked_add(step))
        .take_while(move |at| if step > 0 { *at < stop } else { *at > stop })
        .filter_map(|at| usize::try_from(at).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_pick_what_python_picks() {
        let picked = |start, stop, step| indices(5, start, stop, step).collect::<Vec<_>>();
        assert_eq!(picked(None, None, -1), [4, 3, 2, 1, 0]);
        assert_eq!(picked(Some(-2), Some(0), -2), [3, 1]);
        assert_eq!(picked(Some(1), Some(99), 3), [1, 4]);
        assert_eq!(picked(None, Some(-9), -1), [4, 3, 2, 1, 0]);
        assert_eq!(indices(0, None, None, -1).count(), 0);
    }
}
