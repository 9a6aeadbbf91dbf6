//! `last_capital`: the last upper-case letter of an answer, in any script.

/// The last character that Python's `str.isupper` accepts, or nothing.
pub(super) fn process(text: &str) -> String {
    let capital = text.chars().rfind(|letter| letter.is_uppercase());
    capital.map(String::from).unwrap_or_default()
}
