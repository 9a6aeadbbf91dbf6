//! Prompts that are continued and end in a space that belongs to the next token.
//!
//! Many tokenizers put the space before a word into the word's token, so a model has hardly ever seen a
//! space alone before a word. The tokenizer is asked: if the ids of the prompt are no beginning of the ids
//! of the prompt with a word behind it, the space is torn from that word. Where words do not begin with
//! their space, as before numbers in many vocabularies and in those of characters, nothing is wrong.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::{infer::Tokenize, python::python_str};

/// A word that every language model knows, for data sets without golds.
const ANY_WORD: &str = "A";

/// Most characters of the gold answer that are put behind the prompt.
const WORD_CHARS: usize = 40;

/// Asks for the first prompt that ends in such a space.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    if !subject.generates() {
        return Vec::new();
    }
    let word = likely_word(subject, asked);
    let mut prompts = asked.prepared.prompts.iter();
    if !prompts.any(|prompt| tears_space(subject.task.tokenizer, &prompt.text, &word)) {
        return Vec::new();
    }
    vec![Finding::new(format!(
        "the prompt ends in a space, and before {word:?} this tokenizer has the space in the word's own token; end the \
         template before the space"
    ))]
}

/// The first word of the gold answer.
fn likely_word(subject: &Subject<'_>, asked: &Asked<'_>) -> String {
    let gold = subject.task.output_column.and_then(|column| asked.row.get(column));
    let gold = gold.filter(|gold| gold.is_string() || gold.is_number()).map(python_str);
    let word = gold.as_deref().and_then(|gold| gold.split_whitespace().next()).unwrap_or(ANY_WORD);
    word.chars().take(WORD_CHARS).collect()
}

/// Whether the space at the end of `text` would be in one token with `word`.
fn tears_space(tokenizer: &dyn Tokenize, text: &str, word: &str) -> bool {
    if !text.ends_with([' ', '\t', '\u{a0}']) {
        return false;
    }
    let stretch = tokenizer.stretch(text, text.len() - 1);
    let Some(end) = text.get(stretch.start..) else { return false };
    let ids = |text: &str| {
        let tokens = tokenizer.encode_stretch(text, stretch.start == 0)?;
        Some(tokens.into_iter().map(|(id, _)| id).collect::<Vec<u32>>())
    };
    let (Some(alone), Some(followed)) = (ids(end), ids(&format!("{end}{word}"))) else {
        return false;
    };
    !followed.starts_with(&alone)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    /// Divides a text before every space, or into characters; digits always stand alone.
    struct Divided {
        into_words: bool,
    }

    impl Tokenize for Divided {
        fn encode(&self, _: &str) -> Result<Vec<u32>, String> {
            Ok(Vec::new())
        }

        fn encode_within(&self, _: &str, _: usize) -> Result<Vec<u32>, String> {
            Ok(Vec::new())
        }

        fn encode_stretch(&self, text: &str, _: bool) -> Option<Vec<(u32, Range<usize>)>> {
            let mut tokens: Vec<(u32, Range<usize>)> = Vec::new();
            for (at, letter) in text.char_indices() {
                let alone = !self.into_words || letter == ' ' || letter.is_ascii_digit();
                match tokens.last_mut().filter(|_| !alone) {
                    Some((id, bytes)) => (*id, bytes.end) = (*id * 256 + u32::from(letter), at + 1),
                    None => tokens.push((u32::from(letter), at..at + 1)),
                }
            }
            Some(tokens)
        }
    }

    #[test]
    fn a_space_is_torn_from_a_word_that_begins_with_it() {
        let (words, characters) = (Divided { into_words: true }, Divided { into_words: false });
        assert!(tears_space(&words, "Answer: ", "yes"));
        assert!(!tears_space(&words, "Answer: ", "4"));
        assert!(!tears_space(&words, "Answer:", "yes") && !tears_space(&words, "Answer:\n", "yes"));
        assert!(!tears_space(&characters, "Answer: ", "yes"));
    }
}
