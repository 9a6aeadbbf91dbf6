//! How long passages are, and where one ends and the next begins.

use std::ops::Range;

use super::{
    PassageError,
    sentences::{sentences, trimmed},
};
use crate::postprocess::is_unspaced;

/// The size of passages, in words: what stands between blanks, or one letter of a script that is written without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutting {
    /// No passage has more words.
    most_words: usize,
    /// At most so many words at the end of a passage stand at the beginning of the next one too.
    overlap_words: usize,
}

impl Cutting {
    /// Passages of at most `most_words`, which must be more than those that two of them share.
    pub fn new(most_words: usize, overlap_words: usize) -> Result<Self, PassageError> {
        if overlap_words < most_words {
            Ok(Self { most_words, overlap_words })
        } else {
            Err(PassageError::Overlap { most_words, overlap_words })
        }
    }

    /// The bytes of each passage in a text. Passages are whole sentences; only one that is longer than a passage is cut
    /// between words. What two passages share is whole sentences too, and so may be less than was asked for.
    pub(super) fn passages(self, text: &str) -> Result<Vec<Range<usize>>, PassageError> {
        let units: Vec<Unit> =
            sentences(text)?.into_iter().flat_map(|range| self.units(text, range)).collect();
        let mut passages = Vec::new();
        let (mut first, mut next) = (0, 0);
        while next < units.len() {
            let shared: usize = words_of(&units, first..next);
            let mut room = self.most_words - shared;
            let fits = |unit: &&Unit| {
                let left = room.checked_sub(unit.words);
                room = left.unwrap_or(room);
                left.is_some()
            };
            let added = units.iter().skip(next).take_while(fits).count();
            if added == 0 {
                // What is shared leaves no room for anything new.
                first += 1;
                continue;
            }
            next += added;
            passages.extend(span(&units, first..next));
            first = next;
            while first > 0 && words_of(&units, first - 1..next) <= self.overlap_words {
                first -= 1;
            }
        }
        Ok(passages)
    }

    /// A sentence, or what it is cut into if it is too long.
    fn units(self, text: &str, sentence: Range<usize>) -> Vec<Unit> {
        let mut units: Vec<Unit> = Vec::new();
        let mut unit = Unit { range: sentence.start..sentence.start, words: 0 };
        for start in word_starts(text, sentence.clone()) {
            if unit.words == self.most_words {
                unit.range.end = start;
                units.push(std::mem::replace(&mut unit, Unit { range: start..start, words: 0 }));
            }
            unit.words += 1;
        }
        unit.range.end = sentence.end;
        units.push(unit);
        for unit in &mut units {
            unit.range = trimmed(text, unit.range.clone()).unwrap_or_else(|| unit.range.clone());
        }
        units
    }
}

/// What is never cut.
struct Unit {
    range: Range<usize>,
    words: usize,
}

fn words_of(units: &[Unit], which: Range<usize>) -> usize {
    units.get(which).unwrap_or_default().iter().map(|unit| unit.words).sum()
}

/// From the beginning of the first of some units to the end of the last.
fn span(units: &[Unit], which: Range<usize>) -> Option<Range<usize>> {
    let units = units.get(which)?;
    Some(units.first()?.range.start..units.last()?.range.end)
}

/// Where the words of a stretch begin.
fn word_starts(text: &str, range: Range<usize>) -> impl Iterator<Item = usize> {
    let mut is_inside = false;
    let letters = text.get(range.clone()).unwrap_or_default().char_indices();
    letters.filter_map(move |(at, letter)| {
        let is_whole = is_unspaced(letter);
        let begins = is_whole || !is_inside && !letter.is_whitespace();
        is_inside = !is_whole && !letter.is_whitespace();
        begins.then_some(range.start + at)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str, most_words: usize, overlap_words: usize) -> Vec<&str> {
        let cutting = Cutting::new(most_words, overlap_words).unwrap();
        cutting.passages(text).unwrap().into_iter().map(|range| &text[range]).collect()
    }

    fn word_count(text: &str) -> usize {
        word_starts(text, 0..text.len()).count()
    }

    #[test]
    fn passages_are_whole_sentences() {
        let text = "One two three. Four five.\nSix. Seven eight nine ten eleven.";
        assert_eq!(
            cut(text, 5, 0),
            ["One two three. Four five.", "Six.", "Seven eight nine ten eleven."]
        );
        let shared =
            ["One two three. Four five.", "Four five.\nSix.", "Seven eight nine ten eleven."];
        assert_eq!(cut(text, 5, 2), shared);
        assert_eq!(cut(text, 100, 0), [text]);
        assert_eq!(cut("磨坊在河边。风很大。", 6, 0), ["磨坊在河边。", "风很大。"]);
    }

    #[test]
    fn only_a_sentence_that_is_too_long_is_cut() {
        assert_eq!(cut("a b c d e", 2, 1), ["a b", "c d", "e"]);
        assert_eq!(cut("磨坊在河边", 2, 0), ["磨坊", "在河", "边"]);
    }

    #[test]
    fn an_overlap_of_everything_is_refused() {
        let error = Cutting::new(5, 5).unwrap_err().to_string();
        assert!(error.contains("fewer than 5"), "{error}");
        assert!(Cutting::new(0, 0).is_err());
    }

    proptest! {
        #[test]
        fn everything_is_in_a_passage_and_none_is_too_long(
            text in "[a-c.。 \n根]{0,80}", most_words in 1_usize..12, overlap in 0_usize..11,
        ) {
            let overlap = overlap.min(most_words - 1);
            let ranges = Cutting::new(most_words, overlap).unwrap().passages(&text).unwrap();
            let (mut start, mut end) = (0, 0);
            for (number, range) in ranges.into_iter().enumerate() {
                prop_assert!(word_count(&text[range.clone()]) <= most_words, "{range:?} of {text:?}");
                prop_assert!(number == 0 || range.start > start && range.end > end);
                if range.start >= end {
                    prop_assert!(text[end..range.start].trim().is_empty());
                } else {
                    prop_assert!(word_count(&text[range.start..end]) <= overlap);
                }
                (start, end) = (range.start, range.end);
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
