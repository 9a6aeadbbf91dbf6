//! TER: the edits that turn a translation into its reference, for each word of the reference.
//!
//! With sacreBLEU's defaults: small letters, words between blanks. A run of words that is moved counts as one edit; moves
//! are made one after the other, each the best at its time. Of several references the one that takes the fewest edits
//! counts, against the mean of their lengths.

use super::{
    shift::{self, MOST_TRIED},
    word_edits::Edits,
};
use crate::python::is_blank;

/// What is counted of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TerCounts {
    edits: f64,
    /// Words of the references, on average.
    words: f64,
}

impl TerCounts {
    /// Those of a text; there is at least one reference.
    pub(crate) fn of(text: &str, references: &[&str]) -> Self {
        let written = text.to_lowercase();
        let written = words(&written);
        let (mut fewest, mut sum) = (usize::MAX, 0);
        for reference in references {
            let reference = reference.to_lowercase();
            let reference = words(&reference);
            sum += reference.len();
            fewest = fewest.min(edits(&written, &reference));
        }
        Self { edits: fewest as f64, words: sum as f64 / references.len() as f64 }
    }

    /// The rate of all texts together, in percent.
    pub(crate) fn of_corpus<'a>(all: impl Iterator<Item = &'a Self>) -> f64 {
        let add = |(edits, words): (f64, f64), own: &Self| (edits + own.edits, words + own.words);
        let (edits, words) = all.fold((0.0, 0.0), add);
        let all_wrong = f64::from(u8::from(edits > 0.0));
        100.0 * if words > 0.0 { edits / words } else { all_wrong }
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split(is_blank).filter(|word| !word.is_empty()).collect()
}

fn edits(written: &[&str], reference: &[&str]) -> usize {
    if reference.is_empty() {
        return written.len();
    }
    let mut written = written.to_vec();
    let mut edits = Edits::of(&written, reference, None);
    let (mut shifts, mut tried) = (0, 0);
    while let Some(shift) = shift::best(&written, reference, &edits, &mut tried) {
        if tried >= MOST_TRIED || shift.saved <= 0 {
            break;
        }
        shifts += 1;
        edits = Edits::of(&shift.words, reference, Some((&edits, &written)));
        written = shift.words;
    }
    shifts + edits.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translation::known::ROWS;

    #[test]
    fn figures_are_those_of_sacrebleu() {
        for (text, references, _, _, expected) in ROWS {
            let expected: f64 = expected;
            let figure = TerCounts::of_corpus([TerCounts::of(text, references)].iter());
            assert_eq!(figure.to_bits(), expected.to_bits(), "{text}");
        }
    }
}
