//! Built-in functions that make or go through sequences.
//!
//! `zip`, `map` and their like are lists here, made at once: a config cannot tell the difference.

use super::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::{Object, Range, Slot, SourceLine},
    subscript::steps_between,
};

/// `any` when `wanted`, `all` when not: whether a value with that truth is there decides.
pub(super) fn any(it: &mut Interpreter, arguments: Arguments, wanted: bool) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.exactly()?;
    let mut cursor = it.heap.cursor(&values, place)?;
    while let Some(slot) = it.heap.advance(&mut cursor, place) {
        it.heap.limits.steps(1)?;
        if it.heap.is_true(&slot.object) == wanted {
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
    let Some(start) = start.as_int() else {
        return Err(Failure::type_error("enumerate() starts at an int"));
    };
    let values = it.heap.collect(&values.unwrap_or(Object::None), place)?;
    let mut pairs = Vec::with_capacity(values.len());
    for (at, slot) in values.into_iter().enumerate() {
        let number = i64::try_from(at).ok().and_then(|at| start.checked_add(at));
        let number = number.ok_or_else(Failure::too_big)?;
        let number = Slot { object: Object::Int(number), place };
        pairs.push(Slot { object: it.heap.new_tuple(vec![number, slot], place)?, place });
    }
    it.heap.new_list(pairs, place)
}

pub(super) fn filter(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [test, values] = arguments.exactly()?;
    let mut kept = Vec::new();
    for slot in it.heap.collect(&values, place)? {
        let passes = match &test {
            Object::None => slot.object.clone(),
            test => it.call_with(test, vec![slot.clone()], place)?,
        };
        if it.heap.is_true(&passes) {
            kept.push(slot);
        }
    }
    it.heap.new_list(kept, place)
}

pub(super) fn list(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.between(0)?;
    let slots = values.map_or(Ok(Vec::new()), |values| it.heap.collect(&values, place))?;
    it.heap.new_list(slots, place)
}

pub(super) fn tuple(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.between(0)?;
    let slots = values.map_or(Ok(Vec::new()), |values| it.heap.collect(&values, place))?;
    it.heap.new_tuple(slots, place)
}

pub(super) fn set(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.between(0)?;
    let slots = values.map_or(Ok(Vec::new()), |values| it.heap.collect(&values, place))?;
    it.heap.new_set(slots, place)
}

pub(super) fn map(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let mut positional = arguments.positional.into_iter();
    let Some(function) = positional.next() else {
        return Err(Failure::type_error("map() needs a function"));
    };
    let mut made = Vec::new();
    for row in rows(it, positional.as_slice(), place)? {
        made.push(Slot { object: it.call_with(&function.object, row, place)?, place });
    }
    it.heap.new_list(made, place)
}

pub(super) fn zip(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let Arguments { positional, .. } = arguments;
    let mut made = Vec::new();
    for row in rows(it, &positional, place)? {
        made.push(Slot { object: it.heap.new_tuple(row, place)?, place });
    }
    it.heap.new_list(made, place)
}

/// The first values of all columns, then the second, as long as every column has one.
fn rows(it: &Interpreter, columns: &[Slot], place: SourceLine) -> Eval<Vec<Vec<Slot>>> {
    let mut cursors = columns
        .iter()
        .map(|column| it.heap.cursor(&column.object, place))
        .collect::<Eval<Vec<_>>>()?;
    let mut rows = Vec::new();
    while !cursors.is_empty() {
        it.heap.limits.elements(cursors.len())?;
        let row: Option<Vec<Slot>> =
            cursors.iter_mut().map(|cursor| it.heap.advance(cursor, place)).collect();
        match row {
            Some(row) => rows.push(row),
            None => break,
        }
    }
    Ok(rows)
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
    let mut slots = it.heap.collect(&values, place)?;
    slots.reverse();
    it.heap.new_list(slots, place)
}

pub(super) fn sum(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let start = arguments.keyword("start");
    let [values, second] = arguments.between(1)?;
    let mut total = start.or(second).unwrap_or(Object::Int(0));
    if let Object::List(start) = &total {
        // Lists are gathered at once: adding them one by one copies the sum each time.
        let mut slots = it.heap.list(*start).slots.clone();
        for part in it.heap.collect(&values.unwrap_or(Object::None), place)? {
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
    for slot in it.heap.collect(&values.unwrap_or(Object::None), place)? {
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
