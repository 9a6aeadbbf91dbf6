//! Blanks as Python sees them.

/// True for what `str.isspace()` and `\s` of Python's `re` call a blank: Unicode's white space and
/// the four ASCII information separators, which Rust leaves out.
pub(crate) fn is_blank(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

/// `text.strip()`.
pub(crate) fn strip(text: &str) -> &str {
    text.trim_matches(is_blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_blanks() {
        assert_eq!(strip("\u{1f}\u{3000} a b\u{a0}\n"), "a b");
        assert_eq!(strip("\u{200b}a"), "\u{200b}a");
    }
}
