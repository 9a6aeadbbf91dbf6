//! `first_capital`: the first upper-case letter of an answer, in any script.

/// The first character that Python's `str.isupper` accepts (`É`, `Ⅳ` and `Ａ` are such), or nothing.
pub(super) fn process(text: &str) -> String {
    let capital = text.chars().find(|letter| letter.is_uppercase());
    capital.map(String::from).unwrap_or_default()
}
