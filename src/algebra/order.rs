//! In which order parts are written, and sets compared: numbers, symbols, products and sums, functions, all
//! else.
//!
//! It is the order in which `SymPy` prints terms, factors and members.

use std::cmp::Ordering;

use num_traits::{One, Signed, Zero};

use super::{
    complex::Complex,
    double_double::DoubleDouble,
    expression::{Constant, Expression},
    number::{BigRational, Number, to_f64},
    numeric,
    print::print,
};

/// What an expression is sorted by.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub(super) struct Key {
    class: (u8, i32, String),
    count: usize,
    arguments: Vec<Argument>,
    exponent: Option<Box<Key>>,
    coefficient: f64,
}

#[derive(Clone, Debug, PartialEq, PartialOrd)]
enum Argument {
    Text(String),
    Key(Key),
}

/// Two keys in order.
pub(super) fn compared(left: &Key, right: &Key) -> Ordering {
    left.partial_cmp(right).unwrap_or(Ordering::Equal)
}

impl Key {
    fn number(value: f64) -> Self {
        let class = (1, 0, "Number".to_owned());
        Self { class, count: 0, arguments: Vec::new(), exponent: None, coefficient: value }
    }

    fn one() -> Self {
        Self::number(1.0)
    }

    fn word(class: (u8, i32, String), text: String) -> Self {
        let arguments = vec![Argument::Text(text)];
        Self { class, count: 1, arguments, exponent: Some(Box::new(Self::one())), coefficient: 1.0 }
    }

    fn made_of(class: (u8, i32, String), parts: &[Expression]) -> Self {
        let arguments: Vec<Argument> = parts.iter().map(|part| Argument::Key(key(part))).collect();
        Self {
            class,
            count: parts.len(),
            arguments,
            exponent: Some(Box::new(Self::one())),
            coefficient: 1.0,
        }
    }

    /// The key of what a value or an expression comes to.
    pub(super) fn evaluated(expression: &Expression) -> Self {
        match numeric::real(expression) {
            Some(value) => Self::number(value.to_f64()),
            None => key(expression),
        }
    }
}

/// The number in front of a product, and the rest of it.
pub(super) fn coefficient(expression: &Expression) -> (Number, Expression) {
    match expression {
        Expression::Number(number) => (number.clone(), Expression::integer(1)),
        Expression::Mul(factors) => match factors.split_first() {
            Some((Expression::Number(number), [single])) => (number.clone(), single.clone()),
            Some((Expression::Number(number), rest)) => {
                (number.clone(), Expression::Mul(rest.to_vec()))
            }
            _ => (Number::integer(1), expression.clone()),
        },
        other => (Number::integer(1), other.clone()),
    }
}

/// A power's base and exponent; all else is raised to one.
pub(super) fn base_and_exponent(expression: &Expression) -> (Expression, Expression) {
    match expression {
        Expression::Pow(base, exponent) => match base.as_number() {
            Some(Number::Rational(value)) if value.numer().is_one() && !value.denom().is_one() => {
                let base = BigRational::from_integer(value.denom().clone());
                (Expression::rational(base), negated(exponent))
            }
            _ => ((**base).clone(), (**exponent).clone()),
        },
        Expression::Function("exp", arguments) => {
            let exponent = arguments.first().cloned().unwrap_or_else(|| Expression::integer(1));
            (Expression::Constant(Constant::E), exponent)
        }
        other => (other.clone(), Expression::integer(1)),
    }
}

/// The exponent with another sign.
pub(super) fn negated(exponent: &Expression) -> Expression {
    match exponent {
        Expression::Number(number) => Expression::Number(number.negated()),
        Expression::Mul(factors) => match factors.split_first() {
            Some((first, rest)) if first.is_exactly(-1) && rest.len() == 1 => {
                rest.first().unwrap_or(first).clone()
            }
            Some((first, rest)) if first.is_exactly(-1) => Expression::Mul(rest.to_vec()),
            Some((Expression::Number(number), rest)) => {
                let mut factors = vec![Expression::Number(number.negated())];
                factors.extend(rest.iter().cloned());
                Expression::Mul(factors)
            }
            _ => Expression::flat_mul(Expression::integer(-1), exponent.clone()),
        },
        other => Expression::Mul(vec![Expression::integer(-1), other.clone()]),
    }
}

/// What an expression is sorted by.
pub(super) fn key(expression: &Expression) -> Key {
    match expression {
        Expression::Number(number) => return Key::number(to_f64(number.value())),
        Expression::Constant(Constant::Infinity) => return Key::number(f64::INFINITY),
        Expression::Constant(Constant::NegativeInfinity) => return Key::number(f64::NEG_INFINITY),
        Expression::Constant(_) => {
            return Key::word((2, 0, class_name(expression).to_owned()), print(expression));
        }
        Expression::Symbol(symbol) => {
            return Key::word((2, 0, "Symbol".to_owned()), symbol.name.clone());
        }
        Expression::NamedSet(name) => return Key::made_of((5, 0, (*name).to_owned()), &[]),
        Expression::FiniteSet(members) => {
            return Key::made_of((5, 0, "FiniteSet".to_owned()), &sorted(members));
        }
        other if !other.is_scalar() => {
            let parts: Vec<Expression> = other.parts().into_iter().cloned().collect();
            return Key::made_of((5, 0, class_name(other).to_owned()), &parts);
        }
        _ => {}
    }
    let (number, rest) = coefficient(expression);
    let (base, exponent) = match &rest {
        power @ Expression::Pow(..) => base_and_exponent(power),
        other => (other.clone(), Expression::integer(1)),
    };
    let inner = match &base {
        Expression::Add(terms) => Key::made_of((3, 1, "Add".to_owned()), &ordered_terms(terms)),
        Expression::Mul(factors) => {
            Key::made_of((3, 0, "Mul".to_owned()), &ordered_factors(factors))
        }
        Expression::Pow(inner, power) => {
            Key::made_of((3, 2, "Pow".to_owned()), &[(**inner).clone(), (**power).clone()])
        }
        Expression::Function(name, arguments) => {
            Key::made_of((4, function_rank(name), (*name).to_owned()), arguments)
        }
        Expression::Undefined(name, arguments) => Key::made_of((4, 0, name.clone()), arguments),
        Expression::Held(_) | Expression::Bound(..) => {
            let parts: Vec<Expression> = base.parts().into_iter().cloned().collect();
            Key::made_of((5, 0, class_name(&base).to_owned()), &parts)
        }
        simple => key(simple),
    };
    let exponent = if exponent.is_one() { inner.exponent } else { Some(Box::new(key(&exponent))) };
    Key { exponent, coefficient: to_f64(number.value()), ..inner }
}

fn function_rank(name: &str) -> i32 {
    match name {
        "exp" => 10,
        "log" => 11,
        "sin" => 20,
        "cos" => 21,
        "tan" => 22,
        "cot" => 23,
        "sinh" => 30,
        "cosh" => 31,
        "tanh" => 32,
        _ => 10_000,
    }
}

fn class_name(expression: &Expression) -> &'static str {
    use super::expression::Relation;
    match expression {
        Expression::Constant(constant) => match constant {
            Constant::Pi => "Pi",
            Constant::E => "Exp1",
            Constant::I => "ImaginaryUnit",
            Constant::EulerGamma => "EulerGamma",
            Constant::ComplexInfinity => "ComplexInfinity",
            _ => "NaN",
        },
        Expression::Held(_) => "UnevaluatedExpr",
        Expression::Bound(name, _) | Expression::SetOperation(name, _) => name,
        Expression::Interval(_) => "Interval",
        Expression::Tuple(_) => "Tuple",
        Expression::And(_) => "And",
        Expression::Not(_) => "Not",
        Expression::Relation(kind, ..) => match kind {
            Relation::Equal => "Equality",
            Relation::Unequal => "Unequality",
            Relation::Less => "StrictLessThan",
            Relation::LessOrEqual => "LessThan",
            Relation::Greater => "StrictGreaterThan",
            Relation::GreaterOrEqual => "GreaterThan",
        },
        _ => "",
    }
}

/// Members in the order in which they are printed.
pub(super) fn sorted(members: &[Expression]) -> Vec<Expression> {
    let mut keyed: Vec<(Key, &Expression)> =
        members.iter().map(|member| (key(member), member)).collect();
    keyed.sort_by(|left, right| compared(&left.0, &right.0));
    keyed.into_iter().map(|(_, member)| member.clone()).collect()
}

/// Factors in the order in which they are printed. A negative number stands apart from its sign.
pub(super) fn ordered_factors(factors: &[Expression]) -> Vec<Expression> {
    match factors.split_first() {
        Some((Expression::Number(number), rest))
            if number.is_negative()
                && !factors.first().is_some_and(|first| first.is_exactly(-1)) =>
        {
            let mut parts = vec![Expression::integer(-1), Expression::Number(number.negated())];
            parts.extend(rest.iter().cloned());
            sorted(&parts)
        }
        _ => sorted(factors),
    }
}

/// What a term is sorted by: the powers of what it is made of, then its number.
struct Term<'t> {
    whole: &'t Expression,
    number: (f64, f64),
    powers: Vec<(Expression, BigRational)>,
}

/// Terms in the order in which they are printed: higher powers first.
pub(super) fn ordered_terms(terms: &[Expression]) -> Vec<Expression> {
    if let Some(pair) = number_minus_multiple(terms) {
        return pair;
    }
    let terms: Vec<Term<'_>> = terms.iter().map(decomposed).collect();
    let mut bases: Vec<(Key, &Expression)> = Vec::new();
    for (base, _) in terms.iter().flat_map(|term| &term.powers) {
        if !bases.iter().any(|(_, known)| *known == base) {
            bases.push((key(base), base));
        }
    }
    bases.sort_by(|left, right| compared(&left.0, &right.0));
    let zero = BigRational::zero();
    let power = |term: &Term<'_>, base: &Expression| {
        term.powers
            .iter()
            .rev()
            .find(|(known, _)| known == base)
            .map_or_else(|| zero.clone(), |(_, power)| power.clone())
    };
    let mut keyed: Vec<_> = terms
        .iter()
        .map(|term| {
            let powers: Vec<BigRational> =
                bases.iter().map(|(_, base)| -power(term, base)).collect();
            let (re, im) = term.number;
            (powers, (im != 0.0, im, re), term.whole)
        })
        .collect();
    keyed.sort_by(|left, right| {
        left.0.cmp(&right.0).then(left.1.partial_cmp(&right.1).unwrap_or(Ordering::Equal))
    });
    keyed.into_iter().map(|(_, _, term)| term.clone()).collect()
}

/// A positive number stands before a negative multiple.
fn number_minus_multiple(terms: &[Expression]) -> Option<Vec<Expression>> {
    let is_number = |term: &Expression| match term {
        Expression::Number(number) => !number.is_negative() && !number.value().is_zero(),
        Expression::Constant(Constant::Pi | Constant::E | Constant::EulerGamma) => true,
        _ => false,
    };
    let is_negative = |term: &Expression| match term {
        Expression::Mul(factors) if factors.len() == 2 => {
            let numbers: Vec<&Number> = factors.iter().filter_map(Expression::as_number).collect();
            numbers.first().is_some_and(|number| number.is_negative())
        }
        _ => false,
    };
    match terms {
        [number, multiple] | [multiple, number] if is_number(number) && is_negative(multiple) => {
            Some(vec![number.clone(), multiple.clone()])
        }
        _ => None,
    }
}

fn decomposed(term: &Expression) -> Term<'_> {
    let (number, rest) = coefficient(term);
    let mut number = Complex::real(DoubleDouble::of(number.value()));
    let factors = match rest {
        Expression::Mul(factors) => factors,
        one if one.is_one() => Vec::new(),
        other => vec![other],
    };
    let mut powers = Vec::new();
    for factor in factors {
        if let Some(value) = numeric::constant(&factor) {
            number = number * value;
        } else {
            powers.push(decomposed_power(&factor));
        }
    }
    Term { whole: term, number: (number.re.to_f64(), number.im.to_f64()), powers }
}

/// A base with a whole power: the root goes to the base.
fn decomposed_power(factor: &Expression) -> (Expression, BigRational) {
    let whole = |number: &num_bigint::BigInt| BigRational::from_integer(number.clone());
    let raised = |base: Expression, exponent: Expression| match base {
        Expression::Constant(Constant::E) => Expression::Function("exp", vec![exponent]),
        base => Expression::pow(base, exponent),
    };
    let (base, exponent) = base_and_exponent(factor);
    match &exponent {
        Expression::Number(Number::Rational(power)) => {
            if power.is_integer() {
                return (base, power.clone());
            }
            let root = BigRational::new(BigRational::one().to_integer(), power.denom().clone());
            (raised(base, Expression::rational(root)), whole(power.numer()))
        }
        Expression::Number(Number::Float(_)) => (factor.clone(), BigRational::one()),
        _ => match coefficient(&exponent) {
            (Number::Rational(times), tail) if !times.is_one() => {
                let root = BigRational::new(1.into(), times.denom().clone());
                let tail = if root.is_one() {
                    tail
                } else {
                    Expression::flat_mul(Expression::rational(root), tail)
                };
                debug_assert!(times.denom().is_positive());
                (raised(base, tail), whole(times.numer()))
            }
            _ => (factor.clone(), BigRational::one()),
        },
    }
}
