//! `mmbench`: multiple-choice questions that are asked again with their options turned, each right only if all its rows are.
//!
//! The rule is `MMBench`'s `CircularEval` (Liu et al. 2023), as `VLMEvalKit` computes it: rows whose `index` is the same but for millions ask one
//! question. `accuracy` is the share of questions of which every row is right, `vanilla_accuracy` that of the rows below a million,
//! which are the questions as they were written. `VLMEvalKit` and lmms-eval let a judge read what names no option; here predictions
//! are compared as a post-processor leaves them.
//!
//! A run of the first rows alone may have some rows of a question and not the others; its figure is of those that it has.

use indexmap::IndexMap;
use serde_json::Value;

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores,
    acc_with_details::are_equal,
    by_row::Asked,
    row_kinds::{column_of_kinds, rows_by_kind},
};
use crate::config::{Component, ConfigError};

const NAME: &str = "mmbench";

/// How far apart the rows of one question are.
const TURN: i64 = 1_000_000;

/// Shares of questions, also by the kinds of rows.
pub(super) struct MmBench {
    /// The column that names the kind of a row.
    by: Option<String>,
}

impl MmBench {
    /// Reads `by`, the column of kinds, if there is one.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        Ok(Box::new(Self { by: column_of_kinds(component)? }))
    }
}

impl Evaluator for MmBench {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let indices: Vec<i64> = rows
            .iter()
            .enumerate()
            .map(|(place, row)| index(&Asked::new(row, place, NAME)))
            .collect::<Result<_, _>>()?;
        let correct: Vec<bool> =
            rows.iter().map(|row| are_equal(&row.prediction, &row.reference)).collect();
        let all: Vec<usize> = (0..rows.len()).collect();
        let share = |name: &str, places: &[usize]| {
            let mut questions: IndexMap<i64, (usize, bool)> = IndexMap::new();
            for &place in places {
                let question = indices[place].rem_euclid(TURN);
                questions.entry(question).or_insert((place, true)).1 &= correct[place];
            }
            let worth =
                questions.into_values().map(|(row, is_right)| (row, f64::from(u8::from(is_right))));
            Metric::of_questions(name, rows.len(), worth)
        };
        let vanilla = all.iter().map(|&place| (indices[place] < TURN).then_some(correct[place]));
        let mut metrics = vec![
            share("accuracy", &all),
            Metric::of_part("vanilla_accuracy", &vanilla.collect::<Vec<_>>()),
        ];
        if let Some(column) = &self.by {
            for (kind, own) in rows_by_kind(rows, NAME, column)? {
                metrics.push(share(&format!("accuracy_{kind}"), &own));
            }
        }
        Ok(Scores::new(metrics, rows.len()))
    }

    fn accepts(&self, prediction: &Value, reference: &Value) -> Option<bool> {
        Some(are_equal(prediction, reference))
    }
}

/// The number of a row, which may be written as text.
fn index(asked: &Asked<'_>) -> Result<i64, EvaluateError> {
    let found = asked.column("index")?;
    let number = found.as_i64().or_else(|| found.as_str()?.parse().ok());
    number
        .filter(|number| *number >= 0)
        .ok_or_else(|| asked.wrong("index", "a whole number", found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Sample;

    #[test]
    fn a_question_is_right_if_all_its_turns_are() {
        let rows = [
            (Value::from(7), "A", "A", "x"),
            (8.into(), "B", "A", "x"),
            (9.into(), "C", "C", "y"),
            ("1000007".into(), "B", "B", "x"),
            (1_000_009.into(), "A", "C", "y"),
            (2_000_007.into(), "C", "C", "x"),
            (1_000_010.into(), "D", "D", "y"),
        ];
        let samples: Vec<Sample> = rows
            .iter()
            .map(|(index, .., kind)| {
                Sample::new(vec![("index".into(), index.clone()), ("kind".into(), (*kind).into())])
            })
            .collect();
        let asked: Vec<Row<'_>> = rows
            .iter()
            .zip(&samples)
            .map(|((_, answer, gold, _), sample)| Row {
                prediction: (*answer).into(),
                reference: (*gold).into(),
                sample: Some(sample),
                ..Row::default()
            })
            .collect();
        let found = MmBench { by: Some("kind".to_owned()) }.evaluate(&asked).unwrap();
        let figures: Vec<(&str, f64, usize)> = found
            .metrics
            .iter()
            .map(|own| (own.name.as_str(), own.value.round(), own.samples(rows.len())))
            .collect();
        assert_eq!(
            figures,
            [
                ("accuracy", 50.0, 4),
                ("vanilla_accuracy", 67.0, 3),
                ("accuracy_x", 50.0, 2),
                ("accuracy_y", 50.0, 2),
            ]
        );
    }

    #[test]
    fn a_row_without_a_number_is_an_error() {
        for index in [Value::from("a"), Value::from(-1), Value::Null] {
            let sample = Sample::new(vec![("index".into(), index)]);
            let row = Row { sample: Some(&sample), ..Row::default() };
            let error = MmBench { by: None }.evaluate(&[row]).unwrap_err().to_string();
            assert!(error.contains("needs a whole number, but index is"), "{error}");
        }
    }
}
