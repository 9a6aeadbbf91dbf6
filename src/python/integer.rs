//! `int(text)`: which texts Python reads as a whole number.

use super::{decimal_digit, is_blank};

/// The digits of the number that `int(text)` gives, with a minus sign where it is below zero; nothing
/// where it raises `ValueError`. Blanks around it, one sign, digits of any script and single underscores
/// between digits are read as Python reads them.
pub(crate) fn parse_integer(text: &str) -> Option<String> {
    let text = text.trim_matches(is_blank);
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut number = String::with_capacity(digits.len());
    for group in digits.split('_') {
        if group.is_empty() {
            return None;
        }
        for digit in group.chars() {
            number.push(char::from(b'0' + decimal_digit(digit)?));
        }
    }
    let number = number.trim_start_matches('0');
    Some(match (number, is_negative) {
        ("", _) => "0".to_owned(),
        (number, true) => format!("-{number}"),
        (number, false) => number.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_as_python_reads_them() {
        let rows = [(" +007\n", "7"), ("-1_000", "-1000"), ("-0", "0"), ("٣", "3")];
        for (text, number) in rows {
            assert_eq!(parse_integer(text).as_deref(), Some(number), "{text}");
        }
        for text in ["", "1.0", "1,000", "1__0", "_1", "--1", "²", "- 1", "one"] {
            assert_eq!(parse_integer(text), None, "{text}");
        }
    }
}
