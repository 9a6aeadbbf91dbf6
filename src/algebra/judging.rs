//! Whether two formulas are near each other, as competitions are judged: numbers within a tolerance,
//! expressions whose difference is next to nothing, equations that are multiples of one another.

use super::{
    complex::Complex,
    double_double::DoubleDouble,
    equality::{proportion, values_at},
    expression::Expression,
    numeric,
    reader::{Unread, read_with_case},
};

/// Differences of expressions below this are none.
const NEXT_TO_NOTHING: f64 = 1e-3;
/// How far a difference may change from point to point.
const STEADY: f64 = 1e-12;
/// Points at which a difference is looked at.
const POINTS: u64 = 6;
/// A tolerance is itself only as exact.
const SLACK: f64 = 1.01;

/// Whether two expressions are equal within a tolerance; nothing if one of them is none.
pub(crate) fn are_near(left: &str, right: &str, tolerance: f64) -> Option<bool> {
    let (left, right) = (formula(left)?, formula(right)?);
    if left == right {
        return Some(true);
    }
    if left.symbols().is_empty() != right.symbols().is_empty() {
        return Some(false);
    }
    if left.symbols().is_empty() {
        let distance = (numeric::constant(&left)? - numeric::constant(&right)?).norm().to_f64();
        return Some(distance <= tolerance * SLACK);
    }
    let mut first: Option<Complex> = None;
    for point in 0..POINTS {
        let values = values_at(point, false);
        let pair = numeric::evaluate(&left, &values).zip(numeric::evaluate(&right, &values));
        let Some((left, right)) = pair else { continue };
        let difference = left - right;
        let size = left.norm().to_f64().max(1.0);
        let first = *first.get_or_insert(difference);
        if (difference - first).norm().to_f64() > STEADY * size {
            return Some(false);
        }
    }
    Some(first?.norm().to_f64() < NEXT_TO_NOTHING)
}

/// Whether two equations say the same: one is a whole multiple of the other. Nothing if one of them is none.
pub(crate) fn are_same_equation(left: &str, right: &str) -> Option<bool> {
    let difference = |text: &str| {
        let (before, after) = text.split_once('=').filter(|(_, after)| !after.contains('='))?;
        Some(formula(before)?.minus(formula(after)?))
    };
    let ratio = proportion(&difference(left)?, &difference(right)?);
    let is_whole = |ratio: DoubleDouble| {
        let ratio = ratio.to_f64();
        ratio.abs() > 0.5 && (ratio - ratio.round()).abs() < STEADY * ratio.abs()
    };
    Some(ratio.is_some_and(|ratio| {
        let inverse = DoubleDouble::ONE / ratio.re;
        ratio.im.to_f64().abs() < STEADY && (is_whole(ratio.re) || is_whole(inverse))
    }))
}

/// Whether a text holds mathematics that is not worked out here.
pub(crate) fn is_undecided(text: &str) -> bool {
    match read_with_case(text) {
        Err(reason) => reason == Unread::Undecided,
        Ok(value) => {
            value.is_scalar()
                && value.has(&|part| {
                    matches!(part, Expression::Bound("Integral" | "Limit" | "Derivative", _))
                })
        }
    }
}

/// A single value.
fn formula(text: &str) -> Option<Expression> {
    read_with_case(text).ok().filter(Expression::is_scalar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_within_the_tolerance_are_near() {
        assert_eq!(are_near(r"\frac{1}{3}", "0.333333333", 1e-8), Some(true));
        assert_eq!(are_near(r"\pi", "3.14", 1e-8), Some(false));
        assert_eq!(are_near("(x+1)^2", "x^2+2x+1", 1e-8), Some(true));
        assert_eq!(are_near("X", "x", 1e-8), Some(false));
        assert_eq!(are_same_equation("x+y=1", "2x+2y=2"), Some(true));
        assert_eq!(are_same_equation("x+y=1", "x-y=1"), Some(false));
    }
}
