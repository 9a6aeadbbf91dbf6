//! Sums, products, powers and what they are made of.

use num_traits::{One, Signed, Zero};

use super::{Read, Reader, Unread, negative_number};
use crate::algebra::{
    exact,
    expression::{Constant, Expression},
    number::{BigRational, Number},
    parse::Node,
};

/// A factor, or the sign that differentiates what follows by this symbol.
enum Factor {
    Value(Expression),
    Derivative(Expression),
}

impl Reader {
    pub(super) fn sum(self, sum: &Node) -> Read {
        let mut total: Option<Expression> = None;
        let mut is_minus = false;
        for part in sum.children() {
            if matches!(part.kind(), "ADD" | "SUB") {
                is_minus = part.kind() == "SUB";
                continue;
            }
            let term = self.product(part)?;
            total = Some(match total {
                None => term,
                Some(total) => {
                    let is_matrix = total.is_matrix() || term.is_matrix();
                    let term = match (is_minus, is_matrix) {
                        (false, _) => term,
                        (true, true) => matrix_product(Expression::integer(-1), term),
                        (true, false) => negative_number(&term)
                            .unwrap_or_else(|| Expression::flat_mul(Expression::integer(-1), term)),
                    };
                    if is_matrix {
                        matrix_sum(total, term)
                    } else {
                        Expression::flat_add(total, term)
                    }
                }
            });
        }
        total.ok_or(Unread::Refused)
    }

    pub(super) fn product(self, product: &Node) -> Read {
        let mut total: Option<Expression> = None;
        let mut sign = "";
        for part in product.children() {
            if matches!(part.kind(), "MUL" | "DIV" | "MOD") {
                sign = part.kind();
                continue;
            }
            let factor = self.unary(part)?;
            total = Some(match total {
                None => factor,
                Some(total) => match sign {
                    "MUL" => multiplied(total, factor),
                    "DIV" => divided(total, factor),
                    _ if factor.is_matrix() => return Err(Unread::Refused),
                    _ => Expression::Function("Mod", vec![total, factor]),
                },
            });
        }
        total.ok_or(Unread::Refused)
    }

    fn unary(self, unary: &Node) -> Read {
        match unary.children() {
            [sign, nested] if sign.kind() == "ADD" => self.unary(nested),
            [sign, nested] if sign.kind() == "SUB" => {
                let value = self.unary(nested)?;
                if value.is_matrix() {
                    return Ok(matrix_product(Expression::integer(-1), value));
                }
                Ok(negative_number(&value)
                    .unwrap_or_else(|| Expression::flat_mul(Expression::integer(-1), value)))
            }
            factors => self.adjacent(factors),
        }
    }

    /// Factors without a sign between them, from the last to the first.
    fn adjacent(self, factors: &[Node]) -> Read {
        let mut product: Option<Expression> = None;
        for factor in factors.iter().rev() {
            product = Some(match (self.postfix(factor)?, product) {
                (Factor::Value(value), None) => value,
                (Factor::Value(value), Some(rest)) => {
                    mixed_number(&value, &rest).unwrap_or_else(|| multiplied(value, rest))
                }
                (Factor::Derivative(_), None) => return Err(Unread::Refused),
                (Factor::Derivative(symbol), Some(rest)) => {
                    Expression::Bound("Derivative", vec![rest, symbol])
                }
            });
        }
        product.ok_or(Unread::Refused)
    }

    fn postfix(self, postfix: &Node) -> Read<Factor> {
        let power = postfix.children().first().ok_or(Unread::Refused)?;
        let mut value = match self.power(power)? {
            Factor::Value(value) => value,
            sign @ Factor::Derivative(_) if postfix.children().len() == 1 => return Ok(sign),
            Factor::Derivative(_) => return Err(Unread::Refused),
        };
        for mark in postfix.all("mark") {
            value = match mark.children().first().map_or("", Node::kind) {
                "FACTORIAL" => Expression::Function("factorial", vec![value]),
                "evaluated" => return Err(Unread::Undecided),
                "TRANSPOSE" => transposed(value),
                _ => value,
            };
        }
        Ok(Factor::Value(value))
    }

    fn power(self, power: &Node) -> Read<Factor> {
        let operand = power.children().first().ok_or(Unread::Refused)?;
        let mut value = match self.operand(operand)? {
            Factor::Value(value) => value,
            sign @ Factor::Derivative(_) if power.children().len() == 1 => return Ok(sign),
            Factor::Derivative(_) => return Err(Unread::Refused),
        };
        for exponent in power.all("exponent") {
            if value.is_matrix() {
                return Err(Unread::Undecided);
            }
            value = Expression::pow(value, self.raised(exponent)?);
        }
        Ok(Factor::Value(value))
    }

    /// What stands above or below: one atom, or a sum in braces.
    pub(super) fn raised(self, part: &Node) -> Read {
        match (part.child("atom"), part.child("sum")) {
            (Some(atom), _) => self.atom(atom),
            (None, Some(sum)) => self.sum(sum),
            _ => Err(Unread::Refused),
        }
    }

    fn operand(self, operand: &Node) -> Read<Factor> {
        let part = operand.children().first().ok_or(Unread::Refused)?;
        let inner = || self.sum(part.child("sum").ok_or(Unread::Refused)?);
        let function =
            |name: &'static str| -> Read { Ok(Expression::Function(name, vec![inner()?])) };
        Ok(Factor::Value(match part.kind() {
            "group" | "formatted" => inner()?,
            "absolute" => function("Abs")?,
            "floor" => function("floor")?,
            "ceiling" => function("ceiling")?,
            "norm" if inner()?.is_matrix() => return Err(Unread::Undecided),
            "function" => self.function(part)?,
            "atom" => self.atom(part)?,
            "fraction" => return self.fraction(part),
            "binomial" => {
                let mut sums = part.all("sum").map(|sum| self.sum(sum));
                let above = sums.next().ok_or(Unread::Refused)??;
                let below = sums.next().ok_or(Unread::Refused)??;
                exact::binomial(above, below)
            }
            "matrix" => self.matrix(part)?,
            "determinant" => exact::determinant(self.matrix(part)?).ok_or(Unread::Refused)?,
            _ => return Err(Unread::Refused),
        }))
    }

    fn matrix(self, part: &Node) -> Read {
        let rows = part.child("rows").ok_or(Unread::Refused)?;
        let rows: Vec<Vec<Expression>> = rows
            .all("row")
            .map(|row| row.all("sum").map(|sum| self.sum(sum)).collect())
            .collect::<Read<_>>()?;
        let width = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|row| row.len() != width) {
            return Err(Unread::Refused);
        }
        Ok(Expression::Matrix(rows))
    }

    fn fraction(self, part: &Node) -> Read<Factor> {
        let mut sums = part.all("sum");
        let (above, below) =
            (sums.next().ok_or(Unread::Refused)?, sums.next().ok_or(Unread::Refused)?);
        if let Some(symbol) = self.differential(below) {
            let text = above.text();
            if text == "d" {
                return Ok(Factor::Derivative(symbol));
            }
            if let Some(differentiated) = text.strip_prefix('d') {
                let operand = self.formula(differentiated)?;
                return Ok(Factor::Value(Expression::Bound("Derivative", vec![operand, symbol])));
            }
        }
        Ok(Factor::Value(divided(self.sum(above)?, self.sum(below)?)))
    }
}

pub(super) fn multiplied(left: Expression, right: Expression) -> Expression {
    if left.is_matrix() || right.is_matrix() {
        return matrix_product(left, right);
    }
    Expression::flat_mul(left, right)
}

/// A quotient; of two whole numbers the fraction.
fn divided(above: Expression, below: Expression) -> Expression {
    let integers = above
        .as_number()
        .and_then(Number::as_integer)
        .zip(below.as_number().and_then(Number::as_integer));
    if let Some((above, below)) = integers {
        if !below.is_zero() {
            return Expression::rational(BigRational::new(above.clone(), below.clone()));
        }
        let is_undefined = above.is_zero();
        return Expression::Constant(if is_undefined {
            Constant::NotANumber
        } else {
            Constant::ComplexInfinity
        });
    }
    if above.is_matrix() || below.is_matrix() {
        return Expression::MatrixMul(vec![above, below.inverse()]);
    }
    Expression::Mul(vec![above, below.inverse()])
}

/// A whole number in front of a positive fraction is added to it.
fn mixed_number(whole: &Expression, fraction: &Expression) -> Option<Expression> {
    let whole = whole.as_number().and_then(Number::as_integer)?;
    let Number::Rational(fraction) = fraction.as_number()? else { return None };
    if !fraction.is_positive() {
        return None;
    }
    let whole = BigRational::from_integer(whole.clone());
    let sum = if whole.is_negative() { whole - fraction } else { whole + fraction };
    debug_assert!(sum.denom().is_one() || sum.denom().is_positive());
    Some(Expression::rational(sum))
}

fn transposed(value: Expression) -> Expression {
    let Expression::Matrix(rows) = value else { return value };
    let width = rows.first().map_or(0, Vec::len);
    let column = |index: usize| rows.iter().filter_map(|row| row.get(index).cloned()).collect();
    Expression::Matrix((0..width).map(column).collect())
}

fn matrix_product(left: Expression, right: Expression) -> Expression {
    let factors = |side: Expression| match side {
        Expression::MatrixMul(factors) => factors,
        other => vec![other],
    };
    let mut all = factors(left);
    all.extend(factors(right));
    Expression::MatrixMul(all)
}

fn matrix_sum(left: Expression, right: Expression) -> Expression {
    let terms = |side: Expression| match side {
        Expression::MatrixAdd(terms) => terms,
        other => vec![other],
    };
    let mut all = terms(left);
    all.extend(terms(right));
    Expression::MatrixAdd(all)
}
