//! English text to words, as `nltk.word_tokenize` does it: sentences first, then the words of each.
//!
//! Sentences matter because only the last period of a sentence is a word of its own. The rules for
//! both steps are NLTK's; what NLTK knows about English beyond its rules it has learnt from a
//! newspaper corpus, and those tables are replaced by the short lists of
//! [`vocabulary`]. Texts whose sentences turn on a rarer abbreviation or on a
//! rarer capitalised word can therefore come out with a period more or less.

mod sentences;
mod vocabulary;
mod words;

use super::RetrieveError;

/// The words and punctuation marks of a text.
pub fn word_tokenize(text: &str) -> Result<Vec<String>, RetrieveError> {
    let mut tokens = Vec::new();
    for sentence in sentences::sentences(text).map_err(Box::new)? {
        tokens.extend(words::words(sentence).map_err(Box::new)?);
    }
    Ok(tokens)
}

/// The sentences of a text, slices of it in its order.
pub(crate) fn sentences(text: &str) -> Result<Vec<&str>, RetrieveError> {
    Ok(sentences::sentences(text).map_err(Box::new)?)
}

/// How many sentences a text has.
pub(crate) fn sentence_count(text: &str) -> Result<usize, RetrieveError> {
    Ok(sentences::sentences(text).map_err(Box::new)?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_period_of_each_sentence_is_a_word() {
        let tokens = word_tokenize("Mr. Low can't (won't) go.  \"Why?\" He's at 3 p.m. Then...");
        let expected = [
            "Mr.", "Low", "ca", "n't", "(", "wo", "n't", ")", "go", ".", "``", "Why", "?", "''",
            "He", "'s", "at", "3", "p.m", ".", "Then", "...",
        ];
        assert_eq!(tokens.unwrap(), expected);
    }
}
