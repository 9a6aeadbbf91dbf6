//! `itertools`: rows of values made of others.

use super::{
    Interpreter,
    builtin::Builtin,
    call::Arguments,
    failure::{Eval, Failure},
    iterate::Cursor,
    object::{Object, Slot},
};

/// Functions of the module.
pub(super) static FUNCTIONS: &[Builtin] = &[
    Builtin { name: "chain", call: chain },
    Builtin { name: "combinations", call: combinations },
    Builtin { name: "islice", call: islice },
    Builtin { name: "product", call: product },
    Builtin { name: "zip_longest", call: zip_longest },
];

/// What is found under `itertools.chain`.
pub(super) static OF_CHAIN: &[Builtin] = &[Builtin { name: "from_iterable", call: chain_from }];

fn chain_from(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.exactly()?;
    let mut slots = Vec::new();
    for part in it.collect(&values, place)? {
        slots.extend(it.collect(&part.object, place)?);
    }
    it.lazily(Cursor::Items(slots.into_iter()), place)
}

fn chain(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let mut slots = Vec::new();
    for part in arguments.positional {
        slots.extend(it.collect(&part.object, place)?);
    }
    it.lazily(Cursor::Items(slots.into_iter()), place)
}

fn product(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let mut rows: Vec<Vec<Slot>> = vec![Vec::new()];
    for factor in arguments.positional {
        let values = it.collect(&factor.object, place)?;
        let width = rows.first().map_or(0, Vec::len) + 1;
        // Checked before the room is taken.
        it.heap.limits.elements(rows.len().saturating_mul(values.len()).saturating_mul(width))?;
        rows = rows
            .iter()
            .flat_map(|row| {
                values.iter().map(|value| [&**row, std::slice::from_ref(value)].concat())
            })
            .collect();
    }
    let mut tuples = Vec::with_capacity(rows.len());
    for row in rows {
        tuples.push(Slot { object: it.heap.new_tuple(row, place)?, place });
    }
    it.lazily(Cursor::Items(tuples.into_iter()), place)
}

/// `itertools.combinations(values, size)`.
fn combinations(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values, size] = arguments.exactly()?;
    let values = it.collect(&values, place)?;
    let Some(size) = size.as_int().and_then(|size| usize::try_from(size).ok()) else {
        return Err(Failure::value_error("r must be non-negative"));
    };
    let mut slots = Vec::new();
    let mut chosen: Vec<usize> = (0..size).collect();
    while size <= values.len() {
        let row = chosen.iter().filter_map(|at| values.get(*at).cloned()).collect();
        slots.push(Slot { object: it.heap.new_tuple(row, place)?, place });
        // The last place that can still move on.
        let Some(at) =
            (0..size).rev().find(|at| chosen.get(*at) != Some(&(at + values.len() - size)))
        else {
            break;
        };
        let first = chosen.get(at).map_or(0, |place| place + 1);
        for (step, place) in chosen.iter_mut().skip(at).enumerate() {
            *place = first + step;
        }
    }
    it.lazily(Cursor::Items(slots.into_iter()), place)
}

/// `itertools.islice(values, start, stop, step)`.
fn islice(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values, first, second, step] = arguments.between(2)?;
    let (start, stop) = match second {
        None => (None, first),
        stop => (first, stop),
    };
    let count = |value: Option<Object>, default: usize| match value {
        None | Some(Object::None) => Ok(default),
        Some(value) => {
            value.as_int().and_then(|value| usize::try_from(value).ok()).ok_or_else(|| {
                Failure::value_error("islice() needs whole numbers that are not negative")
            })
        }
    };
    let (start, stop, step) = (count(start, 0)?, count(stop, usize::MAX)?, count(step, 1)?.max(1));
    let mut cursor = it.cursor(&values.unwrap_or(Object::None), place)?;
    let mut slots = Vec::new();
    let mut at = 0;
    // As in Python, nothing behind the last one is taken.
    while at < stop
        && let Some(slot) = it.advance(&mut cursor, place)?
    {
        it.heap.limits.steps(1)?;
        if at >= start && (at - start) % step == 0 {
            slots.push(slot);
        }
        at += 1;
    }
    it.lazily(Cursor::Items(slots.into_iter()), place)
}

/// `itertools.zip_longest(…, fillvalue=None)`.
fn zip_longest(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let fill = arguments.keyword("fillvalue").unwrap_or(Object::None);
    let mut columns = Vec::new();
    for column in &arguments.positional {
        columns.push(it.collect(&column.object, place)?);
    }
    let length = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut slots = Vec::with_capacity(length);
    for at in 0..length {
        let value = |column: &Vec<Slot>| {
            column.get(at).cloned().unwrap_or_else(|| Slot { object: fill.clone(), place })
        };
        let row = columns.iter().map(value).collect();
        slots.push(Slot { object: it.heap.new_tuple(row, place)?, place });
    }
    it.lazily(Cursor::Items(slots.into_iter()), place)
}
