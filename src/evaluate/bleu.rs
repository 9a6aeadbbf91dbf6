//! `bleu`: runs of up to four words that a translation shares with its references, as sacreBLEU 2.6 counts.
//!
//! The figure is made of counts of the whole corpus and is no mean over samples. What a sample is worth is
//! told beside it: the BLEU of it alone, over as many orders as it has words.

use serde_json::{Map, Value, json};

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked};
use crate::translation::{BleuCounts, BleuScore, Smoothing, trimmed, words_13a};

/// The corpus BLEU with the words of `13a`.
pub(super) struct Bleu;

impl Evaluator for Bleu {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let rows_counts = counts(rows)?;
        let own = |counts: &BleuCounts| counts.score(Smoothing::ExponentialOfOwnLengths).value;
        let scores = rows_counts.iter().map(own).collect();
        let sum = BleuCounts::sum(&rows_counts);
        let BleuScore { value, brevity, .. } = sum.score(Smoothing::Exponential);
        let value = if rows.is_empty() { f64::NAN } else { value };
        let metrics = vec![
            Metric { scores, ..Metric::of_all("score", Unit::Number, value) },
            Metric::of_all("bp", Unit::Number, brevity),
            Metric::of_all("sys_len", Unit::Number, sum.written_words as f64),
            Metric::of_all("ref_len", Unit::Number, sum.reference_words as f64),
        ];
        Ok(Scores::new(metrics, rows.len()))
    }

    fn notes(&self, rows: &[Row<'_>]) -> Result<Map<String, Value>, EvaluateError> {
        let sum = BleuCounts::sum(&counts(rows)?);
        let BleuScore { precisions, .. } = sum.score(Smoothing::Exponential);
        Ok(Map::from_iter([
            ("counts".to_owned(), json!(sum.correct)),
            ("totals".to_owned(), json!(sum.total)),
            ("precisions".to_owned(), json!(precisions)),
        ]))
    }
}

/// The counts of each row, which all have as many references.
fn counts(rows: &[Row<'_>]) -> Result<Vec<BleuCounts>, EvaluateError> {
    let mut references_of_first = None;
    let mut counts = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "bleu");
        let references: Vec<String> =
            asked.texts()?.into_iter().map(|text| words_13a(trimmed(text))).collect();
        let expected = *references_of_first.get_or_insert(references.len());
        if references.is_empty() || references.len() != expected {
            return Err(asked.unreadable_reference("as many references as every row has"));
        }
        counts.push(BleuCounts::of(&words_13a(trimmed(asked.prediction()?)), &references));
    }
    Ok(counts)
}
