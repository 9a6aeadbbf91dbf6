//! `relaxed_accuracy`: numbers within five per cent of the gold, all else equal to it in any case.
//!
//! The formula is that of Masry et al. 2022 (`ChartQA`, section 5.1) as pix2struct has published it; Qwen-VL, lmms-eval and
//! `VLMEvalKit` repeat that code. A number is what Python's `float` reads, so one with commas between its digits is text. A per cent
//! sign at the end divides by a hundred on either side: `50%` is `0.5`, and not `50`. A gold of zero is compared as text.
//! Blanks around an answer are dropped first, as `VLMEvalKit` does.

use serde_json::{Map, Value};

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores,
    by_row::Asked,
    row_kinds::{column_of_kinds, rows_by_kind},
};
use crate::{
    config::{Component, ConfigError},
    python::{blank::strip, parse_float},
};

const NAME: &str = "relaxed_accuracy";

/// How far a number may be from the gold, as a share of the gold.
const MOST_RELATIVE_CHANGE: f64 = 0.05;

/// The share of answers that are near one of the golds, also by the kinds of rows.
pub(super) struct RelaxedAccuracy {
    /// The column that names the kind of a row.
    by: Option<String>,
}

impl RelaxedAccuracy {
    /// Reads `by`, the column of kinds, if there is one.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        Ok(Box::new(Self { by: column_of_kinds(component)? }))
    }
}

impl Evaluator for RelaxedAccuracy {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut correct, mut details) = (Vec::new(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, NAME);
            let answer = strip(asked.prediction()?);
            let golds = asked.texts()?;
            if golds.is_empty() {
                return Err(asked.unreadable_reference("an accepted answer"));
            }
            let is_right = golds.iter().any(|gold| is_near(answer, gold));
            correct.push(is_right);
            details.push(Map::from_iter([
                ("pred".to_owned(), Value::from(answer)),
                ("answer".to_owned(), row.reference.clone()),
                ("correct".to_owned(), is_right.into()),
            ]));
        }
        let mut metrics = vec![Metric::of_shares(NAME, &correct)];
        if let Some(column) = &self.by {
            for (kind, own) in rows_by_kind(rows, NAME, column)? {
                let mut part = vec![None; rows.len()];
                for place in own {
                    part[place] = Some(correct[place]);
                }
                metrics.push(Metric::of_part(&format!("{NAME}_{kind}"), &part));
            }
        }
        Ok(Scores::new(metrics, rows.len()).with_details(details))
    }
}

/// Whether an answer is the gold: near it as a number, or equal to it as a text.
fn is_near(answer: &str, gold: &str) -> bool {
    match (number(answer), number(gold)) {
        (Some(answer), Some(gold)) if gold != 0.0 => {
            (answer - gold).abs() / gold.abs() <= MOST_RELATIVE_CHANGE
        }
        _ => answer.to_lowercase() == gold.to_lowercase(),
    }
}

/// The number that a text is, a hundredth of it where a per cent sign is behind it.
fn number(text: &str) -> Option<f64> {
    if text.ends_with('%') {
        return parse_float(text.trim_end_matches('%')).map(|number| number / 100.0);
    }
    parse_float(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dataset::Sample;

    fn scores(by: Option<&str>, rows: &[Row<'_>]) -> Scores {
        RelaxedAccuracy { by: by.map(str::to_owned) }.evaluate(rows).unwrap()
    }

    #[test]
    fn answers_are_right_where_the_published_code_says_so() {
        for (answer, golds, is_right) in [
            ("105", json!("100"), true),
            ("106", json!("100"), false),
            ("95.0", json!(["100"]), true),
            ("-3.1", json!("-3"), true),
            ("3", json!("-3"), false),
            ("50%", json!("0.5"), true),
            ("50%", json!("50"), false),
            ("50", json!("50%"), false),
            ("52.4%", json!("50%"), true),
            // Five per cent in decimals, and a little more in binary.
            ("52.5%", json!("50%"), false),
            ("50 %", json!("50%"), true),
            ("50%%", json!("0.5"), true),
            // Commas make it text, which has to be the same.
            ("1,000", json!("1000"), false),
            ("1,000", json!("1,000"), true),
            ("1_000", json!("1000"), true),
            // There is no share of zero.
            ("0", json!("0"), true),
            ("0.0", json!("0"), false),
            ("0", json!("0.0001"), false),
            ("", json!("0"), false),
            ("", json!(""), true),
            ("Ja", json!(["nein", "JA"]), true),
            (" Blue\n", json!("blue"), true),
            ("blue.", json!("blue"), false),
            ("٣", json!("3"), true),
            ("−3", json!("-3"), false),
            ("1e2", json!("100"), true),
            ("nan", json!("nan"), false),
            ("inf", json!("100"), false),
            ("2019", json!("2010"), true),
        ] {
            let rows = Row::zip(vec![answer.into()], vec![golds.clone()]).unwrap();
            let found = scores(None, &rows).metrics[0].scores[0] > 0.5;
            assert_eq!(found, is_right, "{answer:?} {golds}");
        }
    }

    #[test]
    fn kinds_of_rows_have_figures_of_their_own() {
        let rows = [("1", "human_test"), ("2", "human_test"), ("1", "augmented_test")];
        let samples =
            rows.map(|(_, kind)| Sample::new(vec![("type".to_owned(), Value::from(kind))]));
        let asked: Vec<Row<'_>> = rows
            .iter()
            .zip(&samples)
            .map(|((answer, _), sample)| Row {
                prediction: (*answer).into(),
                reference: "1".into(),
                sample: Some(sample),
                ..Row::default()
            })
            .collect();
        let found = scores(Some("type"), &asked);
        let figures: Vec<(&str, f64, usize)> = found
            .metrics
            .iter()
            .map(|metric| (metric.name.as_str(), metric.value.round(), metric.samples(3)))
            .collect();
        assert_eq!(
            figures,
            [
                ("relaxed_accuracy", 67.0, 3),
                ("relaxed_accuracy_human_test", 50.0, 2),
                ("relaxed_accuracy_augmented_test", 100.0, 1),
            ]
        );
    }

    #[test]
    fn a_row_without_a_gold_is_an_error() {
        let rows = Row::zip(vec!["1".into()], vec![json!([])]).unwrap();
        assert!(RelaxedAccuracy { by: None }.evaluate(&rows).is_err());
    }
}
