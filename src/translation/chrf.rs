//! chrF: runs of up to six letters that a translation shares with its reference, and in chrF++ runs of up to two words.
//!
//! With sacreBLEU's defaults: beta 2, blanks left out, no smoothing; a length that one of the two texts does not have
//! does not count. Of several references the one with the best figure counts.

use indexmap::IndexMap;

use crate::python::is_blank;

/// The longest run of letters.
const LETTERS: usize = 6;

/// How much more a match counts of what the reference holds.
const BETA_SQUARED: f64 = 4.0;

/// What is counted of runs of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Runs {
    written: u64,
    referred: u64,
    shared: u64,
}

/// What is counted of a text, by length: letters, then words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChrfCounts(Vec<Runs>);

/// How often each run of one length stands in a text.
type Counted = IndexMap<Vec<String>, u64>;

impl ChrfCounts {
    /// Those of a text, with runs of so many words.
    pub(crate) fn of(text: &str, references: &[&str], words: usize) -> Self {
        let own = counted(text, words);
        let mut best: Option<(f64, Self)> = None;
        for reference in references {
            let reference = counted(reference, words);
            let runs = own.iter().zip(&reference).map(|(own, other)| shared(own, other));
            let counts = Self(runs.collect());
            let score = counts.score();
            if best.as_ref().is_none_or(|(most, _)| score > *most) {
                best = Some((score, counts));
            }
        }
        best.unwrap_or_default().1
    }

    /// The chrF of all texts together, from 0 to 100.
    pub(crate) fn of_corpus<'a>(all: impl Iterator<Item = &'a Self>) -> f64 {
        let mut sum = Self::default();
        for counts in all {
            if sum.0.is_empty() {
                sum.0 = vec![Runs::default(); counts.0.len()];
            }
            for (sum, own) in sum.0.iter_mut().zip(&counts.0) {
                sum.written += own.written;
                sum.referred += own.referred;
                sum.shared += own.shared;
            }
        }
        sum.score()
    }

    fn score(&self) -> f64 {
        let (mut precision, mut recall, mut lengths) = (0.0, 0.0, 0.0);
        for runs in self.0.iter().filter(|runs| runs.written > 0 && runs.referred > 0) {
            precision += runs.shared as f64 / runs.written as f64;
            recall += runs.shared as f64 / runs.referred as f64;
            lengths += 1.0;
        }
        if lengths > 0.0 {
            precision /= lengths;
            recall /= lengths;
        }
        if precision + recall == 0.0 {
            return 0.0;
        }
        let product = (1.0 + BETA_SQUARED) * precision * recall;
        100.0 * (product / (BETA_SQUARED * precision + recall))
    }
}

fn shared(own: &Counted, other: &Counted) -> Runs {
    let written = if other.is_empty() { 0 } else { own.values().sum() };
    let shared = own.iter().map(|(run, count)| other.get(run).map_or(0, |other| *count.min(other)));
    Runs { written, referred: other.values().sum(), shared: shared.sum() }
}

/// The runs of a text, by length.
fn counted(text: &str, words: usize) -> Vec<Counted> {
    let letters: Vec<String> =
        text.chars().filter(|letter| !is_blank(*letter)).map(String::from).collect();
    let mut counted: Vec<Counted> = (1..=LETTERS).map(|length| runs(&letters, length)).collect();
    if words > 0 {
        let parts = apart(text);
        counted.extend((1..=words).map(|length| runs(&parts, length)));
    }
    counted
}

fn runs(parts: &[String], length: usize) -> Counted {
    let mut counts = Counted::new();
    for run in parts.windows(length) {
        *counts.entry(run.to_vec()).or_default() += 1;
    }
    counts
}

/// Words, with a mark of punctuation at an end apart from them: of two the one behind.
fn apart(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for word in text.split(is_blank).filter(|word| !word.is_empty()) {
        let is_mark = |letter: &char| letter.is_ascii_punctuation();
        let mut letters = word.chars();
        let (first, last) = (letters.next(), letters.next_back());
        match (first, last) {
            (_, Some(last)) if is_mark(&last) => {
                let before = word.strip_suffix(last).unwrap_or_default();
                parts.extend([before.to_owned(), last.to_string()]);
            }
            (Some(first), Some(_)) if is_mark(&first) => {
                let behind = word.strip_prefix(first).unwrap_or_default();
                parts.extend([first.to_string(), behind.to_owned()]);
            }
            _ => parts.push(word.to_owned()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translation::known::ROWS;

    #[test]
    fn figures_are_those_of_sacrebleu() {
        for (text, references, chrf, chrf_with_words, _) in ROWS {
            let counts = |words| [ChrfCounts::of(text, references, words)];
            let figure = |words| ChrfCounts::of_corpus(counts(words).iter());
            let figures = [figure(0), figure(2)].map(f64::to_bits);
            assert_eq!(figures, [chrf, chrf_with_words].map(f64::to_bits), "{text}");
        }
    }
}
