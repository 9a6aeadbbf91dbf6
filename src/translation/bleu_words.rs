//! How a text is cut into words for BLEU: the rules of `mteval-v13a`, as sacreBLEU 2.6 has them, and what
//! is done before to languages that have no blanks between words.

use crate::python::{blank::strip, is_blank};

/// How a language separates its words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// By blanks.
    Spaced,
    /// Chinese: each letter is a word.
    Chinese,
    /// Japanese, Korean, Thai: each letter of theirs is a word.
    Unspaced,
}

impl Script {
    /// That of a language of Flores by its English name.
    pub(crate) fn of(language: &str) -> Self {
        match language {
            "Chinese" => Self::Chinese,
            "Japanese" | "Korean" | "Thai" => Self::Unspaced,
            _ => Self::Spaced,
        }
    }

    /// The words of a line, joined by blanks.
    pub(crate) fn separated(self, line: &str) -> String {
        let is_alone: fn(char) -> bool = match self {
            Self::Spaced => return one_blank(line),
            Self::Chinese => is_chinese,
            Self::Unspaced => is_unspaced,
        };
        let mut separated = String::with_capacity(2 * line.len());
        for letter in strip(line).chars() {
            if is_alone(letter) {
                separated.extend([' ', letter, ' ']);
            } else {
                separated.push(letter);
            }
        }
        if self == Self::Chinese { punctuation_apart(&separated) } else { one_blank(&separated) }
    }
}

/// The words of a text by the rules of `13a`, joined by blanks.
pub(crate) fn words_13a(text: &str) -> String {
    let text = text.replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
    let text = text
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    punctuation_apart(&format!(" {text} "))
}

/// Blanks around punctuation, but for a point or comma between digits and for a dash that follows none.
fn punctuation_apart(text: &str) -> String {
    let mut apart = Vec::with_capacity(2 * text.len());
    for letter in text.chars() {
        if matches!(letter, '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/') {
            apart.extend([' ', letter, ' ']);
        } else {
            apart.push(letter);
        }
    }
    let is_digit = |c: char| c.is_ascii_digit();
    let is_point = |c: char| matches!(c, '.' | ',');
    apart = pairs(&apart, |a, b| !is_digit(a) && is_point(b), |a, b| [a, ' ', b, ' ']);
    apart = pairs(&apart, |a, b| is_point(a) && !is_digit(b), |a, b| [' ', a, ' ', b]);
    apart = pairs(&apart, |a, b| is_digit(a) && b == '-', |a, b| [a, ' ', b, ' ']);
    one_blank(&String::from_iter(apart))
}

/// Rewrites pairs of letters from left to right; a letter is part of one pair at most.
fn pairs(
    letters: &[char],
    is_found: impl Fn(char, char) -> bool,
    rewritten: impl Fn(char, char) -> [char; 4],
) -> Vec<char> {
    let mut result = Vec::with_capacity(letters.len() + letters.len() / 4);
    let mut rest = letters;
    loop {
        rest = match rest {
            [first, second, after @ ..] if is_found(*first, *second) => {
                result.extend(rewritten(*first, *second));
                after
            }
            [first, after @ ..] => {
                result.push(*first);
                after
            }
            [] => return result,
        };
    }
}

fn one_blank(text: &str) -> String {
    let words: Vec<&str> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// What sacreBLEU takes for Chinese. Two of its ranges are written with one digit too many and so cover
/// U+2001 to U+2A6D and U+2F81 to U+2FA1, punctuation and mathematics included.
fn is_chinese(letter: char) -> bool {
    matches!(
        letter,
        '\u{2001}'..='\u{2a6d}'
            | '\u{2e80}'..='\u{2eff}'
            | '\u{2f00}'..='\u{2fdf}'
            | '\u{2ff0}'..='\u{303f}'
            | '\u{3100}'..='\u{312f}'
            | '\u{31a0}'..='\u{31bf}'
            | '\u{31c0}'..='\u{31ef}'
            | '\u{3200}'..='\u{33ff}'
            | '\u{3400}'..='\u{4db5}'
            | '\u{4e00}'..='\u{9fbb}'
            | '\u{f900}'..='\u{fa2d}'
            | '\u{fa30}'..='\u{fa6a}'
            | '\u{fa70}'..='\u{fad9}'
            | '\u{fe10}'..='\u{fe1f}'
            | '\u{fe30}'..='\u{fe4f}'
            | '\u{ff00}'..='\u{ffef}'
    )
}

/// Letters of Chinese, Japanese, Korean and Thai.
fn is_unspaced(letter: char) -> bool {
    matches!(
        letter,
        '\u{e00}'..='\u{e7f}'
            | '\u{2e80}'..='\u{9fff}'
            | '\u{a960}'..='\u{a97f}'
            | '\u{ac00}'..='\u{d7ff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_sacrebleu() {
        // Each row was run in sacrebleu 2.6.0.
        let rows = [
            ("It's 3,000.5 (or 2-3)...", "It's 3,000.5 ( or 2 - 3 ) . . ."),
            ("a-\nb &quot;c&quot; &amp;lt;", "ab \" c \" <"),
            ("x.1 1.x ,,", "x . 1 1 . x , ,"),
        ];
        for (text, expected) in rows {
            assert_eq!(words_13a(text), expected, "{text}");
        }
        let chinese = Script::Chinese.separated("他说“好”a.b—2");
        assert_eq!(chinese, "他 说 “ 好 ” a . b — 2");
        assert_eq!(Script::of("Thai").separated("กข ab"), "ก ข ab");
    }
}
