//! Where the sentences of a text are, in English and in Chinese.

use std::ops::Range;

use super::PassageError;
use crate::retrieve;

/// Marks that end a sentence wherever they stand.
const WIDE_ENDS: &[char] = &['。', '！', '？', '；', '…'];

/// What closes after an end still belongs to the sentence.
const CLOSING: &[char] = &['”', '’', '」', '』', '）', '》', '】', '。', '！', '？', '…'];

/// The bytes of each sentence, in order, without the blanks between them. A blank line ends a sentence, a wide mark does,
/// and besides what ends one in English (`nltk.sent_tokenize`). Nothing but blanks is in no sentence.
pub(super) fn sentences(text: &str) -> Result<Vec<Range<usize>>, PassageError> {
    let mut found = Vec::new();
    for paragraph in paragraphs(text) {
        let start = paragraph.start;
        let paragraph = text.get(paragraph).unwrap_or_default();
        let english = retrieve::sentences(paragraph)
            .map_err(|error| PassageError::Words { problem: error.to_string() })?;
        // Everything up to the next sentence is this one's, so that no letter can be lost between two.
        let starts =
            english.iter().skip(1).map(|one| one.as_ptr().addr() - paragraph.as_ptr().addr());
        let mut from = 0;
        for to in starts.chain([paragraph.len()]) {
            push_parted(text, start + from..start + to, &mut found);
            from = to;
        }
    }
    Ok(found)
}

/// Stretches between blank lines.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            found.push(start..at);
            start = at + line.len();
        }
        at += line.len();
    }
    found.push(start..at);
    found
}

/// Cuts behind wide marks, and leaves out blanks.
fn push_parted(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut from = range.start;
    while let Some(rest) = text.get(from..range.end).filter(|rest| !rest.is_empty()) {
        let behind = rest.find(WIDE_ENDS).map(|mark| {
            let closing = rest.get(mark..).unwrap_or_default();
            let end = closing.char_indices().skip(1).find(|(_, letter)| !CLOSING.contains(letter));
            end.map_or(rest.len(), |(at, _)| mark + at)
        });
        let to = from + behind.unwrap_or(rest.len());
        found.extend(trimmed(text, from..to));
        from = to;
    }
}

/// The range without blanks at its ends; nothing if there are only blanks.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let whole = text.get(range.clone())?;
    let start = range.start + (whole.len() - whole.trim_start().len());
    let content = whole.trim();
    (!content.is_empty()).then(|| start..start + content.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        sentences(text).unwrap().into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn sentences_of_both_languages_are_found() {
        assert_eq!(parts("Dr. Low left. Why?  He\nknew!"), ["Dr. Low left.", "Why?", "He\nknew!"]);
        assert_eq!(
            parts("磨坊在河边。“为什么？”他问……走了"),
            ["磨坊在河边。", "“为什么？”", "他问……", "走了"]
        );
        assert_eq!(parts("no end\n \nA list\r\n\r\n"), ["no end", "A list"]);
        assert_eq!(parts(" \n\t"), [""; 0]);
    }

    proptest! {
        #[test]
        fn no_letter_is_lost(text in "[a-cA-C.!?。？”\" \n根]{0,60}") {
            let mut end = 0;
            for range in sentences(&text).unwrap() {
                prop_assert!(text[end..range.start].trim().is_empty(), "{text:?}");
                end = range.end;
            }
            prop_assert!(text[end..].trim().is_empty(), "{text:?}");
        }
    }
}
