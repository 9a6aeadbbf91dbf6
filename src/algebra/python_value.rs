//! What Python makes of a formula's printed form: its functions and its own numbers for letters.
//!
//! The evaluation of `TheoremQA` hands the printed form to Python, where E is 2.718 and most names are unknown.

use super::{
    expression::{Constant, Expression},
    latex_text::{Boxes, Normalization, normalized},
    number::to_f64,
    reader::read,
};

/// Python's value of a letter that `SymPy` prints for Euler's number.
#[expect(clippy::approx_constant, reason = "the original has no more digits")]
const EULER: f64 = 2.718;

/// The number that Python reads in the printed form of a formula; nothing if it reads none.
pub(crate) fn python_number(latex: &str) -> Option<f64> {
    let how = Normalization { boxes: Boxes::All, units: false, repairs: false };
    let formula = read(&normalized(latex, how).ok()?, true).ok()?;
    match &formula {
        // Of several numbers the first counts.
        Expression::Tuple(members) => {
            let values = members.iter().map(value).collect::<Option<Vec<f64>>>()?;
            values.first().copied()
        }
        single => value(single),
    }
    .filter(|value| !value.is_nan())
}

fn value(expression: &Expression) -> Option<f64> {
    let value = match expression {
        Expression::Number(number) => to_f64(number.value()),
        Expression::Constant(Constant::Pi) => std::f64::consts::PI,
        Expression::Constant(Constant::E) => EULER,
        Expression::Symbol(symbol) => match symbol.name.as_str() {
            "e" => std::f64::consts::E,
            "pi" => std::f64::consts::PI,
            _ => return None,
        },
        Expression::Add(terms) => terms.iter().map(value).sum::<Option<f64>>()?,
        Expression::Mul(factors) => factors.iter().map(value).product::<Option<f64>>()?,
        Expression::Pow(base, exponent) => {
            let (base, exponent) = (value(base)?, value(exponent)?);
            if base == 0.0 && exponent < 0.0 {
                return None;
            }
            base.powf(exponent)
        }
        Expression::Held(inner) => value(inner)?,
        Expression::Function(name, arguments) => {
            let arguments = arguments.iter().map(value).collect::<Option<Vec<f64>>>()?;
            let first = *arguments.first()?;
            match (*name, arguments.get(1)) {
                ("sin", _) => first.sin(),
                ("cos", _) => first.cos(),
                ("exp", _) => first.exp(),
                ("log", Some(base)) => first.ln() / base.ln(),
                ("log", None) => first.ln(),
                ("factorial", _) if first >= 0.0 && first.fract() == 0.0 && first < 171.0 => {
                    (1..=first as u32).map(f64::from).product()
                }
                _ => return None,
            }
        }
        _ => return None,
    };
    value.is_finite().then_some(value)
}
