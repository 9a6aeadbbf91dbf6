//! Which letters `repr` writes as they are.

use std::sync::LazyLock;

use fancy_regex::Regex;

/// `str.isprintable`: the plain space, and all that is in neither of Unicode's categories "other" and
/// "separator".
pub(crate) fn is_printable(letter: char) -> bool {
    static UNPRINTABLE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[\p{C}\p{Z}]").expect("the pattern is well-formed"));
    match letter {
        ' '..='~' => true,
        _ => !UNPRINTABLE.is_match(letter.encode_utf8(&mut [0; 4])).unwrap_or(false),
    }
}
