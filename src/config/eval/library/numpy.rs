//! `numpy`: what functions make of rows of numbers.

use crate::{
    config::eval::{
        Interpreter,
        builtin::Builtin,
        call::Arguments,
        failure::{Eval, Failure},
        object::Object,
    },
    python::pairwise_sum,
};

use super::{
    Native,
    array::{Array, array_of},
    grid,
};

/// Functions of the module.
pub(super) static FUNCTIONS: &[Builtin] = &[
    Builtin { name: "abs", call: |it, arguments| each(it, arguments, f64::abs) },
    Builtin { name: "all", call: |it, arguments| whole(it, arguments, "all") },
    Builtin { name: "any", call: |it, arguments| whole(it, arguments, "any") },
    Builtin { name: "argmax", call: |it, arguments| whole(it, arguments, "argmax") },
    Builtin { name: "argmin", call: |it, arguments| whole(it, arguments, "argmin") },
    Builtin { name: "array", call: array },
    Builtin { name: "asarray", call: array },
    Builtin { name: "exp", call: |it, arguments| each(it, arguments, f64::exp) },
    Builtin { name: "isnan", call: isnan },
    Builtin { name: "log", call: |it, arguments| each(it, arguments, f64::ln) },
    Builtin { name: "max", call: |it, arguments| whole(it, arguments, "max") },
    Builtin { name: "mean", call: |it, arguments| whole(it, arguments, "mean") },
    Builtin { name: "min", call: |it, arguments| whole(it, arguments, "min") },
    Builtin { name: "nanmax", call: nanmax },
    Builtin { name: "nanmean", call: nanmean },
    Builtin { name: "prod", call: prod },
    Builtin { name: "sqrt", call: |it, arguments| each(it, arguments, f64::sqrt) },
    Builtin { name: "sum", call: |it, arguments| whole(it, arguments, "sum") },
    Builtin { name: "zeros", call: grid::zeros },
];

/// Numbers of the module.
pub(super) static NUMBERS: &[(&str, f64)] = &[
    ("e", std::f64::consts::E),
    ("NaN", f64::NAN),
    ("inf", f64::INFINITY),
    ("nan", f64::NAN),
    ("pi", std::f64::consts::PI),
];

fn given(it: &mut Interpreter, arguments: Arguments) -> Eval<Array> {
    let callee = std::rc::Rc::clone(&arguments.callee);
    let [value] = arguments.exactly()?;
    match array_of(it, &value)? {
        Some(array) => Ok(array),
        None => Err(Failure::unsupported(format_args!("{callee}() of a {}", value.kind()))),
    }
}

fn array(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let kind = arguments.keyword("dtype");
    let array = given(it, arguments)?;
    match kind {
        None | Some(Object::None) => Ok(Native::Array(array).object()),
        Some(kind) => {
            let place = crate::config::eval::object::SourceLine::default();
            let slot = crate::config::eval::object::Slot { object: kind, place };
            let arguments = Arguments {
                callee: "astype".into(),
                positional: vec![slot],
                keywords: Vec::new(),
                place,
            };
            it.array_method(&array, "astype", arguments)
        }
    }
}

/// A function of each value, of a number as of an array.
fn each(it: &mut Interpreter, arguments: Arguments, function: fn(f64) -> f64) -> Eval<Object> {
    let callee = std::rc::Rc::clone(&arguments.callee);
    let [value] = arguments.exactly()?;
    if let (Object::Int(_), true) = (&value, callee.ends_with("abs")) {
        return Err(Failure::unsupported("np.abs() of a whole number"));
    }
    if let Some(number) = value.as_float() {
        return Ok(Object::Float(function(number)));
    }
    match array_of(it, &value)? {
        Some(array) => Ok(Native::Array(array.mapped(function)?).object()),
        None => Err(Failure::type_error(format!("{callee}() of a {}", value.kind()))),
    }
}

/// A figure of all values.
fn whole(it: &mut Interpreter, arguments: Arguments, name: &str) -> Eval<Object> {
    let place = arguments.place;
    let array = given(it, arguments)?;
    let arguments =
        Arguments { callee: name.into(), positional: Vec::new(), keywords: Vec::new(), place };
    it.array_method(&array, name, arguments)
}

fn isnan(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    match value.as_float() {
        Some(number) => Ok(Object::Bool(number.is_nan())),
        None => Err(Failure::unsupported(format_args!("np.isnan() of a {}", value.kind()))),
    }
}

fn nanmax(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let array = given(it, arguments)?;
    let kept: Vec<Object> =
        array.objects().filter(|value| !value.as_float().is_some_and(f64::is_nan)).collect();
    if kept.is_empty() {
        return Ok(Object::Float(f64::NAN));
    }
    let kept = Array::new(kept)?;
    Ok(kept.at(kept.extreme(true)?))
}

fn nanmean(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let values = given(it, arguments)?.floats()?;
    let count = values.iter().filter(|value| !value.is_nan()).count();
    if count == 0 {
        return Ok(Object::Float(f64::NAN));
    }
    // As in NumPy, what is no number counts as zero in the sum.
    let values: Vec<f64> =
        values.into_iter().map(|value| if value.is_nan() { 0.0 } else { value }).collect();
    Ok(Object::Float(pairwise_sum(&values) / count as f64))
}

fn prod(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let array = given(it, arguments)?;
    if array.kind() != super::array::Kind::Float {
        return Err(Failure::unsupported("np.prod() of whole numbers"));
    }
    Ok(Object::Float(array.floats()?.into_iter().fold(1.0, |product, value| product * value)))
}
