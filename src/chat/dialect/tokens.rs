//! The words of a tag.
//!
//! Just enough of the template language to know where a tag ends and where its operators stand. What
//! the words mean is the engine's business.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A string or a number.
    Literal,
    /// An operator or a bracket.
    Symbol,
}

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'s> {
    pub(super) kind: TokenKind,
    pub(super) text: &'s str,
    /// Bytes within the text that was split.
    pub(super) span: Range<usize>,
}

impl Token<'_> {
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }

    /// +1 where brackets open, −1 where they close.
    pub(super) fn bracket(&self) -> isize {
        match (self.kind, self.text) {
            (TokenKind::Symbol, "(" | "[" | "{") => 1,
            (TokenKind::Symbol, ")" | "]" | "}") => -1,
            _ => 0,
        }
    }
}

/// Operators of two letters; all others have one.
const LONG_SYMBOLS: &[&str] = &["==", "!=", "<=", ">=", "//", "**"];

/// Splits the inside of a tag, up to the first `close` (`%}` or `}}`) outside of brackets and strings.
/// Gives the tokens and where the close begins, its `-` or `+` included; nothing if there is none.
pub(super) fn split<'s>(text: &'s str, close: &str) -> Option<(Vec<Token<'s>>, usize)> {
    let mut tokens = Vec::new();
    let mut depth = 0;
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let first = rest.chars().next()?;
        let closes = |rest: &str| rest.starts_with(close);
        if depth <= 0 && (closes(rest) || rest.strip_prefix(['-', '+']).is_some_and(closes)) {
            return Some((tokens, at));
        }
        let (kind, length) = match first {
            letter if letter.is_whitespace() => {
                at += letter.len_utf8();
                continue;
            }
            '"' | '\'' => (TokenKind::Literal, string_bytes(rest, first)?),
            '0'..='9' => (TokenKind::Literal, number_bytes(rest)),
            letter if is_word(letter) => (TokenKind::Word, span_bytes(rest, is_word)),
            letter => {
                let long = LONG_SYMBOLS.iter().any(|symbol| rest.starts_with(symbol));
                (TokenKind::Symbol, if long { 2 } else { letter.len_utf8() })
            }
        };
        let token = Token { kind, text: rest.get(..length)?, span: at..at + length };
        depth += token.bracket();
        tokens.push(token);
        at += length;
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn span_bytes(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !belongs(letter)).unwrap_or(text.len())
}

/// A string with both its quotes; nothing if it does not end.
fn string_bytes(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// `12`, `1.5`, `1e-5`; the dot of `1.real` is no part of the number.
fn number_bytes(text: &str) -> usize {
    let digits = |text: &str| span_bytes(text, |letter| letter.is_alphanumeric() || letter == '_');
    let mut length = digits(text);
    if let Some(fraction) = text[length..].strip_prefix('.')
        && fraction.starts_with(|letter: char| letter.is_ascii_digit())
    {
        length += 1 + digits(fraction);
    }
    if text[..length].ends_with(['e', 'E'])
        && let Some(exponent) = text[length..].strip_prefix(['-', '+'])
        && exponent.starts_with(|letter: char| letter.is_ascii_digit())
    {
        length += 1 + digits(exponent);
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_ends_outside_of_brackets_and_strings() {
        let (tokens, end) = split(" {'a}}': {1: 2}} ~ x -}} after", "}}").unwrap();
        let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        assert_eq!(texts, ["{", "'a}}'", ":", "{", "1", ":", "2", "}", "}", "~", "x"]);
        assert_eq!(end, " {'a}}': {1: 2}} ~ x ".len());
        assert_eq!(split("a 'b }}", "}}"), None);
    }

    #[test]
    fn numbers_keep_their_exponents_and_leave_dots() {
        let (tokens, _) = split("1.5e-7+x.0.y//2**-3 %}", "%}").unwrap();
        let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        assert_eq!(texts, ["1.5e-7", "+", "x", ".", "0", ".", "y", "//", "2", "**", "-", "3"]);
    }
}
