//! What an expression comes to, to about thirty digits, for given values of its symbols.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{
    complex::Complex,
    double_double::{DoubleDouble, EULER_GAMMA, PI},
    exact,
    expression::{Constant, Expression, Symbol},
    number::{BigRational, Number, nearest_even},
};

/// Sums over more numbers are not worked out.
const MOST_TERMS: i64 = 3000;

/// Where the weights of an integral have died away.
const FARTHEST: f64 = 4.0;

/// Values of symbols.
pub(super) type Values<'v> = &'v dyn Fn(&Symbol) -> Option<Complex>;

/// What an expression comes to; nothing where it is not worked out, or is no finite number.
pub(super) fn evaluate(expression: &Expression, values: Values<'_>) -> Option<Complex> {
    let value = match expression {
        Expression::Number(number) => Complex::real(DoubleDouble::of(number.value())),
        Expression::Constant(constant) => match constant {
            Constant::Pi => Complex::real(PI),
            Constant::E => Complex::real(DoubleDouble::ONE.exp()),
            Constant::I => Complex::I,
            Constant::EulerGamma => Complex::real(EULER_GAMMA),
            _ => return None,
        },
        Expression::Symbol(symbol) => values(symbol)?,
        Expression::Add(terms) => {
            let mut sum = Complex::real(DoubleDouble::ZERO);
            for term in terms {
                sum = sum + evaluate(term, values)?;
            }
            sum
        }
        Expression::Mul(factors) => {
            let mut product = Complex::ONE;
            for factor in factors {
                product = product * evaluate(factor, values)?;
            }
            product
        }
        Expression::Pow(base, exponent) => power(evaluate(base, values)?, exponent, values)?,
        Expression::Held(inner) => evaluate(inner, values)?,
        Expression::Function(name, arguments) => {
            let arguments: Vec<Complex> = arguments
                .iter()
                .map(|argument| evaluate(argument, values))
                .collect::<Option<_>>()?;
            function(name, &arguments)?
        }
        Expression::Undefined(name, arguments) => unknown(name, arguments, values)?,
        Expression::Bound("Sum" | "Product", parts) => summed(expression, parts, values)?,
        Expression::Bound("Integral", parts) => integrated(parts, values)?,
        _ => return None,
    };
    value.is_finite().then_some(value)
}

/// A power. A fraction as exponent is taken as it is written.
fn power(base: Complex, exponent: &Expression, values: Values<'_>) -> Option<Complex> {
    if let Some(exact) = exact::value(exponent) {
        if let Some(times) = exact.is_integer().then(|| exact.numer().to_i32()).flatten() {
            let power = base.whole_power(times.unsigned_abs());
            return Some(if times < 0 { Complex::ONE / power } else { power });
        }
        if exact == BigRational::new(1.into(), 2.into()) {
            return Some(base.sqrt());
        }
    }
    let exponent = evaluate(exponent, values)?;
    if base.norm().is_zero() {
        let is_positive = exponent.re.to_f64() > 0.0;
        return is_positive.then_some(Complex::real(DoubleDouble::ZERO));
    }
    Some((base.ln() * exponent).exp())
}

fn function(name: &str, arguments: &[Complex]) -> Option<Complex> {
    let (&first, second) = (arguments.first()?, arguments.get(1).copied());
    let is_real = arguments.iter().all(|argument| argument.im.is_zero());
    let inverse = |value: Complex| Complex::ONE / value;
    let half_turn = Complex::real(PI / DoubleDouble::new(2.0));
    Some(match name {
        "Abs" => Complex::real(first.norm()),
        "exp" => first.exp(),
        "log" => {
            let logarithm = first.ln();
            second.map_or(logarithm, |base| logarithm / base.ln())
        }
        "sin" => first.sin(),
        "cos" => first.cos(),
        "tan" => first.sin() / first.cos(),
        "cot" => first.cos() / first.sin(),
        "sec" => inverse(first.cos()),
        "csc" => inverse(first.sin()),
        "sinh" => first.sinh(),
        "cosh" => first.cosh(),
        "tanh" => first.sinh() / first.cosh(),
        "asin" => first.asin(),
        "acos" => half_turn - first.asin(),
        "atan" => first.atan(),
        "acot" => inverse(first).atan(),
        "asec" => half_turn - inverse(first).asin(),
        "acsc" => inverse(first).asin(),
        "asinh" => first.asinh(),
        "acosh" => first.acosh(),
        "atanh" => first.atanh(),
        "floor" if is_real => Complex::real(stepped(first.re).floor()),
        "ceiling" if is_real => Complex::real(-stepped(-first.re).floor()),
        "Max" | "Min" if is_real => {
            let greater = |left: Complex, right: Complex| {
                let is_greater = (left.re - right.re).to_f64() > 0.0;
                if is_greater == (name == "Max") { left } else { right }
            };
            arguments.iter().copied().reduce(greater)?
        }
        "Mod" if is_real => {
            let divisor = second?;
            first - divisor * Complex::real((first / divisor).re.floor())
        }
        "factorial" if is_real => factorial(first.re)?,
        "gamma" if is_real => factorial(first.re - DoubleDouble::ONE)?,
        "binomial" if is_real => binomial(first.re, second?.re)?,
        _ => return None,
    })
}

/// A value that lies next to a whole number is that number.
fn stepped(value: DoubleDouble) -> DoubleDouble {
    let nearest = (value + DoubleDouble::new(0.5)).floor();
    if (value - nearest).to_f64().abs() < 1e-25 { nearest } else { value }
}

fn whole(value: DoubleDouble) -> Option<i64> {
    let nearest = stepped(value);
    let whole = nearest.floor();
    (whole == nearest).then(|| nearest.to_integer()?.to_i64()).flatten()
}

fn factorial(of: DoubleDouble) -> Option<Complex> {
    let of = whole(of).filter(|of| (0..170).contains(of))?;
    let product: BigInt = (1..=of).map(BigInt::from).product();
    Some(Complex::real(DoubleDouble::of(&product.into())))
}

fn binomial(above: DoubleDouble, below: DoubleDouble) -> Option<Complex> {
    let below = whole(below).filter(|below| *below <= 300)?;
    let mut product = DoubleDouble::new(if below < 0 { 0.0 } else { 1.0 });
    for index in 0..below {
        let index = DoubleDouble::new(index as f64);
        product = product * (above - index) / (index + DoubleDouble::ONE);
    }
    Some(Complex::real(product))
}

/// A function that is only a name has some value, the same for the same arguments.
fn unknown(name: &str, arguments: &[Expression], values: Values<'_>) -> Option<Complex> {
    let mut mixed = Complex::real(DoubleDouble::new(0.37));
    for byte in name.bytes() {
        mixed = (mixed.scaled(1.73) + Complex::real(DoubleDouble::new(f64::from(byte)))).sin();
    }
    for (index, argument) in arguments.iter().enumerate() {
        let weight = 0.7 + 0.31 * (index as f64);
        mixed = mixed + (evaluate(argument, values)?.scaled(weight) + mixed).sin();
    }
    Some(mixed + Complex::real(DoubleDouble::new(2.5)))
}

/// A sum or product over whole numbers.
fn summed(expression: &Expression, parts: &[Expression], values: Values<'_>) -> Option<Complex> {
    let [operand, Expression::Tuple(over)] = parts else { return None };
    let [Expression::Symbol(variable), start, end] = over.as_slice() else { return None };
    let bound = |side| whole(evaluate(side, values).filter(|side| side.im.is_zero())?.re);
    let (start, end) = (bound(start)?, bound(end)?);
    if end.checked_sub(start)? > MOST_TERMS {
        return None;
    }
    let is_sum = matches!(expression, Expression::Bound("Sum", _));
    let mut total = Complex::real(DoubleDouble::new(if is_sum { 0.0 } else { 1.0 }));
    for index in start..=end {
        let here = Complex::real(DoubleDouble::new(index as f64));
        let inside = |symbol: &Symbol| if symbol == variable { Some(here) } else { values(symbol) };
        let value = evaluate(operand, &inside)?;
        total = if is_sum { total + value } else { total * value };
    }
    Some(total)
}

/// The integral between two finite bounds, by the substitution of tanh and sinh, with steps halved until nothing changes.
fn integrated(parts: &[Expression], values: Values<'_>) -> Option<Complex> {
    let [integrand, Expression::Tuple(over)] = parts else { return None };
    let [Expression::Symbol(variable), start, end] = over.as_slice() else { return None };
    let (start, end) = (evaluate(start, values)?, evaluate(end, values)?);
    let half = Complex::real(DoubleDouble::new(0.5));
    let (middle, reach) = ((start + end) * half, (end - start) * half);
    let quarter_turn = PI / DoubleDouble::new(2.0);
    let at = |place: f64| {
        let angle = quarter_turn * sinh(DoubleDouble::new(place));
        let here = middle + reach * Complex::real(sinh(angle) / cosh(angle));
        let inside = |symbol: &Symbol| if symbol == variable { Some(here) } else { values(symbol) };
        let weight = quarter_turn * cosh(DoubleDouble::new(place)) / (cosh(angle) * cosh(angle));
        Some(evaluate(integrand, &inside)? * Complex::real(weight))
    };
    let mut before: Option<Complex> = None;
    for steps in [16_i32, 32, 64, 128] {
        let step = FARTHEST / f64::from(steps);
        let mut sum = Complex::real(DoubleDouble::ZERO);
        for index in -steps..=steps {
            sum = sum + at(f64::from(index) * step)?;
        }
        let total = sum * reach * Complex::real(DoubleDouble::new(step));
        let is_steady = |before: Complex| {
            (total - before).norm().to_f64() <= 1e-22 * total.norm().to_f64().max(1.0)
        };
        if before.is_some_and(is_steady) {
            return Some(total);
        }
        before = Some(total);
    }
    None
}

fn sinh(of: DoubleDouble) -> DoubleDouble {
    (of.exp() - (-of).exp()) * DoubleDouble::new(0.5)
}

fn cosh(of: DoubleDouble) -> DoubleDouble {
    (of.exp() + (-of).exp()) * DoubleDouble::new(0.5)
}

/// What an expression without symbols comes to.
pub(super) fn constant(expression: &Expression) -> Option<Complex> {
    evaluate(expression, &|_| None)
}

/// Whether an expression without symbols is a real number, and which.
pub(super) fn real(expression: &Expression) -> Option<DoubleDouble> {
    let value = constant(expression)?;
    let is_real = value.im.to_f64().abs() <= 1e-25 * value.re.to_f64().abs().max(1.0);
    is_real.then_some(value.re)
}

/// Which of two real numbers is greater, infinite ones included; nothing if they are not known as numbers.
pub(super) fn order(left: &Expression, right: &Expression) -> Option<Ordering> {
    let infinity = |side: &Expression| match side {
        Expression::Constant(Constant::Infinity) => Some(1),
        Expression::Constant(Constant::NegativeInfinity) => Some(-1),
        _ => None,
    };
    match (infinity(left), infinity(right)) {
        (Some(left), Some(right)) => return Some(left.cmp(&right)),
        (Some(left), None) => return real(right).map(|_| left.cmp(&0)),
        (None, Some(right)) => return real(left).map(|_| 0.cmp(&right)),
        (None, None) => {}
    }
    if let Some((left, right)) = exact::value(left).zip(exact::value(right)) {
        return Some(left.cmp(&right));
    }
    let (left, right) = (real(left)?, real(right)?);
    let difference = (left - right).to_f64();
    let size = left.to_f64().abs().max(right.to_f64().abs()).max(1.0);
    Some(if difference.abs() <= 1e-25 * size {
        Ordering::Equal
    } else {
        difference.total_cmp(&0.0)
    })
}

/// The exponential of a float, as a float of the machine.
pub(super) fn exponential(number: &Number) -> Option<Number> {
    let value = DoubleDouble::of(number.value()).exp().to_rational()?;
    Some(Number::of_bits(&value))
}

/// A number rounded to a whole one at so many decimal places, halves to the even one.
pub(super) fn rounded(value: &BigRational, places: i64) -> BigInt {
    let power = BigRational::from_integer(BigInt::from(10).pow(places.unsigned_abs() as u32));
    let scaled = if places < 0 { value / power } else { value * power };
    nearest_even(&scaled)
}
