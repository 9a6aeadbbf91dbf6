//! Python's format specifications: `>8`, `.2f`, `05d`, `,`, `e`, `g`, `%`, `x`.

use super::{
    failure::{Eval, Failure},
    heap::Heap,
    object::Object,
};
use crate::config::print;

/// A width or precision beyond this is refused; no config means it.
const MOST_DIGITS: usize = 1_000;

/// A specification, taken apart: `[[fill]align][sign][#][0][width][,][.precision][kind]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) fill: char,
    pub(super) align: Option<char>,
    pub(super) sign: char,
    pub(super) alternate: bool,
    pub(super) width: usize,
    pub(super) grouping: Option<char>,
    pub(super) precision: Option<usize>,
    pub(super) kind: Option<char>,
}

impl Spec {
    /// Reads a specification.
    pub(super) fn parse(text: &str) -> Eval<Self> {
        let mut spec = Self {
            fill: ' ',
            align: None,
            sign: '-',
            alternate: false,
            width: 0,
            grouping: None,
            precision: None,
            kind: None,
        };
        let is_align = |letter: &char| matches!(letter, '<' | '>' | '^' | '=');
        let letters: Vec<char> = text.chars().collect();
        let mut rest = &*letters;
        match rest {
            [fill, align, after @ ..] if is_align(align) => {
                (spec.fill, spec.align, rest) = (*fill, Some(*align), after);
            }
            [align, after @ ..] if is_align(align) => (spec.align, rest) = (Some(*align), after),
            _ => {}
        }
        if let [sign @ ('+' | '-' | ' '), after @ ..] = rest {
            (spec.sign, rest) = (*sign, after);
        }
        if let ['#', after @ ..] = rest {
            (spec.alternate, rest) = (true, after);
        }
        if let ['0', after @ ..] = rest {
            if spec.align.is_none() {
                (spec.fill, spec.align) = ('0', Some('='));
            }
            rest = after;
        }
        (spec.width, rest) = number(rest, text)?.unwrap_or((0, rest));
        if let [mark @ (',' | '_'), after @ ..] = rest {
            (spec.grouping, rest) = (Some(*mark), after);
        }
        if let ['.', after @ ..] = rest {
            let Some((precision, after)) = number(after, text)? else { return Err(invalid(text)) };
            (spec.precision, rest) = (Some(precision), after);
        }
        match rest {
            [] => Ok(spec),
            [kind] => Ok(Self { kind: Some(*kind), ..spec }),
            _ => Err(invalid(text)),
        }
    }

    /// Fills up to the width; numbers stand at the right unless told otherwise.
    fn pad(self, sign: &str, body: &str, default: char) -> String {
        let missing = self.width.saturating_sub(sign.chars().count() + body.chars().count());
        let fill = |count: usize| self.fill.to_string().repeat(count);
        match self.align.unwrap_or(default) {
            '<' => format!("{sign}{body}{}", fill(missing)),
            '^' => {
                format!("{}{sign}{body}{}", fill(missing / 2), fill(missing - missing / 2))
            }
            '=' => format!("{sign}{}{body}", fill(missing)),
            _ => format!("{}{sign}{body}", fill(missing)),
        }
    }

    fn sign_of(self, is_negative: bool) -> &'static str {
        match (is_negative, self.sign) {
            (true, _) => "-",
            (false, '+') => "+",
            (false, ' ') => " ",
            (false, _) => "",
        }
    }

    fn int(self, number: i64) -> Option<String> {
        let magnitude = number.unsigned_abs();
        let (prefix, body) = match self.kind {
            None | Some('d' | 'n') => ("", magnitude.to_string()),
            Some('x') => ("0x", format!("{magnitude:x}")),
            Some('X') => ("0X", format!("{magnitude:X}")),
            Some('o') => ("0o", format!("{magnitude:o}")),
            Some('b') => ("0b", format!("{magnitude:b}")),
            _ => return self.float(number as f64),
        };
        let prefix = if self.alternate { prefix } else { "" };
        let sign = format!("{}{prefix}", self.sign_of(number < 0));
        Some(self.pad(&sign, &self.grouped(&body), '>'))
    }

    fn float(self, number: f64) -> Option<String> {
        let magnitude = number.abs();
        let precision = self.precision.unwrap_or(6);
        let body = match self.kind {
            _ if !number.is_finite() => print::float(magnitude),
            Some('f' | 'F') => format!("{magnitude:.precision$}"),
            Some('e') => exponential(magnitude, precision),
            Some('E') => exponential(magnitude, precision).to_uppercase(),
            Some('%') => format!("{:.precision$}%", magnitude * 100.0),
            Some('g' | 'G' | 'n') => general(magnitude, precision.max(1), false),
            None => match self.precision {
                None => print::float(magnitude),
                Some(precision) => general(magnitude, precision.max(1), true),
            },
            Some(_) => return None,
        };
        let is_negative = number.is_sign_negative() && !number.is_nan();
        Some(self.pad(self.sign_of(is_negative), &self.grouped(&body), '>'))
    }

    /// Digits before the point, in groups of three.
    fn grouped(self, body: &str) -> String {
        let Some(mark) = self.grouping else { return body.to_owned() };
        let digits = body.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(body.len());
        let (whole, rest) = body.split_at(digits);
        let mut out = String::new();
        for (at, digit) in whole.chars().enumerate() {
            if at > 0 && (whole.len() - at) % 3 == 0 {
                out.push(mark);
            }
            out.push(digit);
        }
        out + rest
    }
}

impl Heap {
    /// Python's `format(value, spec)`.
    pub(super) fn format(&self, object: &Object, spec: &str) -> Eval<String> {
        if spec.is_empty() {
            return self.str(object);
        }
        let parsed = Spec::parse(spec)?;
        let text = match object {
            Object::Str(text) if matches!(parsed.kind, None | Some('s')) => {
                let shown: String = match parsed.precision {
                    Some(precision) => text.chars().take(precision).collect(),
                    None => text.to_string(),
                };
                Some(parsed.pad("", &shown, '<'))
            }
            Object::Float(number) => parsed.float(*number),
            _ => object.as_int().and_then(|number| parsed.int(number)),
        };
        let Some(text) = text else {
            let message = format!("the format '{spec}' does not fit a {}", object.kind());
            return Err(Failure::value_error(message));
        };
        self.limits.text(text.len())?;
        Ok(text)
    }
}

fn invalid(spec: &str) -> Box<Failure> {
    Failure::value_error(format!("invalid format specifier '{spec}'"))
}

/// The number at the start, and what follows it.
fn number<'a>(letters: &'a [char], spec: &str) -> Eval<Option<(usize, &'a [char])>> {
    let count = letters.iter().take_while(|letter| letter.is_ascii_digit()).count();
    if count == 0 {
        return Ok(None);
    }
    let (digits, rest) = letters.split_at(count);
    match digits.iter().collect::<String>().parse() {
        Ok(number) if number <= MOST_DIGITS => Ok(Some((number, rest))),
        _ => Err(invalid(spec)),
    }
}

/// `1.50e+03`.
fn exponential(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let sign = if exponent.starts_with('-') { '-' } else { '+' };
            format!("{digits}e{sign}{:0>2}", exponent.trim_start_matches('-'))
        }
        None => text,
    }
}

/// `precision` significant digits, with an exponent where the number is very large or small.
/// `keeps_point` is how a float without a kind is written: `2.0`, not `2`.
fn general(number: f64, precision: usize, keeps_point: bool) -> String {
    let scientific = exponential(number, precision - 1);
    let exponent: i64 =
        scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    // At most `MOST_DIGITS`.
    let precision = i64::try_from(precision).unwrap_or(i64::MAX);
    let most = precision - i64::from(keeps_point);
    if exponent < -4 || exponent >= most.max(1) {
        let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        return format!("{}e{exponent}", trimmed(digits));
    }
    let decimals = usize::try_from(precision - 1 - exponent).unwrap_or(0);
    let fixed = format!("{number:.decimals$}");
    let short = trimmed(&fixed);
    if keeps_point && !short.contains('.') { format!("{short}.0") } else { short.to_owned() }
}

/// Without zeros after the last digit of a fraction.
fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// Python's `round(number, digits)`: the nearest number of so many decimals, ties by the exact binary
/// value.
pub(super) fn round(number: f64, digits: i64) -> f64 {
    match usize::try_from(digits) {
        Ok(digits) if digits <= MOST_DIGITS => {
            format!("{number:.digits$}").parse().unwrap_or(number)
        }
        Ok(_) => number,
        Err(_) => {
            let scale = 10_f64.powi(digits.unsigned_abs().min(400) as i32);
            if scale.is_infinite() { 0.0 } else { (number / scale).round_ties_even() * scale }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_formatted_as_python_does() {
        let heap = Heap::default();
        let float = |number, spec| heap.format(&Object::Float(number), spec).unwrap();
        let int = |number, spec| heap.format(&Object::Int(number), spec).unwrap();
        let text = |text, spec| heap.format(&Object::text(text), spec).unwrap();
        assert_eq!(float(2.675, ".2f"), "2.67");
        assert_eq!(float(1234.5, ",.1f"), "1,234.5");
        assert_eq!(float(0.256, ".1%"), "25.6%");
        assert_eq!(float(1500.0, ".2e"), "1.50e+03");
        assert_eq!(float(1e-7, "g"), "1e-07");
        assert_eq!(float(100_000.0, "g"), "100000");
        assert_eq!(float(1_000_000.0, "g"), "1e+06");
        assert_eq!(float(3.0, ".3"), "3.0");
        assert_eq!(float(-1.5, "08.2f"), "-0001.50");
        assert_eq!(int(42, "05d"), "00042");
        assert_eq!(int(42, "+.1f"), "+42.0");
        assert_eq!(int(255, "#x"), "0xff");
        assert_eq!(text("ab", "*^5"), "*ab**");
        assert_eq!(text("abc", ">4.2"), "  ab");
        assert!(heap.format(&Object::text("a"), "d").is_err());
        assert!(heap.format(&Object::Int(1), "99999999d").is_err());
    }

    #[test]
    fn rounding_follows_the_binary_value() {
        let rounded = [round(2.675, 2), round(0.5, 0), round(1250.0, -2)];
        assert_eq!(rounded.map(print::float), ["2.67", "0.0", "1200.0"]);
    }
}
