//! `rouge`: English words that a summary shares with its reference, as the package `rouge_score` counts.
//!
//! The figure of each kind is not the mean over the samples but the middle of the means of a thousand
//! resamples, because that is what the package's aggregation reports. All kinds draw from one stream of
//! random numbers, so their order is part of the definition.

use std::collections::HashMap;

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores,
    by_row::Asked,
    common_subsequence::{OnTie, common_length, common_places},
    porter_stem::stem,
};
use crate::{
    config::{Component, ConfigError},
    python::NumpyRandom,
};

/// The kinds, in the order in which they draw.
const KINDS: [&str; 4] = ["rouge1", "rouge2", "rougeL", "rougeLsum"];

/// How many resamples are drawn for each kind.
const RESAMPLES: usize = 1000;

/// Words up to this length have no ending that is taken off.
const SHORTEST_STEMMED: usize = 3;

/// F of words, of pairs of words, and of the longest common subsequence over the text and over its lines.
pub(super) struct Rouge;

impl Rouge {
    /// The same for a `task` of proteins, of which nothing depends.
    pub(super) fn of_proteins(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let mut component = component.clone();
        component.params.remove("task");
        super::registry::plain(&component, Self)
    }
}

impl Evaluator for Rouge {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut scores = [const { Vec::new() }; 4];
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "rouge");
            let prediction = Summary::of(asked.prediction()?);
            let references = asked.texts()?;
            if references.is_empty() {
                return Err(asked.unreadable_reference("a text or a list of them"));
            }
            let mut best = [0.0_f64; 4];
            for reference in references {
                let own = prediction.against(&Summary::of(reference));
                for (best, own) in best.iter_mut().zip(own) {
                    *best = best.max(own);
                }
            }
            for (scores, best) in scores.iter_mut().zip(best) {
                scores.push(best);
            }
        }
        let mut random = NumpyRandom::from_seed(0);
        let metric = |(kind, scores): (&str, Vec<f64>)| {
            let value = 100.0 * middle_of_means(&scores, &mut random);
            Metric { value, ..Metric::of_grades(kind, scores) }
        };
        let metrics = KINDS.into_iter().zip(scores).map(metric).collect();
        Ok(Scores::new(metrics, rows.len()))
    }
}

/// ROUGE-L of stems, from 0 to 1.
pub(super) fn stemmed_rouge_l(written: &str, reference: &str) -> f64 {
    let stems = |text: &str| -> Vec<String> {
        let stem = |word: String| if word.len() > SHORTEST_STEMMED { stem(&word) } else { word };
        words(text).into_iter().map(stem).collect()
    };
    let (own, other) = (stems(written), stems(reference));
    f_measure(common_length(&other, &own), own.len(), other.len())
}

/// The median of the means of resamples of the same size.
fn middle_of_means(scores: &[f64], random: &mut NumpyRandom) -> f64 {
    if scores.is_empty() {
        return f64::NAN;
    }
    let mean = |_| {
        let drawn = random.draw(scores.len(), scores.len());
        drawn.iter().filter_map(|&place| scores.get(place)).sum::<f64>() / scores.len() as f64
    };
    let mut means: Vec<f64> = (0..RESAMPLES).map(mean).collect();
    means.sort_by(f64::total_cmp);
    let (low, high) = (means[RESAMPLES / 2 - 1], means[RESAMPLES / 2]);
    low + (high - low) * 0.5
}

/// The words of a text.
struct Summary {
    words: Vec<String>,
    lines: Vec<Vec<String>>,
}

impl Summary {
    fn of(text: &str) -> Self {
        let lines = text.split('\n').filter(|line| !line.is_empty()).map(words).collect();
        Self { words: words(text), lines }
    }

    /// The F of each kind, this text being the one that was written.
    fn against(&self, reference: &Self) -> [f64; 4] {
        let (own, other) = (&self.words, &reference.words);
        [
            ngram_f(own, other, 1),
            ngram_f(own, other, 2),
            f_measure(common_length(other, own), own.len(), other.len()),
            self.line_f(reference),
        ]
    }

    /// Of each line of the reference, the words that it has in common with any line of the text.
    fn line_f(&self, reference: &Self) -> f64 {
        let mut own = counts(self.lines.iter().flatten());
        let mut other = counts(reference.lines.iter().flatten());
        let total = |counts: &HashMap<&str, usize>| counts.values().sum::<usize>();
        let (own_total, other_total) = (total(&own), total(&other));
        let mut hits = 0;
        for line in &reference.lines {
            let mut is_common = vec![false; line.len()];
            for written in &self.lines {
                for place in common_places(line, written, OnTie::ShortenLeft) {
                    is_common[place] = true;
                }
            }
            let common = line.iter().zip(is_common).filter(|(_, is_common)| *is_common);
            for (word, _) in common {
                let left = own.get_mut(word.as_str()).zip(other.get_mut(word.as_str()));
                if let Some((own, other)) = left.filter(|(own, other)| **own > 0 && **other > 0) {
                    *own -= 1;
                    *other -= 1;
                    hits += 1;
                }
            }
        }
        f_measure(hits, own_total, other_total)
    }
}

/// Runs of ASCII letters and digits, in lower case.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    lower.split(|c| !is_letter(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn counts<'w>(words: impl Iterator<Item = &'w String>) -> HashMap<&'w str, usize> {
    let mut counts = HashMap::new();
    for word in words {
        *counts.entry(word.as_str()).or_default() += 1;
    }
    counts
}

/// F of runs of `length` words, each counted as often as both sides have it.
fn ngram_f(own: &[String], other: &[String], length: usize) -> f64 {
    let mut left: HashMap<&[String], usize> = HashMap::new();
    for ngram in other.windows(length) {
        *left.entry(ngram).or_default() += 1;
    }
    let mut common = 0;
    for ngram in own.windows(length) {
        if let Some(count) = left.get_mut(ngram).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    let ngrams = |words: &[String]| (words.len() + 1).saturating_sub(length);
    f_measure(common, ngrams(own), ngrams(other))
}

/// The harmonic mean of the shares that `common` is of both; 0 where one of them is nothing.
fn f_measure(common: usize, own: usize, other: usize) -> f64 {
    if common == 0 {
        return 0.0;
    }
    let (precision, recall) = (common as f64 / own as f64, common as f64 / other as f64);
    2.0 * precision * recall / (precision + recall)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_that_of_the_package() {
        // Each row was run in rouge_score 0.1.2.
        let rows = [
            ("The cat\nsat on it", "the cat sat", [0.75, 2.0 / 3.0, 0.75, 0.75]),
            ("a b\nc d", "c d\na b", [1.0, 2.0 / 3.0, 0.5, 1.0]),
            ("é!", "word", [0.0; 4]),
        ];
        for (written, reference, expected) in rows {
            let found = Summary::of(written).against(&Summary::of(reference));
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{written}: {found}, not {expected}");
            }
        }
    }
}
