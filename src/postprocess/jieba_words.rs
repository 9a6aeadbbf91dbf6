//! `general_cn` and `flores_chinese`: a text as Chinese words with blanks between them, for metrics that
//! count words.
//!
//! Words are cut as jieba 0.42.1 cuts them, with its own dictionary and its model for unknown words. The
//! crate does that for stretches of Chinese; which stretches there are, and what letters and digits
//! outside the dictionary come to, differs between the two, and is done here as jieba does it.

use std::sync::LazyLock;

use jieba_rs::Jieba;

use super::{PatternError, Processed, blank::strip, python_regex::PythonRegex};

static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// The words of a text, blanks and punctuation included.
pub(crate) fn words(text: &str) -> Result<Vec<&str>, PatternError> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_stretch = is_in_stretch(first);
        let end = rest.find(|letter| is_in_stretch(letter) != is_stretch).unwrap_or(rest.len());
        let (block, after) = rest.split_at(end);
        if is_stretch {
            for token in JIEBA.cut(block, true) {
                push_word(&mut words, token.word)?;
            }
        } else {
            push_letters(&mut words, block);
        }
        rest = after;
    }
    Ok(words)
}

/// The letters that jieba looks at together.
fn is_in_stretch(letter: char) -> bool {
    matches!(letter, '\u{4e00}'..='\u{9fd5}' | '+' | '#' | '&' | '.' | '_' | '%' | '-')
        || letter.is_ascii_alphanumeric()
}

/// All other letters are words of their own, but for a line end of two.
fn push_letters<'t>(words: &mut Vec<&'t str>, block: &'t str) {
    let mut rest = block;
    while let Some(letter) = rest.chars().next() {
        let end = if rest.starts_with("\r\n") { 2 } else { letter.len_utf8() };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
}

/// The crate keeps numbers and names such as `ber-cool` together, which jieba parts at all but the point
/// of a number. No word of the dictionary looks like these.
fn push_word<'t>(words: &mut Vec<&'t str>, word: &'t str) -> Result<(), PatternError> {
    static PART: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"[a-zA-Z0-9]+(?:\.\d+)?%?|[._\-]"));
    let is_joined = word.is_ascii()
        && word.contains(['.', '_', '-'])
        && word.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if is_joined {
        words.extend(PART.all(word)?);
    } else {
        words.push(word);
    }
    Ok(())
}

/// All words, joined by blanks. The text is not cleaned before: OpenCompass cleans it and then forgets
/// the result.
pub(super) fn process(text: &str) -> Processed {
    Ok(words(text)?.join(" ").into())
}

/// The words of the first line, with its blanks collapsed before.
pub(super) fn process_first_line(text: &str) -> Processed {
    static BLANKS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\s+"));
    let line = strip(text).split('\n').next().unwrap_or_default();
    Ok(words(strip(&BLANKS.replace(line, " ")?))?.join(" ").into())
}

/// Letters of scripts that put no blanks between words: Chinese and kana.
pub(crate) fn is_unspaced(letter: char) -> bool {
    matches!(
        letter,
        '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{323af}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row was cut by jieba 0.42.1.
    #[test]
    fn words_are_those_of_jieba() {
        let rows: &[(&str, &[&str])] = &[
            ("今天天气很好。", &["今天天气", "很", "好", "。"]),
            ("ber-cool", &["ber", "-", "cool"]),
            ("a_b 3.14-5%", &["a", "_", "b", " ", "3.14", "-", "5%"]),
            ("1.2.3", &["1.2", ".", "3"]),
            ("é\r\nA", &["é", "\r\n", "A"]),
            ("C++和AT&T", &["C++", "和", "AT&T"]),
            ("㐀㐁中文", &["㐀", "㐁", "中文"]),
        ];
        for (text, expected) in rows {
            assert_eq!(words(text).unwrap(), *expected, "{text}");
        }
    }
}
