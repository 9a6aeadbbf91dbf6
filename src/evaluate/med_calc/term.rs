//! Arithmetic as Python works it out: whole numbers stay whole until they are divided.

use std::fmt;

use crate::python::write_float;

/// How deep brackets may be nested.
const DEEPEST: usize = 64;

/// A number of Python.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// `int`, as long as it has 64 bits.
    Whole(i64),
    /// `float`.
    Float(f64),
}

impl Value {
    pub(super) fn number(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Float(float) => float,
        }
    }

    fn with(
        self,
        other: Self,
        whole: fn(i64, i64) -> Option<i64>,
        float: fn(f64, f64) -> f64,
    ) -> Option<Self> {
        match (self, other) {
            (Self::Whole(own), Self::Whole(other)) => whole(own, other).map(Self::Whole),
            _ => finite(float(self.number(), other.number())),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(whole) => write!(f, "{whole}"),
            Self::Float(float) => {
                let mut text = String::new();
                write_float(&mut text, *float);
                f.write_str(&text)
            }
        }
    }
}

fn finite(float: f64) -> Option<Value> {
    float.is_finite().then_some(Value::Float(float))
}

/// What a term comes to; nothing where it is more than numbers, signs and brackets, or Python fails on it.
pub(super) fn term(text: &str) -> Option<Value> {
    let mut reader = Reader { rest: text, depth: 0 };
    let value = reader.sum()?;
    reader.rest.trim().is_empty().then_some(value)
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl Reader<'_> {
    fn takes(&mut self, sign: &str) -> bool {
        let after = self.rest.trim_start().strip_prefix(sign);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn sum(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut sum = self.product()?;
        loop {
            sum = if self.takes("+") {
                sum.with(self.product()?, i64::checked_add, |a, b| a + b)?
            } else if self.takes("-") {
                sum.with(self.product()?, i64::checked_sub, |a, b| a - b)?
            } else {
                self.depth -= 1;
                return Some(sum);
            };
        }
    }

    fn product(&mut self) -> Option<Value> {
        let mut product = self.signed()?;
        loop {
            // A power is taken where its base is read.
            product = if self.takes("*") {
                product.with(self.signed()?, i64::checked_mul, |a, b| a * b)?
            } else if self.takes("//") {
                let by = self.signed()?;
                product.with(by, floored, |a, b| (a / b).floor())?
            } else if self.takes("/") {
                finite(product.number() / self.signed()?.number())?
            } else {
                return Some(product);
            };
        }
    }

    fn signed(&mut self) -> Option<Value> {
        if self.takes("-") {
            return match self.nested(Self::signed)? {
                Value::Whole(whole) => whole.checked_neg().map(Value::Whole),
                Value::Float(float) => Some(Value::Float(-float)),
            };
        }
        if self.takes("+") { self.nested(Self::signed) } else { self.power() }
    }

    fn power(&mut self) -> Option<Value> {
        let base = self.number()?;
        if !self.takes("**") {
            return Some(base);
        }
        let exponent = self.nested(Self::signed)?;
        match (base, exponent) {
            (Value::Whole(base), Value::Whole(exponent)) if exponent >= 0 => {
                base.checked_pow(u32::try_from(exponent).ok()?).map(Value::Whole)
            }
            _ => finite(base.number().powf(exponent.number())),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Option<Value>) -> Option<Value> {
        self.depth += 1;
        let value = (self.depth <= DEEPEST).then(|| read(self)).flatten();
        self.depth -= 1;
        value
    }

    fn number(&mut self) -> Option<Value> {
        if self.takes("(") {
            let value = self.sum()?;
            return self.takes(")").then_some(value);
        }
        let text = self.rest.trim_start();
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let whole = digits(text);
        let fraction = text.get(whole..)?.strip_prefix('.').map(digits);
        let end = whole + fraction.map_or(0, |digits| digits + 1);
        if whole + fraction.unwrap_or_default() == 0 {
            return None;
        }
        let (written, rest) = text.split_at_checked(end)?;
        self.rest = rest;
        if fraction.is_some() {
            return finite(written.parse().ok()?);
        }
        // Python refuses whole numbers that begin with 0.
        let is_refused = written.starts_with('0') && written.bytes().any(|digit| digit != b'0');
        if is_refused { None } else { written.parse().ok().map(Value::Whole) }
    }
}

fn floored(own: i64, by: i64) -> Option<i64> {
    let quotient = own.checked_div(by)?;
    Some(if own % by != 0 && (own < 0) != (by < 0) { quotient - 1 } else { quotient })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_python() {
        for (text, expected) in [
            ("3*4", "12"),
            ("7/2", "3.5"),
            ("(1 + 2) * -2**2", "-12"),
            ("2**-1", "0.5"),
            ("-7//2", "-4"),
            ("8.10", "8.1"),
            ("6 / 2", "3.0"),
        ] {
            assert_eq!(term(text).unwrap().to_string(), expected, "{text}");
        }
        for text in ["", "1/0", "007", "12 m", "(1", "9**999", "round(1)"] {
            assert!(term(text).is_none(), "{text}");
        }
    }
}
