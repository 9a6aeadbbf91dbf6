//! Arithmetic on ints and floats, as Python does it, but with ints of 64 bits.

use ruff_python_ast::Operator;

use super::{
    failure::{Eval, Failure},
    object::Object,
};

/// `left op right` of two numbers.
pub(super) fn arithmetic(op: Operator, left: &Object, right: &Object) -> Option<Eval<Object>> {
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
        Operator::FloorDiv => ((left - modulo(left, right)) / right).round(),
        Operator::Mod => modulo(left, right),
        Operator::Pow => left.powf(right),
        _ => return None,
    };
    Some(Ok(Object::Float(number)))
}

/// The remainder with the sign of the divisor.
fn modulo(left: f64, right: f64) -> f64 {
    let remainder = left % right;
    if remainder != 0.0 && (remainder < 0.0) != (right < 0.0) {
        remainder + right
    } else {
        remainder
    }
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
