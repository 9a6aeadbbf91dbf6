//! `opi`: what proteins are and do, by the task that the answers belong to.

use std::{collections::HashSet, sync::LazyLock};

use serde::Deserialize;

use super::{
    super::{
        EvaluateError, Evaluator, Metric, Row, Scores, Unit,
        by_row::{Asked, rounded},
        confusion::ratio,
        rouge::stemmed_rouge_l,
    },
    answer::first_text,
};
use crate::{
    config::{Component, ConfigError},
    postprocess::{PatternError, PythonRegex},
    python::blank::strip,
};

/// To how many places figures are rounded.
const PLACES: u32 = 4;

/// Tasks whose answers are lists of labels.
const LABELLED: [&str; 6] =
    ["EC_number", "GO", "Keywords", "gSymbol2Tissue", "gSymbol2Cancer", "gName2Cancer"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    task: String,
}

/// How the answers of a task are compared.
pub(in super::super) enum Opi {
    /// ROUGE-L of descriptions.
    Description,
    /// The same text.
    Same,
    /// The same text in any case.
    SameInAnyCase,
    /// Precision, recall and F1 of labels.
    Labels,
}

impl Opi {
    /// Reads `task`; one that is not known is compared as text, as in the original.
    pub(in super::super) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Parameters { task } = component.read()?;
        Ok(Box::new(match task.as_str() {
            "Function" => Self::Description,
            "Subcellular_localization" | "Fold_type" => Self::Same,
            task if LABELLED.contains(&task) => Self::Labels,
            _ => Self::SameInAnyCase,
        }))
    }

    fn labels(rows: &[Row<'_>]) -> Result<Vec<Metric>, EvaluateError> {
        let [mut precisions, mut recalls, mut f1s] = <[Vec<f64>; 3]>::default();
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "opi");
            let (given, meant) = pair(&asked)?;
            let labels = |text| labels(text).map_err(|error| asked.failed(error));
            let (given, meant) = (labels(given)?, labels(meant)?);
            // Without a gold there is nothing to find.
            let part = |value| if meant.is_empty() { f64::NAN } else { value };
            let common = given.intersection(&meant).count() as f64;
            let (own, other) = (given.len() as f64, meant.len() as f64);
            precisions.push(part(ratio(common, own)));
            recalls.push(part(ratio(common, other)));
            f1s.push(part(ratio(2.0 * common, own + other)));
        }
        Ok(vec![mean("Precision", precisions), mean("Recall", recalls), mean("F1 Score", f1s)])
    }
}

impl Evaluator for Opi {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let by_row = |name, worth: fn(&str, &str) -> f64| {
            let scores = rows.iter().enumerate().map(|(index, row)| {
                let (given, meant) = pair(&Asked::new(row, index, "opi"))?;
                Ok(worth(given, meant))
            });
            Ok::<_, EvaluateError>(vec![mean(name, scores.collect::<Result<_, EvaluateError>>()?)])
        };
        let metrics = match self {
            Self::Description => by_row("ROUGE-L", stemmed_rouge_l),
            Self::Same => by_row("Accuracy", |given, meant| f64::from(u8::from(given == meant))),
            Self::SameInAnyCase => by_row("Accuracy", |given, meant| {
                f64::from(u8::from(given.to_lowercase() == meant.to_lowercase()))
            }),
            Self::Labels => Self::labels(rows),
        }?;
        Ok(Scores::new(metrics, rows.len()))
    }
}

/// Answer and gold without blanks around them.
fn pair<'r>(asked: &Asked<'r>) -> Result<(&'r str, &'r str), EvaluateError> {
    let Asked { row, .. } = *asked;
    let given = first_text(asked, "the prediction", &row.prediction)?;
    Ok((strip(given), strip(first_text(asked, "the reference", &row.reference)?)))
}

/// The labels between commas and semicolons.
fn labels(text: &str) -> Result<HashSet<&str>, PatternError> {
    static MARKS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"[;,，；]\s*"));
    let labels = MARKS.split(text)?.into_iter().map(strip);
    Ok(labels.filter(|label| !label.is_empty()).collect())
}

/// A mean from 0 to 1, rounded; 0 where no row has a part in it.
fn mean(name: &str, scores: Vec<f64>) -> Metric {
    let metric = Metric::of_numbers(name, Unit::Number, scores);
    let value = if metric.value.is_nan() { 0.0 } else { rounded(metric.value, PLACES) };
    Metric { value, ..metric }
}
