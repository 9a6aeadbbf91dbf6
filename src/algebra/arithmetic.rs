//! Arithmetic as Python writes it, worked out exactly.

use num_traits::{One, ToPrimitive, Zero};

use super::{exact, expression::Expression, number::BigRational};

/// Brackets and signs nested deeper are no arithmetic.
const DEEPEST: usize = 64;

/// A text that is being read.
struct Arithmetic<'t> {
    rest: &'t str,
    depth: usize,
}

/// Whether whole numbers with signs, brackets and powers between them come to this. A number with a decimal point is no
/// exact one.
pub(crate) fn comes_to(text: &str, goal: i64) -> bool {
    arithmetic(text).is_some_and(|value| value == BigRational::from_integer(goal.into()))
}

fn arithmetic(text: &str) -> Option<BigRational> {
    let mut reader = Arithmetic { rest: text, depth: 0 };
    let value = reader.sum()?;
    reader.rest.trim().is_empty().then_some(value)
}

impl Arithmetic<'_> {
    fn takes(&mut self, sign: &str) -> bool {
        let after = self.rest.trim_start().strip_prefix(sign);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn sum(&mut self) -> Option<BigRational> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut sum = self.product()?;
        loop {
            if self.takes("+") {
                sum += self.product()?;
            } else if self.takes("-") {
                sum -= self.product()?;
            } else {
                self.depth -= 1;
                return Some(sum);
            }
        }
    }

    fn product(&mut self) -> Option<BigRational> {
        let mut product = self.signed()?;
        loop {
            if self.rest.trim_start().starts_with("**") {
                return None;
            }
            if self.takes("*") {
                product *= self.signed()?;
            } else if self.takes("//") {
                product = (product / self.divisor()?).floor();
            } else if self.takes("/") {
                product /= self.divisor()?;
            } else if self.takes("%") {
                let divisor = self.divisor()?;
                product -= (&product / &divisor).floor() * divisor;
            } else {
                return Some(product);
            }
        }
    }

    fn divisor(&mut self) -> Option<BigRational> {
        self.signed().filter(|divisor| !divisor.is_zero())
    }

    fn signed(&mut self) -> Option<BigRational> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = if self.takes("-") {
            -self.signed()?
        } else if self.takes("+") {
            self.signed()?
        } else {
            self.power()?
        };
        self.depth -= 1;
        Some(value)
    }

    fn power(&mut self) -> Option<BigRational> {
        let base = self.atom()?;
        if !self.takes("**") && !self.takes("^") {
            return Some(base);
        }
        let exponent = self.signed()?;
        exact::value(&Expression::pow(Expression::rational(base), Expression::rational(exponent)))
    }

    fn atom(&mut self) -> Option<BigRational> {
        let mut value = if self.takes("(") {
            let value = self.sum()?;
            self.takes(")").then_some(value)?
        } else {
            let text = self.rest.trim_start();
            let length = text.bytes().take_while(u8::is_ascii_digit).count();
            let (digits, rest) = text.split_at_checked(length)?;
            let is_exact = !rest.starts_with('.') && (digits == "0" || !digits.starts_with('0'));
            self.rest = rest;
            BigRational::from_integer(digits.parse().ok().filter(|_| is_exact)?)
        };
        while !self.rest.trim_start().starts_with("!=") && self.takes("!") {
            let of = value.is_integer().then(|| value.numer().to_u32()).flatten()?;
            let factorial = Expression::Function("factorial", vec![Expression::integer(of.into())]);
            value = exact::value(&factorial).unwrap_or_else(BigRational::one);
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row was run through `sympy.simplify`.
    #[test]
    fn arithmetic_is_exact() {
        for (text, expected) in [
            ("8/(3-8/3)", Some(24)),
            ("5 * (5 - 1/5)", Some(24)),
            ("2^3*3", Some(24)),
            ("-2**2", Some(-4)),
            ("4!", Some(24)),
            ("2 3", None),
            ("4(6)", None),
            ("48.0/2", None),
            ("1/0", None),
            ("", None),
        ] {
            let expected = expected.map(|value| BigRational::from_integer(i64::into(value)));
            assert_eq!(arithmetic(text), expected, "{text}");
        }
    }
}
