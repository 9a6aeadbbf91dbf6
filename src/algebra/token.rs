//! The words of LaTeX mathematics.
//!
//! The longest word wins, and of two equally long ones the first in the table: so `dx` is one word and `sue` are
//! three, `\left` is `\le` and two letters. What no word begins with cannot be read.

use super::vocabulary::{ACCENTS, BLANK, GREEK, SYMBOLS, WORDS};

/// A word: its kind and how it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: &'static str,
    pub(super) text: String,
}

/// The words of a formula; nothing if it holds something else.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (kind, length) = longest(rest)?;
        let (word, after) = rest.split_at(length);
        if kind != BLANK {
            found.push(Token { kind, text: word.to_owned() });
        }
        rest = after;
    }
    Some(found)
}

/// The kind and length in bytes of the longest word at the start.
fn longest(text: &str) -> Option<(&'static str, usize)> {
    let literal = |words: &[&str]| {
        words
            .iter()
            .filter(|word| text.starts_with(**word))
            .map(|word| word.len())
            .max()
            .unwrap_or(0)
    };
    let listed = WORDS.iter().map(|&(kind, words)| (kind, literal(words)));
    let blanks = text.len() - text.trim_start_matches([' ', '\t', '\r', '\n']).len();
    let number = number(text);
    let kinds = [
        (BLANK, blanks),
        ("BEGIN_ARRAY", array_start(text)),
        ("DIFFERENTIAL", differential(text)),
        ("LETTER", letters(text, 1)),
        ("NUMBER", number),
        ("SCIENTIFIC", scientific(text, number)),
        ("PERCENT", percent(text, number)),
        ("GREEK", with_blank(text, greek(text))),
        ("OTHER", with_blank(text, literal(SYMBOLS))),
        ("ACCENT", accent(text)),
    ];
    let mut best = ("", 0);
    for (kind, length) in listed.chain(kinds) {
        if length > best.1 {
            best = (kind, length);
        }
    }
    (best.1 > 0).then_some(best)
}

/// The bytes of at most so many Latin letters at the start.
fn letters(text: &str, most: usize) -> usize {
    text.bytes().take(most).take_while(u8::is_ascii_alphabetic).count()
}

fn array_start(text: &str) -> usize {
    let Some(columns) = text.strip_prefix(r"\begin{array}{") else { return 0 };
    let rest = columns.trim_start_matches(['c', 'l', 'r']);
    if rest.starts_with('}') { text.len() - rest.len() + 1 } else { 0 }
}

/// A "d" and the letter or command it belongs to.
fn differential(text: &str) -> usize {
    let Some(after) = text.strip_prefix('d') else { return 0 };
    let variable = after.trim_start_matches([' ', '\t', '\r', '\n']);
    let length = match variable.strip_prefix('\\') {
        Some(command) => match letters(command, usize::MAX) {
            0 => return 0,
            length => length + 1,
        },
        None => match letters(variable, 1) {
            0 => return 0,
            length => length,
        },
    };
    text.len() - variable.len() + length
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn number(text: &str) -> usize {
    let whole = digits(text);
    let fraction = text.get(whole..).and_then(|rest| rest.strip_prefix('.')).map_or(0, digits);
    if fraction > 0 { whole + 1 + fraction } else { whole }
}

fn scientific(text: &str, number: usize) -> usize {
    let Some(after) = text.get(number..).and_then(|rest| rest.strip_prefix('E')) else { return 0 };
    let exponent = after.strip_prefix(['-', '−', '∸', '+', '∔', '⊕', '⊞']).unwrap_or(after);
    match digits(exponent) {
        length if number > 0 && length > 0 => text.len() - exponent.len() + length,
        _ => 0,
    }
}

fn percent(text: &str, number: usize) -> usize {
    let Some(after) = text.get(number..).filter(|_| number > 0) else { return 0 };
    let sign = after.strip_prefix([' ', '\t', '\r', '\n']).unwrap_or(after);
    let length = ["%", r"\%"].into_iter().find(|percent| sign.starts_with(*percent)).map(str::len);
    length.map_or(0, |length| text.len() - sign.len() + length)
}

fn greek(text: &str) -> usize {
    let command = text.strip_prefix('\\');
    let length = |&(sign, name): &(&str, &str)| match command {
        Some(command) if command.starts_with(name) => name.len() + 1,
        _ if text.starts_with(sign) => sign.len(),
        _ => 0,
    };
    GREEK.iter().map(length).max().unwrap_or(0)
}

fn with_blank(text: &str, length: usize) -> usize {
    let has_blank = length > 0 && text.get(length..).is_some_and(|rest| rest.starts_with(' '));
    length + usize::from(has_blank)
}

/// A command with its braces, which may hold closing ones behind a backslash.
fn accent(text: &str) -> usize {
    let Some(command) = text.strip_prefix('\\') else { return 0 };
    let name = &command[..letters(command, usize::MAX)];
    if !ACCENTS.contains(&name) {
        return 0;
    }
    let after = &command[name.len()..];
    let opening = after.strip_prefix([' ', '\t', '\r', '\n']).unwrap_or(after);
    let Some(held) = opening.strip_prefix('{') else { return 0 };
    let mut end = None;
    let mut before = ' ';
    for (index, character) in held.char_indices() {
        if character == '}' {
            end = Some(index);
            if before != '\\' {
                break;
            }
        }
        before = character;
    }
    end.map_or(0, |end| text.len() - held.len() + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Option<Vec<String>> {
        Some(tokens(text)?.into_iter().map(|token| token.text).collect())
    }

    #[test]
    fn the_longest_word_wins() {
        assert_eq!(words("18 dollars").unwrap(), ["18", "do", "l", "l", "a", "r", "s"]);
        assert_eq!(words(r"\pi x\,+1.5E-3").unwrap(), [r"\pi ", "x", "+", "1.5E-3"]);
        assert_eq!(words(r"\text{a\}b}^\circ").unwrap(), [r"\text{a\}b}", r"^\circ"]);
        assert_eq!(words(r"\left").unwrap(), [r"\le", "f", "t"]);
        assert_eq!(words("５"), None);
    }
}
