//! The sections of a Markdown document: what stands between two headings.

use std::ops::Range;

use super::sentences::trimmed;

/// What stands under one heading, before the next one of any level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// The headings above it, the outermost first.
    pub(super) headings: Vec<String>,
    /// The bytes of its text.
    pub(super) body: Range<usize>,
}

/// The sections of a document that have text. A heading is a line of one to six `#`, a blank and a text, outside of a
/// block of code. One without a text below it, and without a heading of a deeper level, is its own text: nothing is lost.
pub(super) fn sections(text: &str) -> Vec<Section> {
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut found: Vec<Section> = Vec::new();
    let mut own: Option<Range<usize>> = None;
    let mut start = 0;
    let mut close = |path: &[(usize, String)], body: Range<usize>, own: Option<Range<usize>>| {
        if let Some(body) = trimmed(text, body).or(own) {
            let headings = path.iter().map(|(_, heading)| heading.clone()).collect();
            found.push(Section { headings, body });
        }
    };
    let (mut at, mut fence) = (0, None);
    for line in text.split_inclusive('\n') {
        let from = at;
        at += line.len();
        fence = after(fence, line);
        let Some((level, heading)) = heading(line).filter(|_| fence.is_none()) else { continue };
        let is_deeper = path.last().is_some_and(|(above, _)| level > *above);
        close(&path, start..from, own.take().filter(|_| !is_deeper));
        path.retain(|(above, _)| *above < level);
        path.push((level, heading.to_owned()));
        (own, start) = (trimmed(text, from..at), at);
    }
    close(&path, start..text.len(), own);
    found
}

/// The level and the text of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let indent = line.len() - line.trim_start_matches(' ').len();
    let marks = line.trim_start();
    let text = marks.trim_start_matches('#');
    let level = marks.len() - text.len();
    let is_heading = indent < 4 && (1..=6).contains(&level) && text.starts_with([' ', '\t']);
    // Marks that close the heading.
    let text = text.trim();
    let closed = text.trim_end_matches('#');
    let text = if closed.ends_with(' ') { closed.trim_end() } else { text };
    (is_heading && !text.is_empty()).then_some((level, text))
}

/// The fence of the block of code that goes on behind a line, its mark and length, given that before it.
fn after(fence: Option<(char, usize)>, line: &str) -> Option<(char, usize)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
    let length = |mark: char| line.chars().take_while(|letter| *letter == mark).count();
    match (fence, mark) {
        (None, Some(mark)) if length(mark) >= 3 => Some((mark, length(mark))),
        (Some((opened, least)), Some(mark)) if opened == mark && length(mark) >= least => {
            let is_closed = line.chars().all(|letter| letter == mark);
            fence.filter(|_| !is_closed)
        }
        _ => fence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, &str)> {
        let sections = sections(text).into_iter();
        sections.map(|section| (section.headings.join(" > "), &text[section.body])).collect()
    }

    #[test]
    fn sections_know_the_headings_above_them() {
        let text = "before\n# Mill ##\n\n## Wheel\nwood\n\n### Size\n\n## Stone #1\n#tag\n# End\n";
        let expected = [
            ("", "before"),
            ("Mill > Wheel", "wood"),
            ("Mill > Wheel > Size", "### Size"),
            ("Mill > Stone #1", "#tag"),
            ("End", "# End"),
        ];
        assert_eq!(read(text), expected.map(|(path, body)| (path.to_owned(), body)));
    }

    #[test]
    fn a_comment_in_code_is_no_heading() {
        let text = "# A\n````sh\n# no\n```\n# no\n````\n# B\n~~~\n# no";
        let found: Vec<String> = read(text).into_iter().map(|(path, _)| path).collect();
        assert_eq!(found, ["A", "B"]);
    }
}
