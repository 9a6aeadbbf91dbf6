//! ROUGE over words between blanks, as the packages `rouge` and `rouge_chinese` count.
//!
//! Both divide a text into sentences first, and both count each word or pair of words once. They differ
//! in what ends a sentence and in the longest common subsequence: `rouge` takes the words of all
//! subsequences between any two sentences, `rouge_chinese` one subsequence over the whole text. The
//! package `rouge` gives up where two sentences have about a thousand words; here they are compared.

use std::{collections::HashSet, sync::LazyLock};

use super::common_subsequence::{OnTie, common_length, common_places};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::is_blank,
};

/// What keeps a harmonic mean of nothing from being undefined.
const NOTHING: f64 = 1e-8;

/// The three figures of a text against a reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChineseRouge {
    /// F of words.
    pub(super) words: f64,
    /// F of pairs of words.
    pub(super) pairs: f64,
    /// F of the longest common subsequence.
    pub(super) longest: f64,
}

/// A text in sentences; a sentence of blanks alone is an empty word.
struct Sentences(Vec<String>);

/// `rouge-l` of the package `rouge`; nothing where one of the texts has no sentence.
pub(super) fn rouge_l(written: &str, reference: &str) -> Option<f64> {
    let written = Sentences::of(written.split('.'))?;
    let reference = Sentences::of(reference.split('.'))?;
    let mut common: HashSet<&str> = HashSet::new();
    for expected in &reference.0 {
        let expected: Vec<&str> = expected.split(' ').collect();
        for sentence in &written.0 {
            let words: Vec<&str> = sentence.split(' ').collect();
            let places = common_places(&expected, &words, OnTie::ShortenRight);
            common.extend(places.into_iter().filter_map(|place| expected.get(place)));
        }
    }
    let distinct = |sentences: &Sentences| sentences.words().collect::<HashSet<_>>().len();
    Some(f_measure(common.len(), distinct(&written), distinct(&reference)))
}

/// The figures of the package `rouge_chinese`; nothing where one of the texts has no sentence.
pub(super) fn chinese_rouge(
    written: &str,
    reference: &str,
) -> Result<Option<ChineseRouge>, PatternError> {
    let (written, reference) = (chinese_sentences(written)?, chinese_sentences(reference)?);
    let sentences = Sentences::of(written.split('\n')).zip(Sentences::of(reference.split('\n')));
    Ok(sentences.map(|(written, reference)| {
        let own: Vec<&str> = written.words().collect();
        let other: Vec<&str> = reference.words().collect();
        ChineseRouge {
            words: ngram_f(&own, &other, 1),
            pairs: ngram_f(&own, &other, 2),
            longest: f_measure(common_length(&other, &own), own.len(), other.len()),
        }
    }))
}

/// A text with each sentence on a line.
fn chinese_sentences(text: &str) -> Result<String, PatternError> {
    static ENDS: LazyLock<[PythonRegex; 4]> = LazyLock::new(|| {
        [
            r"([。！？?])([^”’])",
            r"(\.{6})([^”’])",
            r"(…{2})([^”’])",
            r"([。！？?][”’])([^，。！？?])",
        ]
        .map(PythonRegex::constant)
    });
    let mut text = text.to_owned();
    for end in ENDS.iter() {
        text = end.replace_by(&text, |captures| {
            let group = |number| captures.get(number).map_or("", |found| found.as_str());
            format!("{}\n{}", group(1), group(2))
        })?;
    }
    text.truncate(text.trim_end_matches(is_blank).len());
    Ok(text)
}

impl Sentences {
    /// Those that are not empty, with single blanks between words; nothing without one.
    fn of<'t>(sentences: impl Iterator<Item = &'t str>) -> Option<Self> {
        let one_blank = |text: &str| {
            let words: Vec<&str> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
            words.join(" ")
        };
        let sentences: Vec<String> =
            sentences.filter(|sentence| !sentence.is_empty()).map(one_blank).collect();
        (!sentences.is_empty()).then_some(Self(sentences))
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|sentence| sentence.split(' '))
    }
}

fn ngram_f(own: &[&str], other: &[&str], length: usize) -> f64 {
    let own: HashSet<&[&str]> = own.windows(length).collect();
    let other: HashSet<&[&str]> = other.windows(length).collect();
    f_measure(own.intersection(&other).count(), own.len(), other.len())
}

fn f_measure(common: usize, own: usize, other: usize) -> f64 {
    let share = |of: usize| if of == 0 { 0.0 } else { common as f64 / of as f64 };
    let (precision, recall) = (share(own), share(other));
    2.0 * ((precision * recall) / (precision + recall + NOTHING))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_as_in_the_packages() {
        // Each row was run in rouge 1.0.1.
        let rows = [
            ("a b. c d", "c d. a b", Some(0.999_999_995)),
            ("a . b", "b a", Some(0.999_999_995)),
            ("...", "a", None),
            (" ", "a", Some(0.0)),
        ];
        for (written, reference, expected) in rows {
            match (rouge_l(written, reference), expected) {
                (Some(found), Some(expected)) => {
                    assert!((found - expected).abs() < 1e-12, "{written}: {found}");
                }
                (found, expected) => assert_eq!(found, expected, "{written}"),
            }
        }
        assert_eq!(
            chinese_sentences("好。”吗？不…… 六......七 \n").unwrap(),
            "好。”\n吗？\n不……\n 六......\n七"
        );
    }
}
