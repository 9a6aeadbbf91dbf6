//! `multiple_select`: every upper-case letter of an answer, for questions with several right options.

use std::collections::BTreeSet;

/// The distinct capitals in order of their code points. Words are not looked at, so the `T` of "The
/// answer" counts too.
pub(super) fn process(text: &str) -> String {
    capitals(text).into_iter().collect()
}

/// The same with commas between the letters.
pub(super) fn process_with_commas(text: &str) -> String {
    capitals(text).into_iter().map(String::from).collect::<Vec<_>>().join(", ")
}

fn capitals(text: &str) -> BTreeSet<char> {
    text.chars().filter(|letter| letter.is_uppercase()).collect()
}
