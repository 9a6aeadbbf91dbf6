//! Foreign text, made harmless for a terminal.
//!
//! Names, prompts, error messages and files may hold characters that a terminal obeys instead of
//! showing: they move the cursor, colour or hide what follows, set the window's title, or turn the order
//! of a line around. Here they become what Python would write for them. Our own colours are added
//! afterwards, around text that was escaped before.

use std::{borrow::Cow, fmt::Write as _};

/// Whether a terminal obeys a character: C0, DEL and C1 controls, line and paragraph separators, and
/// what sets the direction of writing (Unicode's property `Bidi_Control`, and the deprecated
/// characters behind it).
fn steers(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
        )
}

/// Text in which a terminal obeys nothing but line breaks and tabs.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |character| steers(character) && !matches!(character, '\n' | '\t'), write_python)
}

/// A name or a cell in which a terminal obeys nothing: line breaks and tabs are written out, too.
pub(super) fn visible_line(text: &str) -> Cow<'_, str> {
    escaped(text, steers, write_python)
}

/// JSON that says the same, and in which a terminal obeys nothing but line breaks: what steers one
/// can only stand in a string there, where it is written as `\u009b`.
pub(super) fn visible_json(json: &str) -> Cow<'_, str> {
    escaped(
        json,
        |character| steers(character) && character != '\n',
        |character, out| _ = write!(out, "\\u{:04x}", u32::from(character)),
    )
}

/// Text with colours of our own: sequences that set colours and nothing else may stay.
pub(super) fn visible_styled(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, sequence) = rest.split_at(at);
        out += &visible(before);
        let length = style_length(sequence);
        let (style, after) = sequence.split_at(length.unwrap_or(1));
        if length.is_some() {
            out += style;
        } else {
            out += &visible(style);
        }
        rest = after;
    }
    if out.is_empty() {
        return visible(rest);
    }
    out += &visible(rest);
    Cow::Owned(out)
}

/// How long the sequence at the beginning of a text is, if it sets colours: `ESC [ 1 ; 32 m`.
fn style_length(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
    parameters[end..].starts_with('m').then_some("\u{1b}[".len() + end + 1)
}

/// As Python's `repr` writes it.
fn write_python(character: char, out: &mut String) {
    _ = match (character, u32::from(character)) {
        ('\n', _) => write!(out, "\\n"),
        ('\r', _) => write!(out, "\\r"),
        ('\t', _) => write!(out, "\\t"),
        (_, code) if code < 0x100 => write!(out, "\\x{code:02x}"),
        (_, code) => write!(out, "\\u{code:04x}"),
    };
}

fn escaped(
    text: &str,
    is_hidden: impl Fn(char) -> bool,
    write: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    if !text.contains(&is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_hidden(character) { write(character, &mut out) } else { out.push(character) }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Text in which what steers a terminal is frequent.
    fn hostile() -> impl Strategy<Value = String> {
        let pieces = prop_oneof![
            Just("\u{1b}[2J".to_owned()),
            Just("\u{9b}31m".to_owned()),
            Just("\u{1b}[1;32m".to_owned()),
            Just("\u{1b}]0;title\u{7}".to_owned()),
            Just("\u{202e}".to_owned()),
            Just("\u{2028}\r\n\t".to_owned()),
            any::<char>().prop_map(String::from),
        ];
        proptest::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn obeyed(text: &str) -> Vec<char> {
        text.chars().filter(|&character| steers(character)).collect()
    }

    proptest! {
        #[test]
        fn nothing_is_obeyed(text in hostile()) {
            prop_assert!(obeyed(&visible(&text)).iter().all(|it| matches!(it, '\n' | '\t')));
            prop_assert_eq!(obeyed(&visible_line(&text)), []);
        }

        #[test]
        fn json_keeps_its_value(text in hostile()) {
            let value = serde_json::json!({ text.clone(): [text] });
            let json = serde_json::to_string_pretty(&value).unwrap();
            let shown = visible_json(&json);
            prop_assert!(obeyed(&shown).iter().all(|it| *it == '\n'));
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        }

        #[test]
        fn of_sequences_only_colours_stay(text in hostile()) {
            let shown = visible_styled(&text).replace("\u{1b}[1;32m", "");
            prop_assert!(obeyed(&shown).iter().all(|it| matches!(it, '\n' | '\t')), "{shown:?}");
        }
    }

    #[test]
    fn what_is_hidden_is_written_as_python_does() {
        assert_eq!(visible("a\u{1b}[31m\r\n\tb"), "a\\x1b[31m\\r\n\tb");
        assert_eq!(visible_line("a\nb\u{202e}\u{9b}"), "a\\nb\\u202e\\x9b");
        assert_eq!(visible_styled("\u{1b}[1mx\u{1b}[0m\u{1b}[2J"), "\u{1b}[1mx\u{1b}[0m\\x1b[2J");
        assert!(matches!(visible("é 根 👩‍🚀"), Cow::Borrowed(_)));
    }
}
