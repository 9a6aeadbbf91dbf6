//! Letters: which are letters or numbers, and their cases, as Python's strings tell them.

use std::sync::LazyLock;

use fancy_regex::Regex;

use super::failure::{Eval, Failure};

/// Every word with a capital letter, words being runs of letters that have cases.
pub(super) fn title(text: &str) -> Eval<String> {
    let mut in_word = false;
    let mut out = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        if in_word {
            let end = at + letter.len_utf8();
            out.push_str(&lowered_letter(
                text.get(..end).unwrap_or(""),
                letter,
                text.get(end..).unwrap_or(""),
            ));
        } else {
            out.push_str(&titled(letter)?);
        }
        in_word = letter.is_lowercase() || letter.is_uppercase() || is_titlecase(letter);
    }
    Ok(out)
}

/// The lower case of one letter of a text; a sigma at the end of a word is another one.
fn lowered_letter(up_to: &str, letter: char, behind: &str) -> String {
    if letter != 'Σ' {
        return letter.to_lowercase().collect();
    }
    let whole = format!("{up_to}{behind}").to_lowercase();
    let before = up_to.get(..up_to.len() - letter.len_utf8()).unwrap_or("").to_lowercase();
    whole.get(before.len()..).and_then(|rest| rest.chars().next()).unwrap_or('σ').to_string()
}

/// The lower case of what stands behind the first letter of a text.
pub(super) fn lowered(text: &str, behind: &str) -> Eval<String> {
    if !behind.contains('Σ') {
        return Ok(behind.to_lowercase());
    }
    let first = text.len() - behind.len();
    let before = text.get(..first).unwrap_or("").to_lowercase();
    let whole = text.to_lowercase();
    match whole.get(before.len()..) {
        Some(rest) => Ok(rest.to_owned()),
        None => Err(Failure::unsupported("the case of this text")),
    }
}

/// The title case of a letter.
pub(super) fn titled(letter: char) -> Eval<String> {
    let upper: Vec<char> = letter.to_uppercase().collect();
    match (letter, &*upper) {
        ('\u{1c4}'..='\u{1cc}' | '\u{1f1}'..='\u{1f3}', _) => {
            Err(Failure::unsupported("the title case of this letter"))
        }
        // Georgian has capitals, and no titles in them.
        ('\u{10d0}'..='\u{10ff}', _) => Ok(letter.to_string()),
        (_, [one]) => Ok(one.to_string()),
        ('ß' | '\u{fb00}'..='\u{fb06}', [first, rest @ ..]) => {
            let rest: String = rest.iter().collect();
            Ok(format!("{first}{}", rest.to_lowercase()))
        }
        _ => Err(Failure::unsupported("the title case of this letter")),
    }
}

fn class(pattern: &'static LazyLock<Option<Regex>>, letter: char) -> bool {
    let text = letter.encode_utf8(&mut [0; 4]).to_owned();
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(&*text).unwrap_or(false))
}

/// `str.isalpha` of one letter: Unicode's letters, and no marks.
pub(super) fn is_letter(letter: char) -> bool {
    static LETTERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\p{L}").ok());
    if letter.is_ascii() { letter.is_ascii_alphabetic() } else { class(&LETTERS, letter) }
}

/// Unicode's numbers.
pub(super) fn is_number(letter: char) -> bool {
    static NUMBERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\p{N}").ok());
    if letter.is_ascii() { letter.is_ascii_digit() } else { class(&NUMBERS, letter) }
}

pub(super) fn is_titlecase(letter: char) -> bool {
    static TITLES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\p{Lt}").ok());
    !letter.is_ascii() && class(&TITLES, letter)
}

/// Letters that may stand for a number: some of the Chinese ones do.
pub(super) fn may_be_number(letter: char) -> bool {
    matches!(u32::from(letter), 0x3400..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}
