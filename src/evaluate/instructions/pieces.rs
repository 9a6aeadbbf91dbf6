//! What answers are made of, as `IFEval` counts it: paragraphs, highlights, lists, responses.

use std::sync::LazyLock;

use crate::{
    postprocess::{PatternError, PythonRegex},
    python::{blank::strip, is_blank},
    retrieve::{RetrieveError, sentence_count, word_tokenize},
};

/// Paragraphs between `***`; nothing if one in the middle is empty.
pub(super) fn paragraphs(text: &str) -> Result<Option<usize>, PatternError> {
    static DIVIDER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\s?\*\*\*\s?"));
    let parts = DIVIDER.split(text)?;
    let last = parts.len().saturating_sub(1);
    let empty = |(index, part): (usize, &&str)| strip(part).is_empty().then_some(index);
    let empty: Vec<usize> = parts.iter().enumerate().filter_map(empty).collect();
    let is_inside = |index: &usize| *index != 0 && *index != last;
    Ok((!empty.iter().any(is_inside)).then(|| parts.len() - empty.len()))
}

/// Whether a text has so many paragraphs between empty lines, and the one at this place, from 1, begins with a
/// word. The place counts empty paragraphs, the number does not, as in the original.
pub(super) fn begins_with(text: &str, number: f64, place: f64, word: &str) -> bool {
    let parts: Vec<&str> = text.split("\n\n").map(strip).collect();
    let filled = parts.iter().filter(|part| !part.is_empty()).count() as f64;
    if place > filled || place < 1.0 {
        return false;
    }
    let paragraph = parts.get(place as usize - 1).copied().unwrap_or_default();
    let first = paragraph.split(is_blank).next().unwrap_or_default();
    let first = first.trim_start_matches('\'').trim_start_matches('"');
    let first = first.split(['.', ',', '?', '!', '\'', '"']).next().unwrap_or_default();
    !paragraph.is_empty()
        && filled.total_cmp(&number).is_eq()
        && first.to_lowercase() == word.to_lowercase()
}

/// Texts between single stars, and again those between double ones.
pub(super) fn highlights(text: &str) -> Result<usize, PatternError> {
    static SINGLE: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\*[^\n\*]*\*"));
    static DOUBLE: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\*\*[^\n\*]*\*\*"));
    let is_filled = |text: &&str| !strip(text.trim_matches('*')).is_empty();
    let inner = |text: &str| {
        let text = text.strip_prefix("**").unwrap_or(text);
        !strip(text.strip_suffix("**").unwrap_or(text)).is_empty()
    };
    let single = SINGLE.all(text)?.into_iter().filter(is_filled).count();
    Ok(single + DOUBLE.all(text)?.into_iter().filter(|text| inner(text)).count())
}

/// Lines that begin with a star or a dash.
pub(super) fn bullets(text: &str) -> Result<usize, PatternError> {
    static STARS: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?m)^\s*\*[^\*].*$"));
    static DASHES: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"(?m)^\s*-.*$"));
    Ok(STARS.all(text)?.len() + DASHES.all(text)?.len())
}

/// Whether a text is two different ones with six stars between them.
pub(super) fn are_two_responses(text: &str) -> bool {
    let parts: Vec<&str> = text.split("******").map(strip).collect();
    let last = parts.len() - 1;
    let is_gap = |(index, part): (usize, &&str)| part.is_empty() && index != 0 && index != last;
    let filled: Vec<&&str> = parts.iter().filter(|part| !part.is_empty()).collect();
    !parts.iter().enumerate().any(is_gap)
        && matches!(filled[..], [first, second] if first != second)
}

/// Whether a line is wrapped in `<<` and `>>`.
pub(super) fn has_title(text: &str) -> Result<bool, PatternError> {
    static TITLE: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"<<[^\n]+>>"));
    let is_filled =
        |title: &str| !strip(title.trim_start_matches('<').trim_end_matches('>')).is_empty();
    Ok(TITLE.all(text)?.into_iter().any(is_filled))
}

/// Whether a text is JSON, within a fence or not.
pub(super) fn is_json(text: &str) -> bool {
    let mut text = strip(text);
    for fence in ["```json", "```Json", "```JSON", "```"] {
        text = text.strip_prefix(fence).unwrap_or(text);
    }
    let text = strip(text.strip_suffix("```").unwrap_or(text));
    // Python takes these for numbers.
    matches!(text, "NaN" | "Infinity" | "-Infinity")
        || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Sentences of English.
pub(super) fn sentences(text: &str) -> Result<usize, PatternError> {
    sentence_count(text).map_err(|error| untold(&error))
}

/// Words that are all capitals.
pub(super) fn capital_words(text: &str) -> Result<usize, PatternError> {
    let words = word_tokenize(text).map_err(|error| untold(&error))?;
    Ok(words.iter().filter(|word| super::language::is_upper(word)).count())
}

fn untold(error: &RetrieveError) -> PatternError {
    PatternError { pattern: "the end of a sentence".to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_counted_as_the_original_counts_them() {
        assert_eq!(paragraphs("a *** b\n***"), Ok(Some(2)));
        assert_eq!(paragraphs("a *** *** b"), Ok(None));
        assert_eq!(highlights("*a* and **b** and **"), Ok(2));
        assert_eq!(bullets("* a\n- b\n** c"), Ok(2));
        assert!(begins_with("a b\n\n'Salt, c", 2.0, 2.0, "salt"));
        assert!(!begins_with("a\n\n\n\nb", 2.0, 2.0, "b"));
        assert!(are_two_responses("a******b") && !are_two_responses("a******a"));
        assert!(!are_two_responses("a************b"));
        assert_eq!(has_title("<< >>\n<<a>>"), Ok(true));
        assert!(is_json("```json\n{\"a\": 1}\n```") && !is_json("{a: 1}"));
    }
}
