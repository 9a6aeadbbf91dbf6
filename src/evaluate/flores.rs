//! `pmmeval_flores`: BLEU of translations into many languages, of the lines of an answer that fit best.
//!
//! A prediction is a pair: what was written, and the language that it should be in. Models say more than
//! the translation, so of all runs of consecutive lines the one with the highest BLEU is taken.

use serde_json::Value;

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores, Unit,
    by_row::{Asked, rounded},
};
use crate::{
    python::blank::strip,
    translation::{BleuCounts, Script, Smoothing, words_13a},
};

/// The corpus BLEU of the best lines, rounded to two places.
pub(super) struct Flores;

impl Evaluator for Flores {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut sum = BleuCounts::default();
        let mut scores = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "pmmeval_flores");
            let (written, language) = pair(&row.prediction).ok_or_else(|| {
                let expected =
                    "a text and a language, which the post-processor pmmeval_flores makes";
                asked.wrong("the prediction", expected, &row.prediction)
            })?;
            let script = Script::of(language);
            // A reference is cut twice, and so is what is compared with it.
            let references = [words_13a(&line_words(asked.reference()?, script))];
            let (value, best) = best_lines(written, script, &references);
            sum.add(&best);
            scores.push(value);
        }
        let value = rounded(sum.score(Smoothing::None).value, 2);
        let value = if rows.is_empty() { f64::NAN } else { value };
        Ok(Scores::new(
            vec![Metric { scores, ..Metric::of_all("BLEU", Unit::Number, value) }],
            rows.len(),
        ))
    }
}

fn pair(prediction: &Value) -> Option<(&str, &str)> {
    match prediction.as_array()?.as_slice() {
        [written, language] => Some((written.as_str()?, language.as_str()?)),
        _ => None,
    }
}

/// The BLEU and the counts of the run of lines that fits best; the first of those that fit as well.
fn best_lines(written: &str, script: Script, references: &[String]) -> (f64, BleuCounts) {
    let lines = written.split('\n').map(strip).filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.map(|line| line_words(line, script)).collect();
    let mut best: Option<(f64, BleuCounts)> = None;
    for first in 0..lines.len() {
        for last in first..lines.len() {
            let counts = BleuCounts::of(&words_13a(&lines[first..=last].join(" ")), references);
            let value = counts.score(Smoothing::ExponentialOfOwnLengths).value;
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                best = Some((value, counts));
            }
        }
    }
    best.unwrap_or_else(|| (0.0, BleuCounts::of("", references)))
}

/// The words of a text whose empty lines are left out.
fn line_words(text: &str, script: Script) -> String {
    let lines: Vec<&str> = text.split('\n').map(strip).filter(|line| !line.is_empty()).collect();
    words_13a(&script.separated(&lines.join("\n")))
}
