//! Arithmetic on ints and floats, as Python does it, but with ints of 64 bits.

use std::cmp::Ordering;

use ruff_python_ast::Operator;

use super::{
    failure::{Eval, Failure},
    object::Object,
};

/// `left op right` of two numbers.
pub(super) fn arithmetic(op: Operator, left: &Object, right: &Object) -> Option<Eval<Object>> {
    if let (Object::Bool(left), Object::Bool(right)) = (left, right) {
        match op {
            Operator::BitAnd => return Some(Ok(Object::Bool(left & right))),
            Operator::BitOr => return Some(Ok(Object::Bool(left | right))),
            Operator::BitXor => return Some(Ok(Object::Bool(left ^ right))),
            _ => {}
        }
    }
    if let (Some(left), Some(right)) = (left.as_int(), right.as_int()) {
        return Some(ints(op, left, right));
    }
    match (left.as_float(), right.as_float()) {
        (Some(left), Some(right)) => floats(op, left, right),
        _ => None,
    }
}

fn by_zero() -> Box<Failure> {
    Failure::raised("ZeroDivisionError", "division by zero")
}

fn ints(op: Operator, left: i64, right: i64) -> Eval<Object> {
    let number = match op {
        Operator::Add => left.checked_add(right),
        Operator::Sub => left.checked_sub(right),
        Operator::Mult => left.checked_mul(right),
        Operator::Div | Operator::FloorDiv | Operator::Mod if right == 0 => return Err(by_zero()),
        Operator::Div if left.unsigned_abs().max(right.unsigned_abs()) > MOST_EXACT => {
            return Err(Failure::unsupported("a fraction of whole numbers above 2^53"));
        }
        Operator::Div => return Ok(Object::Float(left as f64 / right as f64)),
        Operator::FloorDiv => left.checked_div_euclid(right).map(|quotient| {
            // Euclid's remainder is never negative, Python's has the sign of the divisor.
            if right < 0 && left.wrapping_rem(right) != 0 { quotient - 1 } else { quotient }
        }),
        Operator::Mod => left.checked_rem_euclid(right).map(|remainder| {
            if right < 0 && remainder != 0 { remainder + right } else { remainder }
        }),
        Operator::Pow if right < 0 && left == 0 => return Err(by_zero()),
        Operator::Pow if right < 0 => return Ok(Object::Float((left as f64).powf(right as f64))),
        Operator::Pow => match u32::try_from(right) {
            Ok(exponent) => left.checked_pow(exponent),
            Err(_) => {
                (-1..=1).contains(&left).then(|| if right % 2 == 0 { left * left } else { left })
            }
        },
        Operator::LShift => u32::try_from(right)
            .ok()
            .and_then(|bits| 1_i64.checked_shl(bits))
            .filter(|factor| *factor > 0)
            .and_then(|factor| left.checked_mul(factor)),
        Operator::RShift if right < 0 => return Err(Failure::value_error("negative shift count")),
        Operator::RShift => Some(left >> right.min(63)),
        Operator::BitOr => Some(left | right),
        Operator::BitXor => Some(left ^ right),
        Operator::BitAnd => Some(left & right),
        Operator::MatMult => None,
    };
    number.map(Object::Int).ok_or_else(Failure::too_big)
}

fn floats(op: Operator, left: f64, right: f64) -> Option<Eval<Object>> {
    let number = match op {
        Operator::Add => left + right,
        Operator::Sub => left - right,
        Operator::Mult => left * right,
        Operator::Div | Operator::FloorDiv | Operator::Mod if right == 0.0 => {
            return Some(Err(by_zero()));
        }
        Operator::Div => left / right,
        Operator::FloorDiv => floor_quotient(left, right),
        Operator::Mod => modulo(left, right),
        Operator::Pow if left == 0.0 && right < 0.0 => return Some(Err(by_zero())),
        Operator::Pow => {
            let power = left.powf(right);
            let was_finite = left.is_finite() && right.is_finite();
            if power.is_nan() && was_finite {
                return Some(Err(Failure::unsupported("a complex number")));
            }
            if power.is_infinite() && was_finite {
                return Some(Err(Failure::raised(
                    "OverflowError",
                    "Numerical result out of range",
                )));
            }
            power
        }
        _ => return None,
    };
    Some(Ok(Object::Float(number)))
}

/// The remainder with the sign of the divisor.
fn modulo(left: f64, right: f64) -> f64 {
    let remainder = left % right;
    if remainder == 0.0 {
        0.0_f64.copysign(right)
    } else if (remainder < 0.0) != (right < 0.0) {
        remainder + right
    } else {
        remainder
    }
}

/// The quotient rounded down, with the steps of Python's own.
fn floor_quotient(left: f64, right: f64) -> f64 {
    let quotient = (left - modulo(left, right)) / right;
    if quotient == 0.0 {
        return 0.0_f64.copysign(left / right);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

/// Whole numbers up to here are floats exactly.
const MOST_EXACT: u64 = 1 << 53;

/// Which of two numbers is smaller, exactly; nothing if a NaN is among them.
pub(super) fn compared(left: &Object, right: &Object) -> Option<Ordering> {
    match (left.as_int(), right.as_int()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        (Some(whole), None) => with_whole(whole, right.as_float()?),
        (None, Some(whole)) => with_whole(whole, left.as_float()?).map(Ordering::reverse),
        (None, None) => left.as_float()?.partial_cmp(&right.as_float()?),
    }
}

/// How a whole number compares with a float.
fn with_whole(whole: i64, float: f64) -> Option<Ordering> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if whole.unsigned_abs() <= MOST_EXACT || !(-LIMIT..LIMIT).contains(&float) {
        return (whole as f64).partial_cmp(&float);
    }
    // Both as whole numbers, and then what the float has behind its point.
    let floor = float.floor();
    Some(whole.cmp(&(floor as i64)).then(if float > floor {
        Ordering::Less
    } else {
        Ordering::Equal
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: Operator, left: i64, right: i64) -> i64 {
        ints(op, left, right).unwrap().as_int().unwrap()
    }

    #[test]
    fn division_rounds_down_and_the_remainder_follows_the_divisor() {
        let pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, -2)];
        let quotients = pairs.map(|(left, right)| int(Operator::FloorDiv, left, right));
        let remainders = pairs.map(|(left, right)| int(Operator::Mod, left, right));
        assert_eq!(quotients, [3, -4, -4, 3, -3]);
        assert_eq!(remainders, [1, 1, -1, -1, 0]);
    }

    #[test]
    fn nothing_overflows_in_silence() {
        for (op, left, right) in [
            (Operator::Mult, i64::MAX, 2),
            (Operator::Pow, 10, 19),
            (Operator::FloorDiv, i64::MIN, -1),
            (Operator::LShift, 1, 63),
            (Operator::Pow, 3, i64::MAX),
        ] {
            assert!(ints(op, left, right).is_err());
        }
    }
}
