//! BLEU: runs of up to four words that a translation shares with its references, as sacreBLEU 2.6 counts.

use indexmap::IndexMap;

use super::words_13a;
use crate::python::is_blank;

/// The longest run of words that is counted.
const ORDERS: usize = 4;

/// What stands for the logarithm of 0.
const LOG_OF_NOTHING: f64 = -9_999_999_999.0;

/// What a BLEU is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BleuCounts {
    /// Runs of each length that the references have too.
    pub(crate) correct: [u64; ORDERS],
    /// Runs of each length.
    pub(crate) total: [u64; ORDERS],
    /// Words that were written.
    pub(crate) written_words: u64,
    /// Words of the reference that is closest in length.
    pub(crate) reference_words: u64,
}

/// How a length without a match is treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Smoothing {
    /// The figure is 0.
    None,
    /// Half a match, then a quarter, and so on, over all lengths.
    Exponential,
    /// The same over the lengths that the text has.
    ExponentialOfOwnLengths,
}

/// The figure and its parts.
pub(crate) struct BleuScore {
    /// From 0 to 100.
    pub(crate) value: f64,
    /// Of each length, from 0 to 100.
    pub(crate) precisions: [f64; ORDERS],
    /// What texts lose that are too short.
    pub(crate) brevity: f64,
}

/// A text without the blanks at its end.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_end_matches(is_blank)
}

impl BleuCounts {
    /// Those of a text against its references, cut into words by the rules of `13a`.
    pub(crate) fn of_texts(written: &str, references: &[&str]) -> Self {
        let references: Vec<String> =
            references.iter().map(|text| words_13a(trimmed(text))).collect();
        Self::of(&words_13a(trimmed(written)), &references)
    }

    /// The BLEU of all texts together, from 0 to 100, as sacreBLEU's `corpus_bleu` has it.
    pub(crate) fn of_corpus<'a>(all: impl Iterator<Item = &'a Self>) -> f64 {
        let mut sum = Self::default();
        all.for_each(|own| sum.add(own));
        sum.score(Smoothing::Exponential).value
    }

    /// Those of a text against its references, all cut into words.
    pub(crate) fn of(written: &str, references: &[String]) -> Self {
        let words = |text: &'_ str| text.split(' ').filter(|word| !word.is_empty()).count() as u64;
        let own_words = words(written);
        let lengths = references.iter().map(|reference| words(reference));
        let closest = lengths.min_by_key(|&length| (length.abs_diff(own_words), length));
        let mut counts = Self {
            written_words: own_words,
            reference_words: closest.unwrap_or_default(),
            ..Self::default()
        };
        let own: Vec<&str> = split(written);
        let references: Vec<Vec<&str>> = references.iter().map(|text| split(text)).collect();
        for order in 1..=ORDERS {
            let mut most: IndexMap<&[&str], u64> = IndexMap::new();
            for reference in &references {
                for (run, count) in runs(reference, order) {
                    let most = most.entry(run).or_default();
                    *most = count.max(*most);
                }
            }
            let (mut correct, mut total) = (0, 0);
            for (run, count) in runs(&own, order) {
                total += count;
                correct += count.min(most.get(run).copied().unwrap_or_default());
            }
            counts.correct[order - 1] = correct;
            counts.total[order - 1] = total;
        }
        counts
    }

    /// All counted together.
    pub(crate) fn sum(all: &[Self]) -> Self {
        let mut sum = Self::default();
        for own in all {
            sum.add(own);
        }
        sum
    }

    /// Counts together what both have.
    pub(crate) fn add(&mut self, other: &Self) {
        for order in 0..ORDERS {
            self.correct[order] += other.correct[order];
            self.total[order] += other.total[order];
        }
        self.written_words += other.written_words;
        self.reference_words += other.reference_words;
    }

    /// The BLEU of these counts.
    pub(crate) fn score(&self, smoothing: Smoothing) -> BleuScore {
        let (written, reference) = (self.written_words as f64, self.reference_words as f64);
        let brevity = match self.written_words {
            0 if self.reference_words > 0 => 0.0,
            own if own < self.reference_words => (1.0 - reference / written).exp(),
            _ => 1.0,
        };
        let mut precisions = [0.0; ORDERS];
        if self.correct == [0; ORDERS] {
            return BleuScore { value: 0.0, precisions, brevity };
        }
        let mut orders = ORDERS;
        let mut divisor = 1.0;
        let counts = self.correct.iter().zip(&self.total).take_while(|(_, total)| **total > 0);
        for (index, (precision, (&correct, &total))) in
            precisions.iter_mut().zip(counts).enumerate()
        {
            if smoothing == Smoothing::ExponentialOfOwnLengths {
                orders = index + 1;
            }
            if correct > 0 {
                *precision = 100.0 * correct as f64 / total as f64;
            } else if smoothing != Smoothing::None {
                divisor *= 2.0;
                *precision = 100.0 / (divisor * total as f64);
            }
        }
        let log = |precision: &f64| if *precision > 0.0 { precision.ln() } else { LOG_OF_NOTHING };
        let logs: f64 = precisions.iter().take(orders).map(log).sum();
        BleuScore { value: brevity * (logs / orders as f64).exp(), precisions, brevity }
    }
}

fn split(words: &str) -> Vec<&str> {
    words.split(' ').filter(|word| !word.is_empty()).collect()
}

/// How often each run of so many words stands in a text.
fn runs<'w>(words: &'w [&'w str], order: usize) -> IndexMap<&'w [&'w str], u64> {
    let mut counts = IndexMap::new();
    for run in words.windows(order) {
        *counts.entry(run).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(written: &str, references: &[&str]) -> BleuCounts {
        BleuCounts::of(written, &references.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn figures_are_those_of_sacrebleu() {
        // Each row was run in sacrebleu 2.6.0.
        let own = counted("the cat sat on the mat", &["the cat sat on a mat", "a cat"]);
        assert_eq!((own.correct, own.total), ([5, 3, 2, 1], [6, 5, 4, 3]));
        let found = own.score(Smoothing::Exponential).value;
        assert!((found - 53.728_496_59).abs() < 1e-7, "{found}");
        let short = counted("the cat", &["the cat sat"]);
        let found = short.score(Smoothing::ExponentialOfOwnLengths).value;
        assert!((found - 60.653_065_97).abs() < 1e-7, "{found}");
        assert!(short.score(Smoothing::Exponential).value.abs() < 1e-12);
        assert!(counted("", &["a"]).score(Smoothing::Exponential).value.abs() <= 0.0);
    }
}
