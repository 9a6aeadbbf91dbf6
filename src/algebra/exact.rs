//! Values that are known exactly: fractions, and what comes to one.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    expression::{Expression, Symbol},
    number::{BigRational, Number},
};

/// Factorials and binomial coefficients of greater numbers are not worked out.
const GREATEST: u32 = 3000;
/// Powers of more bits are not worked out.
const MOST_BITS: u64 = 40_000;

/// The fraction that an expression comes to, if it comes to one without any rounding.
pub(super) fn value(expression: &Expression) -> Option<BigRational> {
    let all = |parts: &[Expression]| parts.iter().map(value).collect::<Option<Vec<_>>>();
    match expression {
        Expression::Number(Number::Rational(value)) => Some(value.clone()),
        Expression::Add(terms) => Some(all(terms)?.into_iter().sum()),
        Expression::Mul(factors) => Some(all(factors)?.into_iter().product()),
        Expression::Pow(base, exponent) => power(&value(base)?, &value(exponent)?),
        Expression::Held(inner) => value(inner),
        Expression::Function(name, arguments) => function(name, &all(arguments)?),
        Expression::Bound("Sum" | "Product", _) => summed(expression),
        _ => None,
    }
}

fn whole(value: &BigRational) -> Option<&BigInt> {
    value.is_integer().then(|| value.numer())
}

/// A power, if it is a fraction.
fn power(base: &BigRational, exponent: &BigRational) -> Option<BigRational> {
    let degree = exponent.denom().to_u32()?;
    let times = exponent.numer().to_i32()?;
    let base = if degree == 1 { base.clone() } else { root(base, degree)? };
    if base.is_zero() && times < 0 {
        return None;
    }
    let bits = base.numer().bits().max(base.denom().bits());
    let is_small = bits.checked_mul(times.unsigned_abs().into())? <= MOST_BITS;
    is_small.then(|| num_traits::pow::Pow::pow(&base, times))
}

/// The positive root of a positive number, if it is a fraction.
fn root(base: &BigRational, degree: u32) -> Option<BigRational> {
    if base.is_negative() {
        return None;
    }
    let of =
        |number: &BigInt| Some(number.nth_root(degree)).filter(|root| root.pow(degree) == *number);
    Some(BigRational::new(of(base.numer())?, of(base.denom())?))
}

fn function(name: &str, arguments: &[BigRational]) -> Option<BigRational> {
    let (first, second) = (arguments.first()?, arguments.get(1));
    Some(match name {
        "Abs" => first.abs(),
        "floor" => first.floor(),
        "ceiling" => first.ceil(),
        "factorial" => factorial(whole(first)?)?.into(),
        "Max" => arguments.iter().max()?.clone(),
        "Min" => arguments.iter().min()?.clone(),
        "Mod" if !second?.is_zero() => first - second? * (first / second?).floor(),
        "log" if first.is_one() => BigRational::zero(),
        "log" => logarithm(first, second?)?,
        "sin" | "tan" | "sinh" | "tanh" | "asin" | "atan" if first.is_zero() => BigRational::zero(),
        "exp" | "cos" | "cosh" if first.is_zero() => BigRational::one(),
        _ => return None,
    })
}

fn factorial(of: &BigInt) -> Option<BigInt> {
    let of = of.to_u32().filter(|of| *of <= GREATEST)?;
    Some((1..=of).map(BigInt::from).product())
}

/// The whole number, positive or negative, to which the base is raised.
fn logarithm(of: &BigRational, base: &BigRational) -> Option<BigRational> {
    if !of.is_positive() || !base.is_positive() || base.is_one() {
        return None;
    }
    let up = (*of > BigRational::one()) == (*base > BigRational::one());
    let step = if up { base.clone() } else { base.recip() };
    let mut power = BigRational::one();
    for times in 0..=GREATEST {
        if power == *of {
            let times = BigRational::from_integer(times.into());
            return Some(if up { times } else { -times });
        }
        power *= &step;
        if power.numer().bits() > of.numer().bits() + step.numer().bits()
            || power.denom().bits() > of.denom().bits() + step.denom().bits()
        {
            return None;
        }
    }
    None
}

/// A sum or product over whole numbers.
fn summed(expression: &Expression) -> Option<BigRational> {
    let Expression::Bound(name, parts) = expression else { return None };
    let [operand, Expression::Tuple(over)] = parts.as_slice() else { return None };
    let [Expression::Symbol(variable), start, end] = over.as_slice() else { return None };
    let (start, end) = (value(start)?, value(end)?);
    let (start, end) = (whole(&start)?.to_i64()?, whole(&end)?.to_i64()?);
    if end.checked_sub(start)? > i64::from(GREATEST) {
        return None;
    }
    let values = (start..=end)
        .map(|index| value(&substituted(operand, variable, &Expression::integer(index))));
    if *name == "Sum" { values.sum() } else { values.product() }
}

/// The expression with a value in the place of a symbol.
pub(super) fn substituted(expression: &Expression, symbol: &Symbol, by: &Expression) -> Expression {
    let each =
        |parts: &[Expression]| parts.iter().map(|part| substituted(part, symbol, by)).collect();
    match expression {
        Expression::Symbol(found) if found == symbol => by.clone(),
        Expression::Add(parts) => Expression::Add(each(parts)),
        Expression::Mul(parts) => Expression::Mul(each(parts)),
        Expression::Pow(base, exponent) => {
            Expression::pow(substituted(base, symbol, by), substituted(exponent, symbol, by))
        }
        Expression::Function(name, parts) => Expression::Function(name, each(parts)),
        Expression::Undefined(name, parts) => Expression::Undefined(name.clone(), each(parts)),
        Expression::Held(part) => Expression::Held(Box::new(substituted(part, symbol, by))),
        Expression::Bound(name, parts) => Expression::Bound(name, each(parts)),
        Expression::Tuple(parts) => Expression::Tuple(each(parts)),
        other => other.clone(),
    }
}

/// How many ways there are to choose so many of so many: a number where both are, else unevaluated.
pub(super) fn binomial(above: Expression, below: Expression) -> Expression {
    let count = below.as_number().and_then(Number::as_integer).and_then(ToPrimitive::to_i64);
    let exact = match (&above, count) {
        (_, Some(count)) if count < 0 => Some(BigRational::zero()),
        (Expression::Number(Number::Rational(above)), Some(count))
            if count <= i64::from(GREATEST) =>
        {
            let mut product = BigRational::one();
            for index in 0..count {
                let index = BigRational::from_integer(index.into());
                product *= (above - &index) / (index + BigRational::one());
            }
            Some(product)
        }
        (_, Some(0)) => Some(BigRational::one()),
        (_, Some(1)) => return above.clone(),
        _ if above == below => Some(BigRational::one()),
        _ => None,
    };
    match exact {
        Some(exact) => Expression::rational(exact),
        None => Expression::Function("binomial", vec![above, below]),
    }
}

/// The gamma function: a factorial for whole numbers.
pub(super) fn gamma(argument: Expression) -> Expression {
    let known =
        argument.as_number().and_then(Number::as_integer).filter(|integer| integer.is_positive());
    match known.and_then(|integer| factorial(&(integer - 1))) {
        Some(value) => Expression::rational(BigRational::from_integer(value)),
        None => Expression::Function("gamma", vec![argument]),
    }
}

/// One divided by a value.
pub(super) fn inverse(value: Expression) -> Expression {
    match value {
        Expression::Number(Number::Rational(value)) if !value.is_zero() => {
            Expression::rational(value.recip())
        }
        other => other.inverse(),
    }
}

/// The greatest common divisor or the least common multiple of fractions, kept apart from other numbers.
pub(super) fn divisor(arguments: &[Expression], is_multiple: bool) -> Option<Expression> {
    let values = arguments.iter().map(value).collect::<Option<Vec<_>>>()?;
    let joined = values.into_iter().reduce(|left, right| {
        let (above, below) = if is_multiple {
            (left.numer().lcm(right.numer()), left.denom().gcd(right.denom()))
        } else {
            (left.numer().gcd(right.numer()), left.denom().lcm(right.denom()))
        };
        BigRational::new(above, below)
    })?;
    Some(Expression::Held(Box::new(Expression::rational(joined))))
}

/// The determinant of a square matrix, by its first row.
pub(super) fn determinant(matrix: Expression) -> Option<Expression> {
    let Expression::Matrix(rows) = matrix else { return None };
    let is_square = rows.iter().all(|row| row.len() == rows.len());
    if !is_square || rows.is_empty() || rows.len() > 6 {
        return None;
    }
    let total = expanded(&rows);
    Some(value(&total).map_or(total, Expression::rational))
}

fn expanded(rows: &[Vec<Expression>]) -> Expression {
    let (Some(first), rest) = (rows.first(), rows.get(1..).unwrap_or_default()) else {
        return Expression::integer(1);
    };
    let terms = first.iter().enumerate().map(|(column, entry)| {
        let minor: Vec<Vec<Expression>> = rest
            .iter()
            .map(|row| {
                let others = row.iter().enumerate().filter(|(index, _)| *index != column);
                others.map(|(_, entry)| entry.clone()).collect()
            })
            .collect();
        let sign = if column % 2 == 0 { 1 } else { -1 };
        Expression::Mul(vec![Expression::integer(sign), entry.clone(), expanded(&minor)])
    });
    Expression::Add(terms.collect())
}
