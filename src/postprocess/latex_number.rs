//! The number that a short piece of LaTeX or plain arithmetic comes to, as Python prints it.
//!
//! OpenCompass hands such answers to `latex2sympy` and has Python evaluate what `SymPy` prints. For numbers,
//! the four operations, powers and fractions that comes to Python's arithmetic, and this is done here. What
//! holds letters stays as it is, because Python knows no such names. What is neither is left undecided.

use serde_json::json;

use super::boxed::last_boxed;
use crate::python::python_repr;

/// What is known about an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// It comes to this number or list.
    Number(String),
    /// It is no arithmetic, and stays as it is.
    Text,
    /// It may come to something else, which is not worked out here.
    Undecided,
}

/// A number of Python, and whether it was written as one (and not computed).
#[derive(Clone, Copy)]
enum Number {
    Whole { value: i128, is_written: bool },
    Float(f64),
}

/// Commands that a number may hold, and what is written for them.
const COMMANDS: &[(&str, &str)] = &[
    (r"\dfrac", r"\frac"),
    (r"\tfrac", r"\frac"),
    (r"\left", ""),
    (r"\right", ""),
    (r"\cdot", "*"),
    (r"\times", "*"),
    (r"\,", ""),
    (r"\(", ""),
    (r"\)", ""),
    (r"\[", ""),
    (r"\]", ""),
];

/// Brackets nested deeper than this are no answers.
const DEEPEST: usize = 32;

/// Works out what `latex` comes to.
pub(super) fn evaluate(latex: &str) -> Value {
    // Where there is a box, the rest is not looked at.
    let boxed = last_boxed(latex).and_then(|boxed| boxed.strip_prefix(r"\boxed{"));
    let latex = boxed.and_then(|boxed| boxed.strip_suffix('}')).unwrap_or(latex);
    let written =
        COMMANDS.iter().fold(latex.to_owned(), |text, (command, sign)| text.replace(command, sign));
    let written = written.trim();
    if !written.contains(|letter: char| letter.is_ascii_digit()) {
        return Value::Text;
    }
    match whole(written) {
        Some((number, true)) => return Value::Number(number.print()),
        Some((_, false)) => return Value::Undecided,
        None => {}
    }
    let inner = [('[', ']'), ('(', ')')].into_iter().find_map(|(opening, closing)| {
        written.strip_prefix(opening).and_then(|rest| rest.strip_suffix(closing))
    });
    if let Some(inner) = inner {
        let certain = |item: &str| whole(item.trim()).filter(|(_, is_certain)| *is_certain);
        let numbers: Option<Vec<Number>> =
            inner.split(',').map(|item| certain(item).map(|(number, _)| number)).collect();
        match numbers.as_deref() {
            Some([one]) => return Value::Number(one.print()),
            // Two numbers in brackets are an interval, which Python knows nothing of.
            Some([_, _]) => return Value::Text,
            Some(several) => {
                let items: Vec<String> = several.iter().copied().map(Number::print).collect();
                return Value::Number(format!("[{}]", items.join(", ")));
            }
            None => {}
        }
    }
    let without_fractions = written.replace(r"\frac{", "");
    let is_foreign = |letter: char| {
        letter.is_alphabetic()
            || !(letter.is_ascii_digit()
                || letter.is_ascii_whitespace()
                || "+-*/^().,[]{}:;<>=|'\"_±".contains(letter))
    };
    let is_broken = written.ends_with(['.', '+', '-', '*', '/', ';', ':'])
        || written.starts_with(['<', '>', '*', '^', '_', '/', ':', ';', ','])
        || written.contains("^-")
        || written.split('.').skip(1).any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
        || !has_paired_brackets(written);
    let text = without_fractions.replace('\\', "");
    if is_broken || text.contains(is_foreign) { Value::Text } else { Value::Undecided }
}

/// True if every bracket is closed by its own kind.
fn has_paired_brackets(text: &str) -> bool {
    let mut open = Vec::new();
    text.chars().all(|letter| match letter {
        '(' | '[' | '{' => {
            open.push(letter);
            true
        }
        ')' => open.pop() == Some('('),
        ']' => open.pop() == Some('['),
        '}' => open.pop() == Some('{'),
        _ => true,
    }) && open.is_empty()
}

/// The number if the text is arithmetic from end to end, and whether its last digit is certain.
fn whole(text: &str) -> Option<(Number, bool)> {
    let mut reader = Reader { rest: text, depth: 0, is_certain: true };
    let number = reader.sum()?;
    reader.rest.trim_start().is_empty().then_some((number, reader.is_certain))
}

impl Number {
    fn print(self) -> String {
        match self {
            Self::Whole { value, .. } => value.to_string(),
            Self::Float(number) => python_repr(&json!(number)),
        }
    }

    fn as_float(self) -> f64 {
        match self {
            Self::Whole { value, .. } => value as f64,
            Self::Float(number) => number,
        }
    }

    fn computed(value: i128) -> Self {
        Self::Whole { value, is_written: false }
    }
}

/// Reads arithmetic from left to right.
struct Reader<'t> {
    rest: &'t str,
    depth: usize,
    is_certain: bool,
}

impl Reader<'_> {
    fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start();
        let found = rest.strip_prefix(sign);
        self.rest = found.unwrap_or(rest);
        found.is_some()
    }

    fn sum(&mut self) -> Option<Number> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut sum = self.product()?;
        let mut terms = 1;
        loop {
            let is_plus = self.take("+");
            if !is_plus && !self.take("-") {
                break;
            }
            let term = self.product()?;
            terms += 1;
            sum = match (sum, term) {
                (Number::Whole { value: left, .. }, Number::Whole { value: right, .. }) => {
                    let value =
                        if is_plus { left.checked_add(right)? } else { left.checked_sub(right)? };
                    Number::computed(value)
                }
                (left, right) => {
                    // SymPy sorts terms, and the last digit of three floats depends on their order.
                    self.is_certain &= terms < 3;
                    let right = right.as_float();
                    Number::Float(left.as_float() + if is_plus { right } else { -right })
                }
            };
        }
        self.depth -= 1;
        Some(sum)
    }

    fn product(&mut self) -> Option<Number> {
        if self.take("-") {
            return Some(match self.product()? {
                Number::Whole { value, is_written } => {
                    Number::Whole { value: value.checked_neg()?, is_written }
                }
                Number::Float(number) => Number::Float(-number),
            });
        }
        if self.take("+") {
            return self.product();
        }
        let (mut product, _) = self.power()?;
        loop {
            if self.take("*") {
                let is_negative = self.take("-");
                let (factor, reciprocal) = self.power()?;
                product = match reciprocal {
                    // As SymPy prints it: 1.2 · 10⁻⁵ is 1.2 divided by 10⁵.
                    Some(divisor) => divided(product, divisor)?,
                    None => multiplied(product, factor)?,
                };
                if is_negative {
                    product = multiplied(product, Number::computed(-1))?;
                }
            } else if self.take("/") {
                let (divisor, _) = self.power()?;
                product = divided(product, divisor)?;
            } else {
                return Some(product);
            }
        }
    }

    /// A power, and what one is divided by to get it if its exponent is negative.
    fn power(&mut self) -> Option<(Number, Option<Number>)> {
        let mut base = self.atom()?;
        let mut reciprocal = None;
        while self.take("^") {
            let exponent = if self.take("{") {
                let exponent = self.sum()?;
                if !self.take("}") {
                    return None;
                }
                exponent
            } else {
                self.number()?
            };
            (base, reciprocal) = match (base, exponent) {
                (Number::Whole { value, .. }, Number::Whole { value: exponent, .. }) => {
                    let power = value.checked_pow(u32::try_from(exponent.abs()).ok()?)?;
                    if exponent >= 0 {
                        (Number::computed(power), None)
                    } else {
                        let inverse = (value as f64).powf(exponent as f64);
                        (Number::Float(inverse), Some(Number::computed(power)))
                    }
                }
                (base, exponent) => {
                    (Number::Float(base.as_float().powf(exponent.as_float())), None)
                }
            };
            if !base.as_float().is_finite() {
                return None;
            }
        }
        Some((base, reciprocal))
    }

    fn atom(&mut self) -> Option<Number> {
        if self.take("(") {
            let inner = self.sum()?;
            return self.take(")").then_some(inner);
        }
        if self.take(r"\frac{") {
            let above = self.sum()?;
            if !(self.take("}") && self.take("{")) {
                return None;
            }
            let below = self.sum()?;
            return if self.take("}") { divided(above, below) } else { None };
        }
        self.number()
    }

    /// Digits, with commas between groups of three and a fraction.
    fn number(&mut self) -> Option<Number> {
        let text = self.rest.trim_start();
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let mut end = digits(text);
        if (1..=3).contains(&end) {
            while text[end..].starts_with(',') && digits(&text[end + 1..]) == 3 {
                end += 4;
            }
        }
        let whole = text[..end].replace(',', "");
        let fraction =
            text[end..].strip_prefix('.').map(|rest| &rest[..digits(rest)]).unwrap_or_default();
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        if fraction.is_empty() {
            self.rest = &text[end..];
            return Some(Number::Whole { value: whole.parse().ok()?, is_written: true });
        }
        self.rest = &text[end + 1 + fraction.len()..];
        format!("{whole}.{fraction}").parse().ok().map(Number::Float)
    }
}

fn multiplied(left: Number, right: Number) -> Option<Number> {
    Some(match (left, right) {
        (Number::Whole { value: left, .. }, Number::Whole { value: right, .. }) => {
            Number::computed(left.checked_mul(right)?)
        }
        (left, right) => Number::Float(left.as_float() * right.as_float()),
    })
}

/// A quotient; `SymPy` divides two whole numbers exactly if both are written out.
fn divided(left: Number, right: Number) -> Option<Number> {
    if let (
        Number::Whole { value: above, is_written: true },
        Number::Whole { value: below, is_written: true },
    ) = (left, right)
        && below != 0
        && above % below == 0
    {
        return Some(Number::computed(above / below));
    }
    let quotient = left.as_float() / right.as_float();
    quotient.is_finite().then_some(Number::Float(quotient))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row was run through `latex2sympy2_extended` 1.11.0 and Python's `eval`.
    #[test]
    fn arithmetic_comes_to_what_python_prints() {
        let rows = [
            ("3.50", "3.5"),
            (r"\frac{1}{2}", "0.5"),
            (r"-\frac{1}{2}", "-0.5"),
            (r"\frac{1.5}{3}", "0.5"),
            (r"\dfrac{6}{3}", "2"),
            (r"so it is \boxed{5}", "5"),
            ("1/3", "0.3333333333333333"),
            ("12/4", "3"),
            ("6/3*2", "4"),
            ("2*6/3", "4.0"),
            ("1/2/2", "0.25"),
            ("1/2+1/3", "0.8333333333333333"),
            ("2^3^2", "64"),
            ("-2^2", "-4"),
            ("(-2)^2", "4"),
            ("2*(3+4)", "14"),
            ("2*-3", "-6"),
            ("1--1", "2"),
            ("2^0.5", "1.4142135623730951"),
            ("10^{-3}", "0.001"),
            (r"3 \times 10^{8}", "300000000"),
            (r"1.2\times10^{-5}", "1.2e-05"),
            ("0.1+0.2", "0.30000000000000004"),
            ("1,234.56", "1234.56"),
            ("1,000,000", "1000000"),
            ("007", "7"),
            ("(1.0,2,3)", "[1.0, 2, 3]"),
            ("[1.50]", "1.5"),
            ("100000000000000000000", "100000000000000000000"),
        ];
        for (latex, printed) in rows {
            assert_eq!(evaluate(latex), Value::Number(printed.to_owned()), "{latex}");
        }
    }

    #[test]
    fn what_is_no_arithmetic_stays() {
        for latex in [
            "[1, 2]",
            "(1, 2)",
            "B",
            "5 dollars",
            "10.",
            r"\sqrt{4}",
            "1e5",
            "5!",
            "10^-3",
            "≈5",
            "}[1, 2]",
            "[1., 2]",
            ": 5",
        ] {
            assert_eq!(evaluate(latex), Value::Text, "{latex}");
        }
    }

    #[test]
    fn what_comes_to_something_else_is_left_undecided() {
        for latex in ["1,2", "2 3", "2(3)", "3 ± 1", "12:30", "2.5.3", "0.1+0.2+0.3"] {
            assert_eq!(evaluate(latex), Value::Undecided, "{latex}");
        }
    }
}
