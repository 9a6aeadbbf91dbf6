//! Functions: those with a meaning, those that are only a name, and sums, integrals and limits.

use super::{Read, Reader, Unread, symbol::differential_name};
use crate::algebra::{
    exact,
    expression::{Constant, Expression},
    number::{BigRational, Number},
    numeric,
    parse::Node,
};

/// Functions by the names that LaTeX has for them.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    ("arccos", "acos"), ("arccosh", "acosh"), ("arccot", "acot"), ("arccsc", "acsc"), ("arcosh", "acosh"),
    ("arcsec", "asec"), ("arcsin", "asin"), ("arcsinh", "asinh"), ("arctan", "atan"), ("arctanh", "atanh"),
    ("arsinh", "asinh"), ("artanh", "atanh"), ("ceil", "ceiling"), ("cos", "cos"), ("cosh", "cosh"), ("cot", "cot"),
    ("csc", "csc"), ("floor", "floor"), ("sec", "sec"), ("sin", "sin"), ("sinh", "sinh"), ("tan", "tan"),
    ("tanh", "tanh"),
];

/// The inverse of a function whose power is written as −1.
#[rustfmt::skip]
const INVERSES: &[(&str, &str)] = &[
    ("cos", "acos"), ("cosh", "acosh"), ("cot", "acot"), ("csc", "acsc"), ("sec", "asec"), ("sin", "asin"),
    ("sinh", "asinh"), ("tan", "atan"), ("tanh", "atanh"),
];

fn looked_up(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(key, _)| *key == name).map(|&(_, value)| value)
}

impl Reader {
    pub(super) fn function(self, part: &Node) -> Read {
        let function = part.children().first().ok_or(Unread::Refused)?;
        match function.kind() {
            "call" => self.call(function),
            "call_of_several" => self.call_of_several(function),
            "undefined" => self.undefined(function),
            "integral" => self.integral(function),
            "root" => self.root(function),
            "big" => self.big(function),
            "limit" => self.limit(function),
            _ => self.exponential(function),
        }
    }

    fn call(self, call: &Node) -> Read {
        let argument = match (call.child("sum"), call.child("plain_product")) {
            (Some(sum), _) => self.sum(sum)?,
            (None, Some(product)) => self.product(product)?,
            _ => return Err(Unread::Refused),
        };
        let word = call.child("named").and_then(|named| {
            named.children().iter().find(|word| matches!(word.kind(), "FUNCTION" | "NAME"))
        });
        let name = word.map(Node::text).unwrap_or_default();
        let name = name.trim_start_matches('\\');
        let mut power = call.child("above").map(|above| self.raised(above)).transpose()?;
        let value = match name {
            "log" | "ln" => {
                let base = match call.child("below") {
                    Some(below) => self.raised(below)?,
                    None if name == "log" => Expression::integer(10),
                    None => Expression::Constant(Constant::E),
                };
                Expression::Function("log", vec![argument, base])
            }
            "exp" => Expression::Function("exp", vec![argument]),
            "Gamma" | "gamma" => exact::gamma(argument),
            "det" => exact::determinant(argument).ok_or(Unread::Refused)?,
            _ => {
                let Some(mut function) = looked_up(NAMES, name) else {
                    return Err(if argument.is_matrix() {
                        Unread::Undecided
                    } else {
                        Unread::Refused
                    });
                };
                if power.as_ref().is_some_and(|power| power.is_exactly(-1))
                    && let Some(inverse) = looked_up(INVERSES, function)
                {
                    function = inverse;
                    power = None;
                }
                Expression::Function(function, vec![argument])
            }
        };
        Ok(match power.filter(|power| !power.is_exactly(0)) {
            Some(power) => Expression::pow(value, power),
            None => value,
        })
    }

    fn call_of_several(self, call: &Node) -> Read {
        // Without brackets the original fails.
        let several = call.child("several").ok_or(Unread::Refused)?;
        let arguments = self.each(&several.text())?;
        let name = call.child("named_of_several").map(Node::text).unwrap_or_default();
        let value = match name.trim_start_matches('\\') {
            "gcd" | "operatorname{gcd}" => {
                exact::divisor(&arguments, false).ok_or(Unread::Undecided)?
            }
            "lcm" | "operatorname{lcm}" => {
                exact::divisor(&arguments, true).ok_or(Unread::Undecided)?
            }
            "max" => Expression::Function("Max", arguments),
            "min" => Expression::Function("Min", arguments),
            _ => return Err(Unread::Undecided),
        };
        match call.child("above").map(|above| self.raised(above)).transpose()? {
            Some(power) if !power.is_exactly(0) => Ok(Expression::pow(value, power)),
            _ => Ok(value),
        }
    }

    /// Each of what commas divide, read as a formula of its own.
    fn each(self, text: &str) -> Read<Vec<Expression>> {
        text.strip_suffix(',').unwrap_or(text).split(',').map(|one| self.formula(one)).collect()
    }

    fn undefined(self, part: &Node) -> Read {
        let name = part.child("name").map(Node::text).unwrap_or_default();
        let arguments = self.each(&part.child("arguments").ok_or(Unread::Refused)?.text())?;
        let value = Expression::Undefined(name, arguments);
        match part.child("above") {
            Some(above) => Ok(Expression::pow(value, self.raised(above)?)),
            None => Ok(value),
        }
    }

    fn root(self, part: &Node) -> Read {
        let mut sums = part.all("sum").map(|sum| self.sum(sum));
        let first = sums.next().ok_or(Unread::Refused)??;
        let Some(base) = sums.next().transpose()? else {
            let half = Number::Rational(BigRational::new(1.into(), 2.into()));
            return Ok(Expression::pow(first, Expression::Number(half)));
        };
        Ok(Expression::pow(base, exact::inverse(first)))
    }

    fn exponential(self, part: &Node) -> Read {
        let Some(above) = part.child("above") else { return Ok(Expression::Constant(Constant::E)) };
        let exponent = self.raised(above)?;
        Ok(match exponent {
            Expression::Constant(Constant::Infinity) => exponent,
            Expression::Constant(Constant::NegativeInfinity) => Expression::integer(0),
            exponent if exponent.is_exactly(0) => Expression::integer(1),
            exponent if exponent.is_one() => Expression::Constant(Constant::E),
            Expression::Number(number) if number.is_float() => {
                let value = numeric::exponential(&number).ok_or(Unread::Undecided)?;
                Expression::Number(value)
            }
            Expression::Function("log", arguments) => {
                arguments.into_iter().next().ok_or(Unread::Refused)?
            }
            exponent => Expression::Function("exp", vec![exponent]),
        })
    }

    fn big(self, part: &Node) -> Read {
        let equality = part.child("below_equality").and_then(|below| below.child("equality"));
        let mut sides = equality.ok_or(Unread::Refused)?.all("sum").map(|sum| self.sum(sum));
        let variable = sides.next().ok_or(Unread::Refused)??;
        let start = sides.next().ok_or(Unread::Refused)??;
        let end = self.raised(part.child("above").ok_or(Unread::Refused)?)?;
        let operand = self.product(part.child("product").ok_or(Unread::Refused)?)?;
        if !matches!(variable, Expression::Symbol(_)) {
            return Err(Unread::Refused);
        }
        let name = if part.child("SUM").is_some() { "Sum" } else { "Product" };
        Ok(Expression::Bound(name, vec![operand, Expression::Tuple(vec![variable, start, end])]))
    }

    fn limit(self, part: &Node) -> Read {
        let word = ["LETTER", "GREEK", "OTHER"].into_iter().find_map(|kind| part.child(kind));
        let text = word.ok_or(Unread::Refused)?.text();
        let text = text.trim().trim_start_matches('\\');
        let goal = self.sum(part.child("sum").ok_or(Unread::Refused)?)?;
        let operand = self.product(part.child("product").ok_or(Unread::Refused)?)?;
        // Infinity is approached from one side only.
        let direction = match goal {
            Expression::Constant(Constant::Infinity) => "-",
            Expression::Constant(Constant::NegativeInfinity) => "+",
            _ if part.child("SUB").is_some() => "-",
            _ => "+",
        };
        let variable = self.named(text.to_owned());
        Ok(Expression::Bound(
            "Limit",
            vec![operand, variable, goal, self.named(direction.to_owned())],
        ))
    }

    fn integral(self, part: &Node) -> Read {
        let integrand = match (part.child("sum"), part.child("fraction")) {
            (Some(sum), _) => self.sum(sum)?,
            // The differential stands inside of the fraction.
            (None, Some(_)) => return Err(Unread::Undecided),
            _ => Expression::integer(1),
        };
        let differential = part.child("DIFFERENTIAL").ok_or(Unread::Undecided)?;
        let variable = self.named(differential_name(&differential.text()));
        let over = match (part.child("below"), part.child("above")) {
            (Some(below), Some(above)) => {
                Expression::Tuple(vec![variable, self.raised(below)?, self.raised(above)?])
            }
            _ => variable,
        };
        Ok(Expression::Bound("Integral", vec![integrand, over]))
    }
}
