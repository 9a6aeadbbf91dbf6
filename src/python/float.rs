//! `float(text)`: which texts Python reads as a number.

use super::{decimal_digit, is_blank};

/// The number that `float(text)` gives; nothing where it raises `ValueError`. Blanks around it, digits
/// of any script, single underscores between digits, `inf` and `nan` are read as Python reads them.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let characters: Vec<char> = text.trim_matches(is_blank).chars().collect();
    let is_digit =
        |index: usize| characters.get(index).is_some_and(|&c| decimal_digit(c).is_some());
    let mut ascii = String::with_capacity(characters.len());
    for (index, &character) in characters.iter().enumerate() {
        match (character, decimal_digit(character)) {
            (_, Some(value)) => ascii.push(char::from(b'0' + value)),
            ('_', None) if index > 0 && is_digit(index - 1) && is_digit(index + 1) => {}
            (other, None) => ascii.push(other),
        }
    }
    ascii.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_reads_is_read() {
        let rows = [(" 1_000.5\n", 1000.5), ("٣", 3.0), (".5", 0.5), ("5.", 5.0), ("+1E3", 1000.0)];
        for (text, value) in rows {
            assert_eq!(parse_float(text).map(f64::to_bits), Some(f64::to_bits(value)), "{text}");
        }
        assert!(parse_float("NaN").is_some_and(f64::is_nan));
        assert_eq!(parse_float("-Infinity"), Some(f64::NEG_INFINITY));
    }

    #[test]
    fn what_python_refuses_is_refused() {
        for text in ["", "1,000", "1__0", "_1", "1_", "1_.5", "²", "0x10", "1 2", "."] {
            assert_eq!(parse_float(text), None, "{text}");
        }
    }
}
