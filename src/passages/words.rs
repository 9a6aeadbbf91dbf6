//! The words by which passages are searched.

use crate::{
    postprocess::{PatternError, is_unspaced, words as chinese_words},
    retrieve::word_tokenize,
};

use super::PassageError;

/// The words of a text in lower case, without punctuation.
///
/// Stretches that are written without blanks, Chinese and Japanese, are cut by jieba; everything else as
/// `nltk.word_tokenize` does it. The script decides for each stretch by itself, so a word has the same form in a query
/// and in a passage, whatever stands around it. Words are not reduced to their stems.
pub fn search_words(text: &str) -> Result<Vec<String>, PassageError> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let has_no_blanks = is_unspaced(first);
        let end = rest.find(|letter| is_unspaced(letter) != has_no_blanks);
        let (stretch, after) = rest.split_at(end.unwrap_or(rest.len()));
        if has_no_blanks {
            let found = chinese_words(stretch).map_err(|error: PatternError| failed(&error))?;
            words.extend(found.into_iter().filter(|word| has_letter(word)).map(str::to_lowercase));
        } else {
            let found = word_tokenize(stretch).map_err(|error| failed(&error))?;
            words.extend(
                found.iter().filter(|word| has_letter(word)).map(|word| word.to_lowercase()),
            );
        }
        rest = after;
    }
    Ok(words)
}

fn failed(error: &dyn std::error::Error) -> PassageError {
    PassageError::Words { problem: error.to_string() }
}

fn has_letter(word: &str) -> bool {
    word.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_script_is_cut_in_its_way() {
        for (text, expected) in [
            ("The Mill's wheel, 3.5 m wide!", "the mill 's wheel 3.5 m wide"),
            ("我们用BM25搜索文档。", "我们 用 bm25 搜索 文档"),
            ("BM25", "bm25"),
            ("... !? 。", ""),
            ("물레방아 강", "물레방아 강"),
        ] {
            assert_eq!(search_words(text).unwrap().join(" "), expected, "{text}");
        }
    }
}
