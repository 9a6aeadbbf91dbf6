//! A rendered conversation on a terminal: special tokens dimmed, the assistant's text underlined.

use std::{io::IsTerminal as _, ops::Range};

use super::visible::visible;

const DIM_CYAN: &str = "\x1b[2;36m";
const UNDERLINED: &str = "\x1b[4m";
const PLAIN: &str = "\x1b[0m";

/// Whether stdout takes colours.
pub(super) fn wanted() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !refused && std::io::stdout().is_terminal()
}

/// The text with marks for the terminal.
pub(super) fn highlighted(text: &str, special: &[String], underlined: &[Range<usize>]) -> String {
    let tokens = token_spans(text, special);
    let mut edges: Vec<usize> =
        tokens.iter().chain(underlined).flat_map(|span| [span.start, span.end]).collect();
    edges.push(text.len());
    edges.sort_unstable();
    let mut out = String::new();
    let mut start = 0;
    for end in edges {
        let Some(piece) = text.get(start..end).filter(|piece| !piece.is_empty()) else { continue };
        let within = |spans: &[Range<usize>]| spans.iter().any(|span| span.contains(&start));
        let marks = [(within(&tokens), DIM_CYAN), (within(underlined), UNDERLINED)];
        let marks: String = marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
        let end_mark = if marks.is_empty() { "" } else { PLAIN };
        out.extend([marks.as_str(), &visible(piece), end_mark]);
        start = end;
    }
    out
}

/// Where special tokens stand, the longest where several begin.
fn token_spans(text: &str, special: &[String]) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let found = special.iter().filter(|token| rest.starts_with(token.as_str()));
        match found.map(String::len).max() {
            Some(length) if length > 0 => {
                spans.push(at..at + length);
                at += length;
            }
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_end_where_they_should() {
        let special = ["<s>".to_owned(), "<s>>".to_owned()];
        let shown = highlighted("<s>>a<s>é", &special, std::slice::from_ref(&(4..8)));
        assert_eq!(shown, "\x1b[2;36m<s>>\x1b[0m\x1b[4ma\x1b[0m\x1b[2;36m\x1b[4m<s>\x1b[0mé");
        assert_eq!(highlighted("é", &[], &[]), "é");
    }
}
