//! `text.splitlines()`: where Python ends a line.

/// The lines of a text without their ends. Beside the line feed Python ends a line at a carriage return, at
/// both together, at vertical tabs, form feeds, three of the information separators and three marks of Unicode.
pub(crate) fn split_lines(text: &str) -> Vec<&str> {
    let is_end = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some((start, end)) = rest.char_indices().find(|(_, c)| is_end(*c)) {
        let (line, behind) = rest.split_at(start);
        lines.push(line);
        rest = behind
            .strip_prefix("\r\n")
            .unwrap_or_else(|| behind.get(end.len_utf8()..).unwrap_or_default());
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_python_ends_them() {
        assert_eq!(split_lines("a\r\nb\rc\u{2028}d\n"), ["a", "b", "c", "d"]);
        assert_eq!(split_lines("\n\na"), ["", "", "a"]);
        assert!(split_lines("").is_empty());
    }
}
