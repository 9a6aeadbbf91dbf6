//! Real numbers of about thirty digits: the sum of two floats, of which the second is what the first cannot
//! hold.
//!
//! Twice the digits of a float are enough to tell two answers that differ in the fifteenth digit from two that are
//! equal, and to lose a few on the way. It is no arithmetic of any precision.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::number::{BigRational, from_f64, to_f64};
use num_bigint::BigInt;

/// The number `high + low`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DoubleDouble {
    high: f64,
    low: f64,
}

pub(super) const PI: DoubleDouble =
    DoubleDouble { high: std::f64::consts::PI, low: 1.224_646_799_147_353_2e-16 };
const LN_2: DoubleDouble =
    DoubleDouble { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
pub(super) const EULER_GAMMA: DoubleDouble =
    DoubleDouble { high: std::f64::consts::EULER_GAMMA, low: -4.942_915_152_430_645e-18 };
/// Terms after which every series here has converged.
const TERMS: i32 = 32;

/// The sum of two floats and what rounding took from it.
fn two_sum(left: f64, right: f64) -> DoubleDouble {
    let high = left + right;
    let part = high - left;
    DoubleDouble { high, low: (left - (high - part)) + (right - part) }
}

impl DoubleDouble {
    pub(super) const ZERO: Self = Self::new(0.0);
    pub(super) const ONE: Self = Self::new(1.0);

    pub(super) const fn new(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }

    pub(super) fn of(value: &BigRational) -> Self {
        let high = to_f64(value);
        let low = from_f64(high).map_or(0.0, |exact| to_f64(&(value - exact)));
        two_sum(high, low)
    }

    pub(super) fn to_f64(self) -> f64 {
        self.high + self.low
    }

    /// The exact value; nothing if it is no finite number.
    pub(super) fn to_rational(self) -> Option<BigRational> {
        Some(from_f64(self.high)? + from_f64(self.low)?)
    }

    pub(super) fn is_finite(self) -> bool {
        self.high.is_finite() && self.low.is_finite()
    }

    pub(super) fn is_negative(self) -> bool {
        self.high < 0.0
    }

    pub(super) fn is_zero(self) -> bool {
        self.high == 0.0
    }

    pub(super) fn abs(self) -> Self {
        if self.is_negative() { -self } else { self }
    }

    pub(super) fn floor(self) -> Self {
        let high = self.high.floor();
        let low = if high.to_bits() == self.high.to_bits() { self.low.floor() } else { 0.0 };
        two_sum(high, low)
    }

    pub(super) fn to_integer(self) -> Option<BigInt> {
        Some(self.floor().to_rational()?.to_integer())
    }

    pub(super) fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return Self::new(self.high.sqrt());
        }
        let root = Self::new(self.high.sqrt());
        root + (self - root * root) / (root + root)
    }

    pub(super) fn exp(self) -> Self {
        if self.high.abs() > 690.0 {
            return Self::new(self.high.exp());
        }
        let times = (self.high / std::f64::consts::LN_2).round();
        let rest = (self - LN_2 * Self::new(times)) / Self::new(512.0);
        let (mut term, mut sum) = (Self::ONE, Self::ZERO);
        for index in 1..=TERMS / 2 {
            term = term * rest / Self::new(f64::from(index));
            sum = sum + term;
        }
        // e^x − 1 loses no digits when its argument is doubled.
        for _ in 0..9 {
            sum = sum + sum + sum * sum;
        }
        (sum + Self::ONE) * Self::new(times.exp2())
    }

    /// The natural logarithm of a positive number.
    pub(super) fn ln(self) -> Self {
        if self.high <= 0.0 || !self.high.is_finite() {
            return Self::new(self.high.ln());
        }
        let mut value = Self::new(self.high.ln());
        for _ in 0..2 {
            value = value + self * (-value).exp() - Self::ONE;
        }
        value
    }

    /// Sine and cosine.
    pub(super) fn sin_cos(self) -> (Self, Self) {
        let quarters = (self.high / std::f64::consts::FRAC_PI_2).round();
        let rest = self - PI * Self::new(quarters / 2.0);
        let square = rest * rest;
        let (mut term, mut sine) = (rest, rest);
        let (mut even, mut cosine) = (Self::ONE, Self::ONE);
        for index in 1..TERMS {
            let twice = f64::from(2 * index);
            even = -(even * square / Self::new(twice * (twice - 1.0)));
            cosine = cosine + even;
            term = -(term * square / Self::new(twice * (twice + 1.0)));
            sine = sine + term;
        }
        match quarters.rem_euclid(4.0) as u8 {
            0 => (sine, cosine),
            1 => (cosine, -sine),
            2 => (-sine, -cosine),
            _ => (-cosine, sine),
        }
    }

    /// The angle of a point.
    pub(super) fn atan2(self, x: Self) -> Self {
        let radius = (self * self + x * x).sqrt();
        if radius.is_zero() {
            return Self::ZERO;
        }
        let mut angle = Self::new(self.high.atan2(x.high));
        for _ in 0..2 {
            let (sine, cosine) = angle.sin_cos();
            angle = angle + (self * cosine - x * sine) / radius;
        }
        angle
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let high = two_sum(self.high, other.high);
        let low = two_sum(self.low, other.low);
        let sum = two_sum(high.high, high.low + low.high);
        two_sum(sum.high, sum.low + low.low)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let rest = self.high.mul_add(other.high, -high);
        two_sum(high, rest + self.high * other.low + self.low * other.high)
    }
}

impl Div for DoubleDouble {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::new(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::new(second);
        two_sum(first, second) + Self::new(rest.high / other.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: DoubleDouble, expected: DoubleDouble) {
        assert!((found - expected).to_f64().abs() < 1e-29, "{found:?} {expected:?}");
    }

    #[test]
    fn functions_have_thirty_digits() {
        let two = DoubleDouble::new(2.0);
        assert_near(two.sqrt() * two.sqrt(), two);
        assert_near(two.ln(), LN_2);
        assert_near(two.ln().exp(), two);
        assert_near(DoubleDouble::ONE.atan2(DoubleDouble::ONE), PI / DoubleDouble::new(4.0));
        let (sine, cosine) = (PI / DoubleDouble::new(6.0)).sin_cos();
        assert_near(sine, DoubleDouble::new(0.5));
        assert_near(cosine * cosine, DoubleDouble::new(0.75));
    }
}
