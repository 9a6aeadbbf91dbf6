//! Built-in functions that make numbers.

use super::{
    Interpreter,
    call::Arguments,
    dialect::Dialect,
    failure::{Eval, Failure},
    format,
    object::{Object, Slot},
};
use crate::python::{is_blank, parse_float, parse_integer};

pub(super) fn abs(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    match &value {
        Object::Float(number) => Ok(Object::Float(number.abs())),
        _ => match value.as_int() {
            Some(number) => number.checked_abs().map(Object::Int).ok_or_else(Failure::too_big),
            None => Err(Failure::type_error(format!("abs() of a {}", value.kind()))),
        },
    }
}

pub(super) fn divmod(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [left, right] = arguments.exactly()?;
    let quotient = it.binary(ruff_python_ast::Operator::FloorDiv, &left, &right, place)?;
    let remainder = it.binary(ruff_python_ast::Operator::Mod, &left, &right, place)?;
    it.heap.new_tuple([quotient, remainder].map(|object| Slot { object, place }).to_vec(), place)
}

pub(super) fn pow(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [base, exponent] = arguments.exactly()?;
    it.binary(ruff_python_ast::Operator::Pow, &base, &exponent, place)
}

pub(super) fn float(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.between(0)?;
    let value = value.unwrap_or(Object::Int(0));
    if let Object::Str(text) = &value {
        return parse_float(text).map(Object::Float).ok_or_else(|| {
            Failure::value_error(format!("could not convert string to float: '{text}'"))
        });
    }
    match value.as_float() {
        Some(number) => Ok(Object::Float(number)),
        None => Err(Failure::type_error(format!("float() of a {}", value.kind()))),
    }
}

pub(super) fn int(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value, base] = arguments.between(0)?;
    let value = value.unwrap_or(Object::Int(0));
    match (&value, base) {
        (Object::Str(text), base) => {
            let radix = match base.as_ref().map(Object::as_int) {
                None => 10,
                Some(Some(radix @ 2..=36)) => radix as u32,
                Some(_) => return Err(Failure::value_error("int() base must be from 2 to 36")),
            };
            let bad = || {
                Failure::value_error(format!(
                    "invalid literal for int() with base {radix}: '{text}'"
                ))
            };
            if radix == 10 {
                let digits = parse_integer(text).ok_or_else(bad)?;
                return digits.parse().map(Object::Int).map_err(|_| Failure::too_big());
            }
            let digits = text.trim_matches(is_blank).to_lowercase();
            let prefix = match radix {
                2 => "0b",
                8 => "0o",
                16 => "0x",
                _ => "",
            };
            let digits = digits.strip_prefix(prefix).unwrap_or(&digits);
            if digits.contains('_') {
                return Err(Failure::unsupported("underscores in a number of another base"));
            }
            i64::from_str_radix(digits, radix).map(Object::Int).map_err(|error| {
                match error.kind() {
                    std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                        Failure::too_big()
                    }
                    _ => bad(),
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
        (Object::Float(number), None) if number.is_nan() => {
            Err(Failure::value_error("cannot convert float NaN to integer"))
        }
        (Object::Float(_), None) => {
            Err(Failure::raised("OverflowError", "cannot convert float infinity to integer"))
        }
        (value, None) => match value.as_int() {
            Some(number) => Ok(Object::Int(number)),
            None => Err(Failure::type_error(format!("int() of a {}", value.kind()))),
        },
        (_, Some(_)) => Err(Failure::type_error("int() with a base needs a string")),
    }
}

pub(super) fn round(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
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
        (Object::Float(_), Some(Some(..0))) if it.dialect == Dialect::Functions => {
            Err(Failure::unsupported("round() to tens or hundreds"))
        }
        (Object::Float(number), Some(Some(digits))) => {
            let rounded = format::round(*number, digits);
            if it.has_numpy && !is_rounded_alike(*number, digits, rounded) {
                return Err(Failure::unsupported(
                    "round() where NumPy's numbers and Python's go to different sides",
                ));
            }
            Ok(Object::Float(rounded))
        }
        (value, None | Some(Some(0..))) if value.as_int().is_some() => {
            Ok(Object::Int(value.as_int().unwrap_or_default()))
        }
        (value, _) => Err(Failure::type_error(format!("round() of a {}", value.kind()))),
    }
}

/// Whether NumPy, which multiplies, rounds and divides, rounds a number to the same as Python does.
fn is_rounded_alike(number: f64, digits: i64, rounded: f64) -> bool {
    let scale = i32::try_from(digits).map_or(f64::INFINITY, |digits| 10_f64.powi(digits));
    let other = (number * scale).round_ties_even() / scale;
    other.to_bits() == rounded.to_bits() || (number.is_nan() && rounded.is_nan())
}
