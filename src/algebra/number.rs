//! Numbers as they are written: whole numbers and fractions are exact, a number with a decimal point is a
//! binary float of as many bits as its digits ask for.
//!
//! The difference shows: 0.5 and 1/2 are compared after rounding, 1/3 and 2/6 exactly.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// A fraction of whole numbers of any length.
pub(crate) type BigRational = Ratio<BigInt>;

/// Digits that a float has at least.
const LEAST_DIGITS: usize = 15;
/// Binary digits in a decimal one.
const BITS_PER_DIGIT: f64 = 3.321_928_094_887_362_6;
/// Numbers with more digits, or greater powers of ten, are not read.
const MOST_DIGITS: usize = 2000;

/// A number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Number {
    /// Exact.
    Rational(BigRational),
    /// Rounded to so many bits.
    Float(Float),
}

/// A binary float: its exact value, and to how many bits it is rounded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Float {
    pub(crate) value: BigRational,
    bits: usize,
}

impl Number {
    pub(crate) fn integer(value: i64) -> Self {
        Self::Rational(BigRational::from_integer(value.into()))
    }

    /// A decimal number without a sign: digits with at most one point, and an exponent of ten.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent.parse::<i32>().ok()?)),
            None => (text, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let digits = format!("{whole}{}", fraction.unwrap_or_default());
        let shift = exponent
            .unwrap_or_default()
            .checked_sub(fraction.unwrap_or_default().len().try_into().ok()?)?;
        let is_readable = !digits.is_empty()
            && digits.bytes().all(|digit| digit.is_ascii_digit())
            && digits.len().max(shift.unsigned_abs() as usize) <= MOST_DIGITS;
        if !is_readable {
            return None;
        }
        let integer: BigInt = digits.parse().ok()?;
        if fraction.is_none() && exponent.is_none() {
            return Some(Self::Rational(integer.into()));
        }
        let power = BigInt::from(10).pow(shift.unsigned_abs());
        let value =
            if shift < 0 { BigRational::new(integer, power) } else { (integer * power).into() };
        let significant = digits.trim_start_matches('0').len().max(LEAST_DIGITS);
        Some(Self::Float(Float::rounded(&value, bits_of_digits(significant))))
    }

    /// A float of fifteen digits.
    pub(crate) fn of_bits(value: &BigRational) -> Self {
        Self::Float(Float::rounded(value, bits_of_digits(LEAST_DIGITS)))
    }

    pub(crate) fn negated(&self) -> Self {
        match self {
            Self::Rational(value) => Self::Rational(-value),
            Self::Float(Float { value, bits }) => Self::Float(Float { value: -value, bits: *bits }),
        }
    }

    pub(crate) fn value(&self) -> &BigRational {
        match self {
            Self::Rational(value) | Self::Float(Float { value, .. }) => value,
        }
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.value().is_negative()
    }

    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Self::Float(_))
    }

    /// The exact whole number.
    pub(crate) fn as_integer(&self) -> Option<&BigInt> {
        match self {
            Self::Rational(value) if value.is_integer() => Some(value.numer()),
            _ => None,
        }
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.as_integer().is_some()
    }
}

fn bits_of_digits(digits: usize) -> usize {
    (((digits + 1) as f64) * BITS_PER_DIGIT).round_ties_even() as usize
}

impl Float {
    fn rounded(value: &BigRational, bits: usize) -> Self {
        if value.is_zero() {
            return Self { value: value.clone(), bits };
        }
        // The value lies below 2^magnitude, and at most one bit below.
        let magnitude = bits_of(value.numer()) - bits_of(value.denom()) + 1;
        let mut shift = bits.cast_signed() as i64 - magnitude;
        let mut scaled = (value * power_of_two(shift)).abs();
        let limit = BigRational::from_integer(BigInt::one() << (bits - 1));
        if scaled < limit {
            shift += 1;
            scaled *= BigRational::from_integer(2.into());
        }
        let rounded = BigRational::from_integer(nearest_even(&scaled)) * power_of_two(-shift);
        Self { value: if value.is_negative() { -rounded } else { rounded }, bits }
    }

    fn digits(&self) -> usize {
        ((self.bits as f64 / BITS_PER_DIGIT).round_ties_even() as usize).saturating_sub(1).max(1)
    }

    /// As `SymPy` prints it: all its digits where it stands alone, no zeros at the end inside of others.
    pub(crate) fn print(&self, is_inside: bool) -> String {
        let places = self.digits();
        if self.value.is_zero() {
            return "0.0".to_owned();
        }
        let sign = if self.value.is_negative() { "-" } else { "" };
        let (mut digits, mut exponent) = decimal_digits(&self.value.abs(), places);
        let most = places.cast_signed() as i64;
        let is_fixed = (-(most / 3)).min(-5) < exponent && exponent < most;
        let split = if !is_fixed {
            1
        } else if exponent < 0 {
            digits.insert_str(0, &"0".repeat(exponent.unsigned_abs() as usize));
            1
        } else {
            exponent as usize + 1
        };
        if is_fixed {
            exponent = 0;
        }
        if split > digits.len() {
            digits.push_str(&"0".repeat(split - digits.len()));
        }
        let (whole, fraction) = digits.split_at(split.min(digits.len()));
        let fraction = if is_inside { fraction.trim_end_matches('0') } else { fraction };
        let fraction = if is_inside && fraction.is_empty() { "0" } else { fraction };
        let exponent = match exponent {
            0 => String::new(),
            up if up > 0 => format!("e+{up}"),
            down => format!("e{down}"),
        };
        format!("{sign}{whole}.{fraction}{exponent}")
    }
}

/// How many binary digits a whole number has.
fn bits_of(number: &BigInt) -> i64 {
    number.bits().cast_signed()
}

/// Two to this power.
pub(crate) fn power_of_two(exponent: i64) -> BigRational {
    let power: BigInt = BigInt::one() << exponent.unsigned_abs();
    if exponent < 0 { BigRational::new(BigInt::one(), power) } else { power.into() }
}

/// The nearest whole number; of two the even one.
pub(crate) fn nearest_even(value: &BigRational) -> BigInt {
    let floor = value.floor().to_integer();
    let rest = value - BigRational::from_integer(floor.clone());
    let half = BigRational::new(BigInt::one(), BigInt::from(2));
    if rest > half || (rest == half && floor.is_odd()) { floor + 1 } else { floor }
}

/// The first decimal digits of a positive number, rounded, and the power of ten of the first.
fn decimal_digits(value: &BigRational, places: usize) -> (String, i64) {
    let ten = BigInt::from(10);
    let logarithm = (value.numer().bits() as f64 - value.denom().bits() as f64) / BITS_PER_DIGIT;
    let mut exponent = logarithm.floor() as i64;
    loop {
        let shift = places.cast_signed() as i64 - 1 - exponent;
        let power = BigRational::from_integer(ten.pow(shift.unsigned_abs() as u32));
        let scaled = if shift < 0 { value / power } else { value * power };
        let digits = nearest_even(&scaled).to_string();
        match digits.len().cmp(&places) {
            std::cmp::Ordering::Equal => return (digits, exponent),
            std::cmp::Ordering::Less => exponent -= 1,
            std::cmp::Ordering::Greater => exponent += 1,
        }
    }
}

/// A fraction as a float of the machine, to its last bit or the one before.
pub(crate) fn to_f64(value: &BigRational) -> f64 {
    let shift = bits_of(value.denom()) - bits_of(value.numer()) + 64;
    let scaled = (value * power_of_two(shift)).round().to_integer();
    let mantissa = scaled.to_f64().unwrap_or(f64::NAN);
    // Two steps keep what is very small or large within the range of a float.
    let half = (shift / 2).clamp(-1100, 1100) as i32;
    let rest = (shift - i64::from(half)).clamp(-1100, 1100) as i32;
    mantissa * 2_f64.powi(-half) * 2_f64.powi(-rest)
}

/// The exact value of a float of the machine; nothing if it is no finite number.
pub(crate) fn from_f64(value: f64) -> Option<BigRational> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff).cast_signed();
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let size = BigRational::from_integer(mantissa.into()) * power_of_two(exponent);
    Some(if value.is_sign_negative() { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row was printed by `SymPy` 1.14.0.
    #[test]
    fn floats_are_printed_as_sympy_does() {
        let rows = [
            ("0.5", "0.500000000000000", "0.5"),
            (".25", "0.250000000000000", "0.25"),
            ("0.00", "0.0", "0.0"),
            ("1.5E5", "150000.000000000", "150000.0"),
            ("1.2E-3", "0.00120000000000000", "0.0012"),
            ("0.12345678901234567890", "0.12345678901234567890", "0.1234567890123456789"),
            ("3.14159", "3.14159000000000", "3.14159"),
        ];
        for (text, alone, inside) in rows {
            let Some(Number::Float(float)) = Number::parse(text) else { panic!("{text}") };
            assert_eq!((float.print(false), float.print(true)), (alone.into(), inside.into()));
        }
    }
}
