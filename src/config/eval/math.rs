//! `math`: functions of numbers.

use super::{
    Interpreter,
    builtin::Builtin,
    call::Arguments,
    failure::{Eval, Failure},
    object::Object,
};

/// Functions of the module.
pub(super) static FUNCTIONS: &[Builtin] = &[
    Builtin { name: "ceil", call: |_, arguments| whole(arguments, f64::ceil) },
    Builtin { name: "comb", call: comb },
    Builtin { name: "cos", call: |_, arguments| real(arguments, f64::cos) },
    Builtin { name: "exp", call: |_, arguments| real(arguments, f64::exp) },
    Builtin { name: "fabs", call: |_, arguments| real(arguments, f64::abs) },
    Builtin { name: "factorial", call: factorial },
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

/// Numbers of the module.
pub(super) static NUMBERS: &[(&str, f64)] = &[
    ("e", std::f64::consts::E),
    ("inf", f64::INFINITY),
    ("nan", f64::NAN),
    ("pi", std::f64::consts::PI),
    ("tau", std::f64::consts::TAU),
];

fn comb(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [from, chosen] = arguments.exactly()?;
    let (Some(from @ 0..), Some(chosen @ 0..)) = (from.as_int(), chosen.as_int()) else {
        return Err(Failure::value_error("comb() needs whole numbers that are not negative"));
    };
    let mut ways = i64::from(chosen <= from);
    for step in 0..chosen.min(from) {
        ways = ways.checked_mul(from - step).ok_or_else(Failure::too_big)? / (step + 1);
    }
    Ok(Object::Int(ways))
}

fn factorial(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [number] = arguments.exactly()?;
    let Object::Int(number @ 0..) = number else {
        return Err(Failure::value_error("factorial() not defined for negative values"));
    };
    let product = (1..=number).try_fold(1_i64, i64::checked_mul);
    product.map(Object::Int).ok_or_else(Failure::too_big)
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
