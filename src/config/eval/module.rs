//! The modules of Python that configs call: `copy`, `itertools`, `math`, `os`.

use std::path::Path;

use super::{
    Interpreter,
    border::Copying,
    builtin::Builtin,
    call::Arguments,
    failure::{Eval, Failure},
    object::{Object, Slot},
    path,
};

/// A module that is known here.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) name: &'static str,
    functions: &'static [Builtin],
    numbers: &'static [(&'static str, f64)],
    texts: &'static [(&'static str, &'static str)],
}

/// The known modules.
static MODULES: &[Module] = &[
    Module { name: "copy", functions: COPY, numbers: &[], texts: &[] },
    Module { name: "itertools", functions: ITERTOOLS, numbers: &[], texts: &[] },
    Module { name: "math", functions: MATH, numbers: MATH_NUMBERS, texts: &[] },
    Module { name: "os", functions: OS, numbers: &[], texts: OS_TEXTS },
    Module { name: "os.environ", functions: OS_ENVIRON, numbers: &[], texts: &[] },
    Module { name: "os.path", functions: OS_PATH, numbers: &[], texts: OS_TEXTS },
];

static COPY: &[Builtin] =
    &[Builtin { name: "copy", call: copy }, Builtin { name: "deepcopy", call: deepcopy }];

static ITERTOOLS: &[Builtin] =
    &[Builtin { name: "chain", call: chain }, Builtin { name: "product", call: product }];

static MATH: &[Builtin] = &[
    Builtin { name: "ceil", call: |_, arguments| whole(arguments, f64::ceil) },
    Builtin { name: "cos", call: |_, arguments| real(arguments, f64::cos) },
    Builtin { name: "exp", call: |_, arguments| real(arguments, f64::exp) },
    Builtin { name: "floor", call: |_, arguments| whole(arguments, f64::floor) },
    Builtin { name: "isinf", call: |_, arguments| test(arguments, f64::is_infinite) },
    Builtin { name: "isnan", call: |_, arguments| test(arguments, f64::is_nan) },
    Builtin { name: "log", call: log },
    Builtin { name: "log10", call: |_, arguments| real(arguments, f64::log10) },
    Builtin { name: "log2", call: |_, arguments| real(arguments, f64::log2) },
    Builtin { name: "pow", call: pow },
    Builtin { name: "sin", call: |_, arguments| real(arguments, f64::sin) },
    Builtin { name: "sqrt", call: |_, arguments| real(arguments, f64::sqrt) },
    Builtin { name: "tanh", call: |_, arguments| real(arguments, f64::tanh) },
    Builtin { name: "trunc", call: |_, arguments| whole(arguments, f64::trunc) },
];

static MATH_NUMBERS: &[(&str, f64)] = &[
    ("e", std::f64::consts::E),
    ("inf", f64::INFINITY),
    ("nan", f64::NAN),
    ("pi", std::f64::consts::PI),
    ("tau", std::f64::consts::TAU),
];

static OS: &[Builtin] = &[Builtin { name: "getenv", call: path::getenv }];

static OS_TEXTS: &[(&str, &str)] = &[("linesep", "\n"), ("sep", "/")];

static OS_ENVIRON: &[Builtin] = &[Builtin { name: "get", call: path::getenv }];

static OS_PATH: &[Builtin] = &[
    Builtin { name: "abspath", call: path::abspath },
    Builtin { name: "basename", call: path::basename },
    Builtin { name: "dirname", call: path::dirname },
    Builtin { name: "exists", call: |it, arguments| path::is(it, arguments, Path::exists) },
    Builtin { name: "isdir", call: |it, arguments| path::is(it, arguments, Path::is_dir) },
    Builtin { name: "isfile", call: |it, arguments| path::is(it, arguments, Path::is_file) },
    Builtin { name: "join", call: path::join },
    Builtin { name: "realpath", call: path::abspath },
    Builtin { name: "splitext", call: path::splitext },
];

/// The module of this dotted path.
pub(super) fn find(path: &str) -> Option<&'static Module> {
    MODULES.iter().find(|module| module.name == path)
}

impl Module {
    /// What a module has under this name; what is not known of it is a name only, as all that lies
    /// outside.
    pub(super) fn attribute(&self, name: &str) -> Object {
        let path = format!("{}.{name}", self.name);
        if let Some(module) = find(&path) {
            Object::Module(module)
        } else if let Some(function) = self.functions.iter().find(|known| known.name == name) {
            Object::Builtin(function)
        } else if let Some((_, number)) = self.numbers.iter().find(|(known, _)| *known == name) {
            Object::Float(*number)
        } else if let Some((_, text)) = self.texts.iter().find(|(known, _)| *known == name) {
            Object::text(text)
        } else {
            Object::Type(path.into())
        }
    }
}

fn deepcopy(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    it.copied(&value, Copying::Deep)
}

fn copy(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [value] = arguments.exactly()?;
    match value {
        Object::Dict(dict) => it.copy_dict(dict),
        Object::List(list) => {
            let slots = it.heap.list(list).slots.clone();
            it.heap.new_list(slots, place)
        }
        Object::Set(set) => {
            let slots = it.heap.set(set).members.values().cloned().collect();
            it.heap.new_set(slots, place)
        }
        other => Ok(other),
    }
}

fn chain(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let mut slots = Vec::new();
    for part in arguments.positional {
        slots.extend(it.heap.collect(&part.object, place)?);
    }
    it.heap.new_list(slots, place)
}

fn product(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let mut rows: Vec<Vec<Slot>> = vec![Vec::new()];
    for factor in arguments.positional {
        let values = it.heap.collect(&factor.object, place)?;
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
    it.heap.new_list(tuples, place)
}

fn number(value: &Object) -> Eval<f64> {
    value
        .as_float()
        .ok_or_else(|| Failure::type_error(format!("must be real number, not {}", value.kind())))
}

/// A result that is no number where the arguments were numbers is an error in Python.
fn checked(result: f64, arguments: &[f64]) -> Eval<Object> {
    if result.is_nan() && !arguments.iter().any(|number| number.is_nan()) {
        return Err(Failure::value_error("math domain error"));
    }
    if result.is_infinite() && arguments.iter().all(|number| number.is_finite()) {
        return Err(Failure::raised("OverflowError", "math range error"));
    }
    Ok(Object::Float(result))
}

fn real(arguments: Arguments, function: fn(f64) -> f64) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    let value = number(&value)?;
    checked(function(value), &[value])
}

fn whole(arguments: Arguments, function: fn(f64) -> f64) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    if let Some(number) = value.as_int() {
        return Ok(Object::Int(number));
    }
    let number = function(number(&value)?);
    // 2^63 itself does not fit; a NaN is below nothing.
    if number.abs() < 9_223_372_036_854_775_808.0 {
        Ok(Object::Int(number as i64))
    } else {
        Err(Failure::too_big())
    }
}

fn test(arguments: Arguments, function: fn(f64) -> bool) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    Ok(Object::Bool(function(number(&value)?)))
}

fn log(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value, base] = arguments.between(1)?;
    let value = number(&value.unwrap_or(Object::None))?;
    if value <= 0.0 {
        return Err(Failure::value_error("math domain error"));
    }
    match base {
        None => checked(value.ln(), &[value]),
        Some(base) => {
            let base = number(&base)?;
            checked(value.ln() / base.ln(), &[value, base])
        }
    }
}

fn pow(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [base, exponent] = arguments.exactly()?;
    let (base, exponent) = (number(&base)?, number(&exponent)?);
    checked(base.powf(exponent), &[base, exponent])
}
