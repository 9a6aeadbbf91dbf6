//! Python's built-in functions that configs use.

use std::rc::Rc;

use super::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    format,
    object::{Object, Range, Slot},
    path, quoted,
    subscript::steps_between,
};

/// A function, or a class used as one.
#[derive(Debug)]
pub(super) struct Builtin {
    pub(super) name: &'static str,
    pub(super) call: fn(&mut Interpreter, Arguments) -> Eval<Object>,
}

/// The known ones, sorted by name.
static BUILTINS: &[Builtin] = &[
    Builtin { name: "abs", call: abs },
    Builtin { name: "all", call: |it, arguments| any(it, arguments, false) },
    Builtin { name: "any", call: |it, arguments| any(it, arguments, true) },
    Builtin { name: "bool", call: bool },
    Builtin { name: "chr", call: chr },
    Builtin { name: "dict", call: Interpreter::new_dict_from },
    Builtin { name: "divmod", call: divmod },
    Builtin { name: "enumerate", call: enumerate },
    Builtin { name: "eval", call: quoted::eval },
    Builtin { name: "filter", call: filter },
    Builtin { name: "float", call: float },
    Builtin { name: "frozenset", call: set },
    Builtin { name: "getattr", call: getattr },
    Builtin { name: "globals", call: globals },
    Builtin { name: "hasattr", call: hasattr },
    Builtin { name: "int", call: int },
    Builtin { name: "isinstance", call: isinstance },
    Builtin { name: "len", call: len },
    Builtin { name: "list", call: list },
    Builtin { name: "locals", call: locals },
    Builtin { name: "map", call: map },
    Builtin { name: "max", call: |it, arguments| it.extreme(arguments, true) },
    Builtin { name: "min", call: |it, arguments| it.extreme(arguments, false) },
    Builtin { name: "open", call: path::open },
    Builtin { name: "ord", call: ord },
    Builtin { name: "print", call: |_, _| Ok(Object::None) },
    Builtin { name: "range", call: range },
    Builtin { name: "repr", call: repr },
    Builtin { name: "reversed", call: reversed },
    Builtin { name: "round", call: round },
    Builtin { name: "set", call: set },
    Builtin { name: "sorted", call: Interpreter::sorted },
    Builtin { name: "str", call: str },
    Builtin { name: "sum", call: sum },
    Builtin { name: "tuple", call: tuple },
    Builtin { name: "type", call: kind_of },
    Builtin { name: "zip", call: zip },
];

/// Python has them, configs cannot use them; known so that the message can say so.
const UNSUPPORTED: &[&str] = &[
    "__import__",
    "breakpoint",
    "bytes",
    "classmethod",
    "compile",
    "complex",
    "delattr",
    "dir",
    "exec",
    "format",
    "hash",
    "hex",
    "id",
    "input",
    "iter",
    "next",
    "object",
    "oct",
    "property",
    "setattr",
    "slice",
    "staticmethod",
    "super",
    "vars",
];

/// The built-in function or class of this name.
pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    let index = BUILTINS.binary_search_by_key(&name, |builtin| builtin.name).ok()?;
    BUILTINS.get(index)
}

/// Whether a name is Python's but not known here.
pub(super) fn is_unsupported(name: &str) -> bool {
    UNSUPPORTED.contains(&name)
}

/// All known names.
pub(super) fn names<'a>() -> impl Iterator<Item = &'a str> {
    BUILTINS.iter().map(|builtin| builtin.name)
}

fn abs(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    match &value {
        Object::Float(number) => Ok(Object::Float(number.abs())),
        _ => match value.as_int() {
            Some(number) => number.checked_abs().map(Object::Int).ok_or_else(Failure::too_big),
            None => Err(Failure::type_error(format!("abs() of a {}", value.kind()))),
        },
    }
}

/// `any` when `wanted`, `all` when not: whether a value with that truth is there decides.
fn any(it: &mut Interpreter, arguments: Arguments, wanted: bool) -> Eval<Object> {
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

fn bool(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.between(0)?;
    Ok(Object::Bool(value.is_some_and(|value| it.heap.is_true(&value))))
}

fn chr(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [code] = arguments.exactly()?;
    let letter = code.as_int().and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32);
    match letter {
        Some(letter) => Ok(Object::text(letter.encode_utf8(&mut [0; 4]))),
        None => Err(Failure::value_error("chr() needs the code of a character")),
    }
}

fn ord(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [text] = arguments.exactly()?;
    if let Object::Str(text) = &text {
        let mut letters = text.chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            return Ok(Object::Int(i64::from(u32::from(letter))));
        }
    }
    Err(Failure::type_error("ord() needs a string of one character"))
}

fn divmod(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [left, right] = arguments.exactly()?;
    let quotient = it.binary(ruff_python_ast::Operator::FloorDiv, &left, &right, place)?;
    let remainder = it.binary(ruff_python_ast::Operator::Mod, &left, &right, place)?;
    it.heap.new_tuple([quotient, remainder].map(|object| Slot { object, place }).to_vec(), place)
}

fn enumerate(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
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

fn filter(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
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

fn float(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.between(0)?;
    let value = value.unwrap_or(Object::Int(0));
    if let Object::Str(text) = &value {
        let digits = text.trim().replace('_', "");
        return digits
            .parse()
            .map(Object::Float)
            .map_err(|_| Failure::value_error(format!("could not convert '{text}' to float")));
    }
    match value.as_float() {
        Some(number) => Ok(Object::Float(number)),
        None => Err(Failure::type_error(format!("float() of a {}", value.kind()))),
    }
}

fn getattr(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value, name, default] = arguments.between(2)?;
    let (Some(value), Some(Object::Str(name))) = (value, name) else {
        return Err(Failure::type_error("the name of an attribute is a string"));
    };
    match (it.attribute(&value, &name), default) {
        (Err(_), Some(default)) => Ok(default),
        (found, _) => found,
    }
}

fn hasattr(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value, name] = arguments.exactly()?;
    let Object::Str(name) = name else {
        return Err(Failure::type_error("the name of an attribute is a string"));
    };
    Ok(Object::Bool(it.attribute(&value, &name).is_ok()))
}

fn globals(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [] = arguments.exactly()?;
    Ok(Object::Dict(it.scope_at(it.module_scope()).variables))
}

fn locals(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [] = arguments.exactly()?;
    Ok(Object::Dict(it.scope_at(it.local_scope()).variables))
}

fn int(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value, base] = arguments.between(0)?;
    let value = value.unwrap_or(Object::Int(0));
    match (&value, base) {
        (Object::Str(text), base) => {
            let radix = match base.as_ref().map(Object::as_int) {
                None => 10,
                Some(Some(radix @ 2..=36)) => radix as u32,
                Some(_) => return Err(Failure::value_error("int() base must be from 2 to 36")),
            };
            let digits = text.trim().replace('_', "");
            i64::from_str_radix(&digits, radix).map(Object::Int).map_err(|error| {
                match error.kind() {
                    std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                        Failure::too_big()
                    }
                    _ => Failure::value_error(format!(
                        "invalid literal for int() with base {radix}: '{text}'"
                    )),
                }
            })
        }
        (Object::Float(number), None) if number.is_finite() => {
            let whole = number.trunc();
            // 2^63 itself does not fit.
            if whole.abs() < 9_223_372_036_854_775_808.0 {
                Ok(Object::Int(whole as i64))
            } else {
                Err(Failure::too_big())
            }
        }
        (Object::Float(_), None) => Err(Failure::value_error("int() of a float that is no number")),
        (value, None) => match value.as_int() {
            Some(number) => Ok(Object::Int(number)),
            None => Err(Failure::type_error(format!("int() of a {}", value.kind()))),
        },
        (_, Some(_)) => Err(Failure::type_error("int() with a base needs a string")),
    }
}

fn isinstance(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value, kinds] = arguments.exactly()?;
    let kinds = match &kinds {
        Object::Tuple(_) => it.heap.items(&kinds).unwrap_or_default().to_vec(),
        _ => vec![Slot { object: kinds, place: super::object::Place::default() }],
    };
    let is_kind = |slot: &Slot| match &slot.object {
        Object::Builtin(kind) => {
            kind.name == value.kind()
                || (kind.name == "int" && matches!(value, Object::Bool(_)))
                || (kind.name == "type" && matches!(value, Object::Builtin(_)))
        }
        _ => false,
    };
    Ok(Object::Bool(kinds.iter().any(is_kind)))
}

fn len(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    match it.heap.length(&value) {
        Some(length) => Ok(Object::count(length)),
        None => Err(Failure::type_error(format!("object of type '{}' has no len()", value.kind()))),
    }
}

fn list(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.between(0)?;
    let slots = values.map_or(Ok(Vec::new()), |values| it.heap.collect(&values, place))?;
    it.heap.new_list(slots, place)
}

fn tuple(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.between(0)?;
    let slots = values.map_or(Ok(Vec::new()), |values| it.heap.collect(&values, place))?;
    it.heap.new_tuple(slots, place)
}

fn set(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.between(0)?;
    let slots = values.map_or(Ok(Vec::new()), |values| it.heap.collect(&values, place))?;
    it.heap.new_set(slots, place)
}

fn map(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
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

fn zip(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let mut made = Vec::new();
    for row in rows(it, &arguments.positional, place)? {
        made.push(Slot { object: it.heap.new_tuple(row, place)?, place });
    }
    it.heap.new_list(made, place)
}

/// The first values of all columns, then the second, as long as every column has one.
fn rows(it: &Interpreter, columns: &[Slot], place: super::object::Place) -> Eval<Vec<Vec<Slot>>> {
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

fn range(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
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

fn repr(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    Ok(Object::Str(it.heap.repr(&value)?.into()))
}

fn str(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.between(0)?;
    match value {
        None => Ok(Object::text("")),
        Some(value @ Object::Str(_)) => Ok(value),
        Some(value) => Ok(Object::Str(it.heap.str(&value)?.into())),
    }
}

fn reversed(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [values] = arguments.exactly()?;
    let mut slots = it.heap.collect(&values, place)?;
    slots.reverse();
    it.heap.new_list(slots, place)
}

fn round(_: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let digits = arguments.keyword("ndigits");
    let [value, second] = arguments.between(1)?;
    let value = value.unwrap_or(Object::None);
    let digits = digits.or(second).filter(|digits| !matches!(digits, Object::None));
    match (&value, digits.map(|digits| digits.as_int())) {
        (Object::Float(number), None) => {
            let whole = number.round_ties_even();
            if whole.abs() < 9_223_372_036_854_775_808.0 {
                Ok(Object::Int(whole as i64))
            } else {
                Err(Failure::too_big())
            }
        }
        (Object::Float(number), Some(Some(digits))) => {
            Ok(Object::Float(format::round(*number, digits)))
        }
        (value, None | Some(Some(0..))) if value.as_int().is_some() => {
            Ok(Object::Int(value.as_int().unwrap_or_default()))
        }
        (value, _) => Err(Failure::type_error(format!("round() of a {}", value.kind()))),
    }
}

fn sum(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
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

fn kind_of(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    Ok(match (&value, find(value.kind())) {
        (Object::Exception(exception), _) => Object::Type(Rc::clone(&exception.0)),
        (_, Some(kind)) => Object::Builtin(kind),
        (_, None) => Object::Type(value.kind().into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(BUILTINS.is_sorted_by_key(|builtin| builtin.name));
    }
}
