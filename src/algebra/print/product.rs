//! Products, and what stands below their lines.
//!
//! `SymPy` prints a product in two ways: with its factors sorted, or as it was written where numbers stand among them.

use num_traits::One;

use super::{inside, is_negative, parenthesized, precedence};
use crate::algebra::{
    exact,
    expression::{Constant, Expression},
    number::{BigRational, Number},
    order::{base_and_exponent, coefficient, negated, ordered_factors},
};

/// The exponent of what stands below the line.
fn negative_exponent(factor: &Expression) -> Option<&Expression> {
    let Expression::Pow(_, exponent) = factor else { return None };
    coefficient(exponent).0.is_negative().then_some(exponent)
}

pub(super) fn product(factors: &[Expression]) -> String {
    let is_apart = |factor: &Expression| match factor {
        Expression::Number(_)
        | Expression::Constant(
            Constant::Infinity | Constant::NegativeInfinity | Constant::NotANumber,
        ) => true,
        Expression::Pow(base, exponent) => base.is_integer() && exponent.is_integer(),
        _ => false,
    };
    let is_unevaluated =
        factors.first().is_some_and(Expression::is_one) || factors.iter().skip(1).any(is_apart);
    if is_unevaluated { unevaluated_product(factors) } else { sorted_product(factors) }
}

/// A product as it was written.
fn unevaluated_product(factors: &[Expression]) -> String {
    let (below, above): (Vec<&Expression>, Vec<&Expression>) =
        factors.iter().partition(|factor| negative_exponent(factor).is_some());
    let level = precedence(&Expression::Mul(factors.to_vec()));
    let line = |factors: Vec<Expression>, is_free: bool| -> Vec<String> {
        let print = |(index, factor): (usize, &Expression)| {
            let is_free = is_free
                && index == 0
                && is_negative(factor)
                && !matches!(factor, Expression::Add(_));
            if is_free { inside(factor) } else { parenthesized(factor, level) }
        };
        factors.iter().enumerate().map(print).collect()
    };
    let above: Vec<String> = line(above.into_iter().cloned().collect(), true);
    let below: Vec<Expression> = below.into_iter().map(below_line).collect();
    let has_several = below.len() > 1;
    let below = line(below, has_several);
    let above = if above.is_empty() { "1".to_owned() } else { above.join("*") };
    match below.len() {
        0 => above,
        1 => format!("{above}/{}", below.join("*")),
        _ => format!("{above}/({})", below.join("*")),
    }
}

/// A power with a negative exponent as it is written below the line.
fn without_line(factor: &Expression) -> Expression {
    let (base, exponent) = base_and_exponent(factor);
    let exponent = negated(&exponent);
    if exponent.is_one() { base } else { Expression::pow(base, exponent) }
}

/// The same as it was written.
fn below_line(factor: &Expression) -> Expression {
    let Expression::Pow(base, exponent) = factor else { return factor.clone() };
    let exponent = negated(exponent);
    if exponent.is_one() { (**base).clone() } else { Expression::pow((**base).clone(), exponent) }
}

fn sorted_product(factors: &[Expression]) -> String {
    let whole = Expression::Mul(factors.to_vec());
    let level = precedence(&whole);
    let (number, rest) = coefficient(&whole);
    let sign = if number.is_negative() { "-" } else { "" };
    let factors = if number.is_negative() {
        with_coefficient(&number.negated(), rest)
    } else {
        factors.to_vec()
    };
    let (mut above, mut below, mut doubled) = (Vec::new(), Vec::new(), Vec::new());
    for factor in ordered_factors(&factors) {
        match &factor {
            Expression::Pow(base, exponent) if negative_exponent(&factor).is_some() => {
                if exponent.is_exactly(-1) {
                    let is_compound = matches!(**base, Expression::Mul(_) | Expression::Pow(..));
                    if is_compound && base.parts().len() != 1 {
                        doubled.push(below.len());
                    }
                    below.push((**base).clone());
                } else {
                    below.push(without_line(&factor));
                }
            }
            Expression::Number(Number::Rational(value)) => {
                if !value.numer().is_one() {
                    above.push(Expression::rational(BigRational::from_integer(
                        value.numer().clone(),
                    )));
                }
                if !value.denom().is_one() {
                    below.push(Expression::rational(BigRational::from_integer(
                        value.denom().clone(),
                    )));
                }
            }
            _ => above.push(factor.clone()),
        }
    }
    if above.is_empty() {
        above.push(Expression::integer(1));
    }
    let above: Vec<String> = above.iter().map(|factor| parenthesized(factor, level)).collect();
    let below: Vec<String> = below
        .iter()
        .enumerate()
        .map(|(index, factor)| {
            let text = parenthesized(factor, level);
            if doubled.contains(&index) { format!("({text})") } else { text }
        })
        .collect();
    let above = above.join("*");
    match below.len() {
        0 => format!("{sign}{above}"),
        1 => format!("{sign}{above}/{}", below.join("*")),
        _ => format!("{sign}{above}/({})", below.join("*")),
    }
}

/// The factors of a product with another number in front.
fn with_coefficient(number: &Number, rest: Expression) -> Vec<Expression> {
    let is_one = Expression::Number(number.clone()).is_one();
    match rest {
        Expression::Mul(mut factors) => {
            if let (Some(Expression::Number(first)), false) = (factors.first().cloned(), is_one) {
                let parts = [Expression::Number(number.clone()), Expression::Number(first)];
                let joined = exact::value(&Expression::Mul(parts.to_vec()));
                if let (Some(joined), Some(slot)) = (joined, factors.first_mut()) {
                    *slot = Expression::rational(joined);
                    return factors;
                }
            }
            if !is_one {
                factors.insert(0, Expression::Number(number.clone()));
            }
            factors
        }
        other if is_one => vec![other],
        other => vec![Expression::Number(number.clone()), other],
    }
}
