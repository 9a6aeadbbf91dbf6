//! Built-in functions that make or go through sequences.

use super::{
    Interpreter,
    call::Arguments,
    dialect::Dialect,
    failure::{Eval, Failure},
    iterate::{Cursor, no_order},
    object::{Object, Range},
    subscript::steps_between,
};

/// `any` when `wanted`, `all` when not: whether a value with that truth is there decides.
pub(super) fn any(it: &mut Interpreter, arguments: Arguments, wanted: bool) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.exactly()?;
    let (mut cursor, _) = it.any_cursor(&values, place)?;
    while let Some(slot) = it.advance(&mut cursor, place)? {
        it.heap.limits.steps(1)?;
        if it.truth(&slot.object)? == wanted {
            return Ok(Object::Bool(wanted));
        }
    }
    Ok(Object::Bool(!wanted))
}

pub(super) fn enumerate(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let start = arguments.keyword("start");
    let [values, second] = arguments.between(1)?;
    let start = start.or(second).unwrap_or(Object::Int(0));
    let Some(number) = start.as_int() else {
        return Err(Failure::type_error("enumerate() starts at an int"));
    };
    let inner = Box::new(it.cursor(&values.unwrap_or(Object::None), place)?);
    it.lazily(Cursor::Enumerated { inner, number }, place)
}

pub(super) fn filter(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [test, values] = arguments.exactly()?;
    let inner = Box::new(it.any_cursor(&values, place)?.0);
    it.lazily(Cursor::Filtered { test, inner }, place)
}

pub(super) fn iter(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.exactly()?;
    if matches!(values, Object::Iterator(_)) {
        return Ok(values);
    }
    let (cursor, _) = it.any_cursor(&values, place)?;
    it.heap.new_iterator(cursor)
}

pub(super) fn next(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values, default] = arguments.between(1)?;
    let values = values.unwrap_or(Object::None);
    if !matches!(values, Object::Iterator(_)) {
        let message = format!("'{}' object is not an iterator", values.kind());
        return Err(Failure::type_error(message));
    }
    let mut cursor = it.cursor(&values, place)?;
    match (it.advance(&mut cursor, place)?, default) {
        (Some(slot), _) => Ok(slot.object),
        (None, Some(default)) => Ok(default),
        (None, None) => Err(Failure::raised("StopIteration", "")),
    }
}

pub(super) fn list(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.between(0)?;
    let (slots, is_unordered) =
        values.map_or(Ok((Vec::new(), false)), |values| it.collect_any(&values, place))?;
    let list = it.heap.new_list(slots, place)?;
    it.heap.set_unordered(&list, is_unordered);
    Ok(list)
}

pub(super) fn tuple(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.between(0)?;
    let slots = values.map_or(Ok(Vec::new()), |values| it.collect(&values, place))?;
    it.heap.new_tuple(slots, place)
}

pub(super) fn set(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.between(0)?;
    let (slots, _) =
        values.map_or(Ok((Vec::new(), false)), |values| it.collect_any(&values, place))?;
    it.heap.new_set(slots, place)
}

pub(super) fn map(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let mut positional = arguments.positional.into_iter();
    let Some(function) = positional.next() else {
        return Err(Failure::type_error("map() needs a function"));
    };
    let columns = positional.as_slice();
    let mut inner = Vec::with_capacity(columns.len());
    for column in columns {
        let (cursor, is_unordered) = it.any_cursor(&column.object, place)?;
        if is_unordered && columns.len() > 1 {
            return Err(no_order());
        }
        inner.push(cursor);
    }
    it.lazily(Cursor::Mapped { function: function.object, inner }, place)
}

pub(super) fn zip(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    if let Some(strict) = arguments.keyword("strict")
        && it.truth(&strict)?
    {
        return Err(Failure::unsupported("zip(…, strict=True)"));
    }
    if let Some((name, _)) = arguments.keywords.first() {
        return Err(Failure::type_error(format!("zip() got an unexpected argument '{name}'")));
    }
    let mut inner = Vec::with_capacity(arguments.positional.len());
    for column in &arguments.positional {
        inner.push(it.cursor(&column.object, place)?);
    }
    it.lazily(Cursor::Zipped(inner), place)
}

pub(super) fn range(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let numbers: [Option<Object>; 3] = arguments.between(1)?;
    let mut ints = [None; 3];
    for (int, number) in ints.iter_mut().zip(&numbers) {
        if let Some(number) = number {
            *int = Some(number.as_int().ok_or_else(|| {
                Failure::type_error(format!("range() of a {}, not an int", number.kind()))
            })?);
        }
    }
    let (start, stop, step) = match ints {
        [Some(start), Some(stop), step] => (start, stop, step.unwrap_or(1)),
        [stop, _, _] => (0, stop.unwrap_or(0), 1),
    };
    if step == 0 {
        return Err(Failure::value_error("range() step must not be zero"));
    }
    Ok(Object::Range(Range { start, step, length: steps_between(start, stop, step) }))
}

pub(super) fn reversed(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.exactly()?;
    let mut slots = it.collect(&values, place)?;
    slots.reverse();
    it.lazily(Cursor::Items(slots.into_iter()), place)
}

pub(super) fn sum(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let start = arguments.keyword("start");
    let [values, second] = arguments.between(1)?;
    let mut total = start.or(second).unwrap_or(Object::Int(0));
    if let (Object::List(start), Dialect::Config) = (&total, it.dialect) {
        // Lists are gathered at once: adding them one by one copies the sum each time.
        let mut slots = it.heap.list(*start).slots.clone();
        for part in it.collect(&values.unwrap_or(Object::None), place)? {
            let Object::List(part) = part.object else {
                let message =
                    format!("can only add a list to a list, not a {}", part.object.kind());
                return Err(Failure::type_error(message));
            };
            slots.extend_from_slice(&it.heap.list(part).slots);
            it.heap.limits.elements(it.heap.list(part).slots.len())?;
        }
        return it.heap.new_list(slots, place);
    }
    if let Object::Str(_) = &total {
        return Err(Failure::type_error("sum() cannot add strings").with_hint("use ''.join(…)"));
    }
    let (slots, is_unordered) = it.collect_any(&values.unwrap_or(Object::None), place)?;
    if is_unordered && !slots.iter().all(|slot| slot.object.as_int().is_some()) {
        return Err(no_order());
    }
    for slot in slots {
        total = it.binary(ruff_python_ast::Operator::Add, &total, &slot.object, place)?;
    }
    Ok(total)
}

pub(super) fn len(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    match it.heap.length(&value) {
        Some(length) => Ok(Object::count(length)),
        None => Err(Failure::type_error(format!("object of type '{}' has no len()", value.kind()))),
    }
}
