//! How many columns a text takes on a terminal, and how it is made to take fewer.

use unicode_width::UnicodeWidthChar as _;

/// Columns of a text: two for each wide character, none for what is drawn over its neighbour.
pub(super) fn width(text: &str) -> usize {
    text.chars().filter_map(char::width).sum()
}

/// What is left out of a text that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    End,
    Middle,
    Start,
}

/// The text in at most `columns`, with `…` for what is left out.
pub(super) fn shortened(text: &str, columns: usize, cut: Cut) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(1) else { return String::new() };
    let (before, behind) = match cut {
        Cut::End => (room, 0),
        Cut::Middle => (room - room / 2, room / 2),
        Cut::Start => (0, room),
    };
    let fitting = |characters: &mut dyn Iterator<Item = char>, columns: usize| -> Vec<char> {
        let mut used = 0;
        characters
            .take_while(|character| {
                used += character.width().unwrap_or(0);
                used <= columns
            })
            .collect()
    };
    let start = fitting(&mut text.chars(), before).into_iter();
    let end = fitting(&mut text.chars().rev(), behind).into_iter().rev();
    start.chain(['…']).chain(end).collect()
}

/// Texts of one column in at most `columns`. They are cut where those that differ still do, if there
/// is such a place.
pub(super) fn shortened_apart(texts: &[&str], columns: usize) -> Vec<String> {
    let different = |texts: &mut dyn Iterator<Item = &str>| {
        texts.collect::<std::collections::BTreeSet<_>>().len()
    };
    let all = different(&mut texts.iter().copied());
    let cut =
        |cut| -> Vec<String> { texts.iter().map(|text| shortened(text, columns, cut)).collect() };
    [Cut::End, Cut::Middle, Cut::Start]
        .into_iter()
        .map(cut)
        .find(|short| different(&mut short.iter().map(String::as_str)) == all)
        .unwrap_or_else(|| cut(Cut::Middle))
}

/// A text in rows of at most `columns`, broken between words; rows after a line's first are indented
/// by `indent` more than the line. A word that is longer than a row stays whole, so that paths can be
/// copied.
pub(super) fn folded(text: &str, columns: usize, indent: usize) -> Vec<String> {
    text.split('\n').flat_map(|line| folded_line(line, columns, indent)).collect()
}

fn folded_line(line: &str, columns: usize, indent: usize) -> Vec<String> {
    if width(line) <= columns {
        return vec![line.to_owned()];
    }
    let own_indent = line.chars().take_while(|character| *character == ' ').count();
    let indent = (own_indent + indent).min(columns / 2);
    let mut rows = Vec::new();
    let mut row = " ".repeat(own_indent);
    let mut is_empty = true;
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        if !is_empty && width(&row) + 1 + width(word) > columns {
            rows.push(std::mem::replace(&mut row, " ".repeat(indent)));
            is_empty = true;
        }
        if !is_empty {
            row.push(' ');
        }
        row += word;
        is_empty = false;
    }
    rows.push(row);
    rows
}

/// The same, broken inside of words that are too long, too.
pub(super) fn folded_hard(text: &str, columns: usize, indent: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for row in folded(text, columns, indent) {
        let mut rest = row.as_str();
        while width(rest) > columns {
            let mut used = 0;
            let end = rest.char_indices().find(|(_, character)| {
                used += width(character.encode_utf8(&mut [0; 4]));
                used > columns
            });
            let end = end.map_or(rest.len(), |(at, _)| at);
            if end == 0 {
                break;
            }
            let (row, after) = rest.split_at(end);
            rows.push(row.to_owned());
            rest = after;
        }
        rows.push(rest.to_owned());
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_two() {
        assert_eq!(width("根a"), 3);
        assert_eq!(shortened("根根根", 4, Cut::End), "根…");
        assert_eq!(shortened("根根根", 6, Cut::End), "根根根");
        assert_eq!(shortened("abcdefgh", 5, Cut::Middle), "ab…gh");
        assert_eq!(shortened("abcdefgh", 5, Cut::Start), "…efgh");
        assert_eq!(shortened("abc", 0, Cut::End), "");
        assert_eq!(shortened("abc", 1, Cut::Middle), "…");
    }

    #[test]
    fn names_stay_different() {
        assert_eq!(shortened_apart(&["mmlu_anatomy", "gsm8k"], 6), ["mmlu_…", "gsm8k"]);
        assert_eq!(shortened_apart(&["mmlu_anatomy", "mmlu_algebra"], 6), ["mml…my", "mml…ra"]);
        assert_eq!(shortened_apart(&["aaaa1bbbb", "aaaa2bbbb"], 4), ["aa…b", "aa…b"]);
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(folded("one two three", 8, 2), ["one two", "  three"]);
        assert_eq!(folded("a\nb", 8, 2), ["a", "b"]);
        assert_eq!(folded("see /a/very/long/path now", 10, 0), ["see", "/a/very/long/path", "now"]);
        assert_eq!(folded("    x = 根根 根根", 12, 2), ["    x = 根根", "      根根"]);
        assert_eq!(folded("", 4, 0), [""]);
    }
}
