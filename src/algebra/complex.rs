//! Complex numbers of about thirty digits, and the elementary functions of them.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::double_double::{DoubleDouble, PI};

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Complex {
    pub(super) re: DoubleDouble,
    pub(super) im: DoubleDouble,
}

impl Complex {
    pub(super) const fn new(re: DoubleDouble, im: DoubleDouble) -> Self {
        Self { re, im }
    }

    pub(super) const fn real(re: DoubleDouble) -> Self {
        Self::new(re, DoubleDouble::ZERO)
    }

    pub(super) const ONE: Self = Self::real(DoubleDouble::ONE);
    pub(super) const I: Self = Self::new(DoubleDouble::ZERO, DoubleDouble::ONE);

    pub(super) fn norm(self) -> DoubleDouble {
        if self.im.is_zero() {
            return self.re.abs();
        }
        (self.re * self.re + self.im * self.im).sqrt()
    }

    pub(super) fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    pub(super) fn scaled(self, by: f64) -> Self {
        self * Self::real(DoubleDouble::new(by))
    }

    pub(super) fn exp(self) -> Self {
        let (sine, cosine) = self.im.sin_cos();
        let radius = self.re.exp();
        if self.im.is_zero() {
            Self::real(radius)
        } else {
            Self::new(radius * cosine, radius * sine)
        }
    }

    pub(super) fn ln(self) -> Self {
        let angle = if self.im.is_zero() {
            if self.re.is_negative() { PI } else { DoubleDouble::ZERO }
        } else {
            self.im.atan2(self.re)
        };
        Self::new(self.norm().ln(), angle)
    }

    pub(super) fn sqrt(self) -> Self {
        if self.im.is_zero() {
            let root = self.re.abs().sqrt();
            return if self.re.is_negative() {
                Self::new(DoubleDouble::ZERO, root)
            } else {
                Self::real(root)
            };
        }
        self.ln().scaled(0.5).exp()
    }

    pub(super) fn whole_power(self, times: u32) -> Self {
        let (mut product, mut square, mut left) = (Self::ONE, self, times);
        while left > 0 {
            if left & 1 == 1 {
                product = product * square;
            }
            square = square * square;
            left >>= 1;
        }
        product
    }

    pub(super) fn sin(self) -> Self {
        let (sine, cosine) = self.re.sin_cos();
        if self.im.is_zero() {
            return Self::real(sine);
        }
        let (up, down) = (self.im.exp(), (-self.im).exp());
        let half = DoubleDouble::new(0.5);
        Self::new(sine * (up + down) * half, cosine * (up - down) * half)
    }

    pub(super) fn cos(self) -> Self {
        (self + Self::real(PI / DoubleDouble::new(2.0))).sin()
    }

    pub(super) fn sinh(self) -> Self {
        (self.exp() - (-self).exp()).scaled(0.5)
    }

    pub(super) fn cosh(self) -> Self {
        (self.exp() + (-self).exp()).scaled(0.5)
    }

    pub(super) fn asin(self) -> Self {
        -(Self::I * (Self::I * self + (Self::ONE - self * self).sqrt()).ln())
    }

    pub(super) fn atan(self) -> Self {
        if self.im.is_zero() {
            return Self::real(self.re.atan2(DoubleDouble::ONE));
        }
        let ratio = (Self::ONE + Self::I * self).ln() - (Self::ONE - Self::I * self).ln();
        -(Self::I * ratio.scaled(0.5))
    }

    pub(super) fn asinh(self) -> Self {
        (self + (self * self + Self::ONE).sqrt()).ln()
    }

    pub(super) fn acosh(self) -> Self {
        (self + (self + Self::ONE).sqrt() * (self - Self::ONE).sqrt()).ln()
    }

    pub(super) fn atanh(self) -> Self {
        ((Self::ONE + self).ln() - (Self::ONE - self).ln()).scaled(0.5)
    }
}

impl Add for Complex {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }
}

impl Sub for Complex {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::new(self.re - other.re, self.im - other.im)
    }
}

impl Neg for Complex {
    type Output = Self;

    fn neg(self) -> Self {
        Self::new(-self.re, -self.im)
    }
}

impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        if self.im.is_zero() && other.im.is_zero() {
            return Self::real(self.re * other.re);
        }
        Self::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }
}

impl Div for Complex {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        if other.im.is_zero() {
            return Self::new(self.re / other.re, self.im / other.re);
        }
        let square = other.re * other.re + other.im * other.im;
        let over = self * Self::new(other.re, -other.im);
        Self::new(over.re / square, over.im / square)
    }
}
