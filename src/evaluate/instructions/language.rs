//! Which language a text is in, as Python's `langdetect` finds it, and whether it is all in one case.
//!
//! The detector draws at random; a fixed seed makes it give one answer to one text, which OpenCompass, without a
//! seed, need not do on short texts.

use std::sync::LazyLock;

use langdetect::{DetectorFactory, Seed};

static DETECTOR: LazyLock<DetectorFactory> = LazyLock::new(|| {
    let mut factory = DetectorFactory::builtin().clone();
    factory.seed = Seed::Int(0);
    factory
});

/// Whether a text is in a language, by its code. A text without letters is in every language.
pub(super) fn is_in(text: &str, language: &str) -> bool {
    DETECTOR.detect(text).map_or(true, |found| found == language)
}

/// `text.isupper()`.
pub(super) fn is_upper(text: &str) -> bool {
    text.chars().any(char::is_uppercase) && !text.chars().any(|c| c.is_lowercase() || is_title(c))
}

/// `text.islower()`.
pub(super) fn is_lower(text: &str) -> bool {
    text.chars().any(char::is_lowercase) && !text.chars().any(|c| c.is_uppercase() || is_title(c))
}

/// Whether a letter is two, of which only the first is a capital.
fn is_title(letter: char) -> bool {
    !letter.is_uppercase()
        && !letter.is_lowercase()
        && letter.to_lowercase().next() != Some(letter)
        && letter.to_uppercase().next() != Some(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_that_of_letters_alone() {
        assert!(is_upper("ABC, 1!") && !is_upper("ABc") && !is_upper("12"));
        assert!(is_lower("abc, 1!") && !is_lower("aBc") && !is_lower("ǅ"));
    }

    #[test]
    fn a_text_has_one_language_however_often_it_is_looked_at() {
        for _ in 0..3 {
            assert!(is_in("The miller carried the flour down to the harbour.", "en"));
            assert!(!is_in("Der Müller trug das Mehl zum Hafen hinunter.", "en"));
            assert!(is_in("12 ***", "fr"));
        }
    }
}
