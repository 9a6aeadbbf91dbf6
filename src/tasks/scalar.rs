//! What a plain scalar of YAML 1.1 stands for: a truth value, nothing, a number, or text.
//!
//! The patterns are those of `PyYAML`'s resolver. They differ from version 1.2 and from JSON: `yes` is true, `017` is
//! fifteen, `1:30` is ninety, and `1e3` is text, because it has no point.

use serde_json::{Number, Value};

/// The value of a plain scalar.
pub(super) fn resolved(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return true.into();
        }
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return false.into();
        }
        _ => {}
    }
    whole(text).map(Value::from).or_else(|| float(text)).unwrap_or_else(|| text.into())
}

/// Sign and what follows it.
fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn digits(text: &str, radix: u32) -> Option<i64> {
    let plain: String = text.chars().filter(|letter| *letter != '_').collect();
    let is_number = !plain.is_empty() && plain.chars().all(|letter| letter.is_digit(radix));
    is_number.then(|| i64::from_str_radix(&plain, radix).ok()).flatten()
}

fn whole(text: &str) -> Option<i64> {
    let (is_negative, rest) = signed(text);
    let number = if let Some(bits) = rest.strip_prefix("0b") {
        digits(bits, 2)
    } else if let Some(hex) = rest.strip_prefix("0x") {
        digits(hex, 16)
    } else if rest.contains(':') {
        sexagesimal(rest)
    } else if rest == "0" {
        Some(0)
    } else if let Some(octal) = rest.strip_prefix('0') {
        digits(octal, 8)
    } else if rest.starts_with(|letter: char| letter.is_ascii_digit()) {
        digits(rest, 10)
    } else {
        None
    };
    number.and_then(|number| if is_negative { number.checked_neg() } else { Some(number) })
}

/// `1:30` and the like: the first part begins with no zero, the others are below sixty.
fn sexagesimal(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let first =
        parts.next().filter(|first| first.starts_with(|digit| ('1'..='9').contains(&digit)))?;
    parts.try_fold(digits(first, 10)?, |number, part| {
        let is_part =
            (1..=2).contains(&part.len()) && part.bytes().all(|digit| digit.is_ascii_digit());
        let part = is_part.then(|| part.parse::<i64>().ok()).flatten().filter(|part| *part < 60)?;
        number.checked_mul(60)?.checked_add(part)
    })
}

/// A number with a point; infinities and what is no number stay text, as JSON has none of them.
fn float(text: &str) -> Option<Value> {
    let (is_negative, rest) = signed(text);
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let digits = exponent.strip_prefix(['+', '-'])?;
            let is_number =
                !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
            (mantissa, is_number.then_some(exponent)?)
        }
        None => (rest, "0"),
    };
    let (before, after) = mantissa.split_once('.')?;
    let are_digits =
        |text: &str| text.bytes().all(|letter| letter.is_ascii_digit() || letter == b'_');
    if !are_digits(before) || !are_digits(after) || before.starts_with('_') {
        return None;
    }
    if before.is_empty() && (after.is_empty() || after.starts_with('_')) {
        return None;
    }
    let plain = format!("{before}.{after}e{exponent}").replace('_', "");
    let plain = if plain.starts_with('.') { format!("0{plain}") } else { plain };
    let number: f64 = plain.replace(".e", ".0e").parse().ok()?;
    Number::from_f64(if is_negative { -number } else { number }).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scalars_are_those_of_yaml_one_dot_one() {
        for (text, expected) in [
            ("-5", json!(-5)),
            ("+0b101", json!(5)),
            ("0", json!(0)),
            ("08", json!("08")),
            ("1.", json!(1.0)),
            ("-.5", json!(-0.5)),
            (".", json!(".")),
            ("1.5e3", json!("1.5e3")),
            ("1.5e+3", json!(1500.0)),
            ("1.0", json!(1.0)),
            ("0.0", json!(0.0)),
            ("12:30:45", json!(45045)),
            ("12:75", json!("12:75")),
            ("01:30", json!("01:30")),
            ("1.2.3", json!("1.2.3")),
            ("y", json!("y")),
            ("TRUE", json!(true)),
            (".inf", json!(".inf")),
            ("2024-01-01", json!("2024-01-01")),
        ] {
            assert_eq!(resolved(text), expected, "{text}");
        }
    }
}
