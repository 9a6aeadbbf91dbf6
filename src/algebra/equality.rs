//! Whether two values are equal for all values of their symbols.
//!
//! Fractions are compared exactly, other numbers to about 25 digits, and values with symbols at several points: what
//! agrees there to as many digits is taken for equal, which for expressions that people write it is. Floats are
//! rounded to six places first, so that 0.333333 is 1/3.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use super::{
    complex::Complex,
    double_double::DoubleDouble,
    exact,
    expression::{Constant, Expression, Symbol},
    number::{BigRational, Number, to_f64},
    numeric,
};

/// Places to which floats are rounded.
const PLACES: i64 = 6;
/// Digits that a float has.
const FLOAT_DIGITS: i64 = 15;
/// At how many points values with symbols are compared, and how many must be defined.
const POINTS: u64 = 9;
const FEWEST_POINTS: usize = 3;
/// How near two values lie that are equal, relative to the greater one and to 1.
const NEAR: f64 = 1e-19;
/// The same where floats are in them.
const NEAR_WITH_FLOATS: f64 = 1e-13;
/// Differences below 2⁻⁵⁰ are cut off where neither value is a number.
const CUT_OFF: f64 = 8.9e-16;

/// What was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Equal,
    Different,
    Undecided,
}

impl Verdict {
    pub(super) fn of(is_equal: bool) -> Self {
        if is_equal { Self::Equal } else { Self::Different }
    }

    /// The first that is certain of its success.
    pub(super) fn or(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::Different => other(),
            Self::Undecided => match other() {
                Self::Equal => Self::Equal,
                _ => Self::Undecided,
            },
        }
    }

    /// Both.
    pub(super) fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Different => Self::Different,
            Self::Equal => other(),
            Self::Undecided => match other() {
                Self::Different => Self::Different,
                _ => Self::Undecided,
            },
        }
    }
}

/// A number, or per cent of one.
fn number_or_percent(value: &Expression) -> Option<(&Expression, bool)> {
    match value {
        Expression::Number(_)
        | Expression::Constant(Constant::Infinity | Constant::NegativeInfinity) => {
            Some((value, false))
        }
        Expression::Mul(factors) => match factors.as_slice() {
            [inner @ Expression::Number(_), Expression::Held(held)] => {
                let hundredth = BigRational::new(1.into(), 100.into());
                (**held == Expression::rational(hundredth)).then_some((inner, true))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether two values are equal.
pub(super) fn values(left: &Expression, right: &Expression) -> Verdict {
    let (left_number, right_number) = (number_or_percent(left), number_or_percent(right));
    let numbers = [left_number, right_number];
    let is_float = |number: &Option<(&Expression, bool)>| {
        number.is_some_and(|(number, _)| number.as_number().is_some_and(Number::is_float))
    };
    let numeric = if numbers.iter().any(is_float) {
        let (left, right) = (rounded(left), rounded(right));
        Verdict::of(left.is_some() && left == right)
    } else if let (Some((left, _)), Some((right, _))) = (left_number, right_number)
        && left.is_integer()
        && right.is_integer()
    {
        // 9 % is 9.
        Verdict::of(left == right)
    } else if numbers.iter().any(Option::is_some) {
        Verdict::of(exact::value(left).is_some_and(|left| exact::value(right) == Some(left)))
    } else {
        difference(left, right, CUT_OFF)
    };
    numeric.or(|| difference(left, right, 0.0))
}

/// A value rounded to six places: whole numbers are not rounded, and no float is a whole number.
#[derive(PartialEq)]
enum Rounded {
    Whole(BigInt),
    Float(BigInt, BigInt),
}

fn rounded(value: &Expression) -> Option<Rounded> {
    let has_float = value.has_float();
    if !has_float && let Some(exact) = exact::value(value) {
        if exact.is_integer() {
            return Some(Rounded::Whole(exact.to_integer()));
        }
        return Some(Rounded::Float(round_part(&exact, has_float), BigInt::zero()));
    }
    let (re, im) = if let Expression::Number(number) = value {
        (number.value().clone(), BigRational::zero())
    } else {
        let value = numeric::constant(value)?;
        (value.re.to_rational()?, value.im.to_rational()?)
    };
    Some(Rounded::Float(round_part(&re, has_float), round_part(&im, has_float)))
}

fn round_part(value: &BigRational, has_float: bool) -> BigInt {
    let size = to_f64(&value.abs());
    let digits_before =
        if size >= 1.0 { size.log10().floor().to_i64().unwrap_or(0) + 1 } else { 0 };
    let places = if has_float { PLACES.min(FLOAT_DIGITS - digits_before) } else { PLACES };
    // All are counted in the same unit.
    numeric::rounded(value, places) * BigInt::from(10).pow((PLACES - places).unsigned_abs() as u32)
}

/// Whether the difference of two values is zero wherever it is defined.
pub(super) fn difference(left: &Expression, right: &Expression, cut_off: f64) -> Verdict {
    if let Some((left, right)) = exact::value(left).zip(exact::value(right)) {
        return Verdict::of(to_f64(&(&left - &right).abs()) < cut_off || left == right);
    }
    let is_infinite = |side: &Expression| {
        side.has(&|part| {
            matches!(
                part,
                Expression::Constant(
                    Constant::Infinity
                        | Constant::NegativeInfinity
                        | Constant::ComplexInfinity
                        | Constant::NotANumber
                )
            )
        })
    };
    // Nothing is known of the difference of what is infinite.
    if is_infinite(left) || is_infinite(right) {
        return Verdict::Different;
    }
    let mut symbols = left.symbols();
    symbols.extend(right.symbols());
    if symbols.is_empty() {
        let constants = numeric::constant(left).zip(numeric::constant(right));
        let near = nearness(left, right);
        return constants.map_or_else(
            || Verdict::Undecided,
            |(left, right)| Verdict::of(are_near(left, right, near, cut_off)),
        );
    }
    compared_at_points(left, right)
}

fn nearness(left: &Expression, right: &Expression) -> f64 {
    if left.has_float() || right.has_float() { NEAR_WITH_FLOATS } else { NEAR }
}

fn are_near(left: Complex, right: Complex, near: f64, cut_off: f64) -> bool {
    let distance = (left - right).norm().to_f64();
    let size = left.norm().to_f64().max(right.norm().to_f64()).max(1.0);
    distance <= near * size || distance < cut_off
}

fn compared_at_points(left: &Expression, right: &Expression) -> Verdict {
    let near = nearness(left, right);
    let mut defined = 0;
    for point in 0..POINTS {
        let values = values_at(point, needs_whole(left) || needs_whole(right));
        let Some((left, right)) =
            numeric::evaluate(left, &values).zip(numeric::evaluate(right, &values))
        else {
            continue;
        };
        if !are_near(left, right, near, 0.0) {
            return Verdict::Different;
        }
        defined += 1;
    }
    if defined < FEWEST_POINTS { Verdict::Undecided } else { Verdict::Equal }
}

/// Whether a part has a value only where it is of whole numbers.
fn needs_whole(expression: &Expression) -> bool {
    expression.has(&|part| {
        matches!(
            part,
            Expression::Function("factorial" | "binomial" | "gamma", _) | Expression::Bound(..)
        )
    })
}

/// The values of symbols at a point: the same for the same name, real ones for real symbols.
pub(super) fn values_at(point: u64, are_whole: bool) -> impl Fn(&Symbol) -> Option<Complex> {
    move |symbol| {
        let mut state =
            0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(point + 1) ^ u64::from(symbol.is_real);
        for byte in symbol.name.bytes() {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let mut next = || {
            state ^= state >> 30;
            state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
            state ^= state >> 27;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        if are_whole {
            let whole = 3.0 + (next() * 20.0).floor();
            return Some(Complex::real(DoubleDouble::new(whole)));
        }
        // Some points have negative values.
        let sign = if point % 3 == 2 && next() < 0.7 { -1.0 } else { 1.0 };
        let re = DoubleDouble::new(sign * (0.2 + 2.6 * next()));
        let im = if symbol.is_real { 0.0 } else { next() - 0.4 };
        Some(Complex::new(re, DoubleDouble::new(im)))
    }
}

/// The number that one value is of another at all points, if there is one.
pub(super) fn proportion(left: &Expression, right: &Expression) -> Option<Complex> {
    let near = nearness(left, right).max(1e-15);
    let mut ratio: Option<Complex> = None;
    let mut defined = 0;
    for point in 0..POINTS {
        let values = values_at(point, needs_whole(left) || needs_whole(right));
        let (left, right) =
            numeric::evaluate(left, &values).zip(numeric::evaluate(right, &values))?;
        if right.norm().to_f64() < 1e-9 || left.norm().to_f64() < 1e-9 {
            continue;
        }
        let here = left / right;
        if ratio.is_some_and(|ratio| {
            !are_near(ratio / here, Complex::real(DoubleDouble::ONE), near, 0.0)
        }) {
            return None;
        }
        ratio = Some(here);
        defined += 1;
    }
    ratio.filter(|_| defined >= FEWEST_POINTS)
}
