//! `ocrbench`: texts in images that an answer contains: a point each, by kind and in all.
//!
//! Points are those of Liu et al. 2024 (`OCRBench`) and of `VLMEvalKit`: an answer that contains one of the golds, both in lower case
//! with blanks for line breaks, has a point. Of handwritten formulas case counts, and blanks do not. lmms-eval lowers the case of the answer
//! there and not of the gold, so a formula with a capital is never right; that is not repeated. An empty gold is contained in any answer.
//!
//! The whole benchmark has 1000 questions and so 1000 points. Of fewer rows there are fewer; `accuracy` is their share.

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores,
    by_row::Asked,
    row_kinds::{column_of_kinds, rows_by_kind},
};
use crate::{
    config::{Component, ConfigError},
    python::blank::strip,
};

const NAME: &str = "ocrbench";

/// The column of kinds in `lmms-lab/OCRBench` and `echo840/OCRBench`; `VLMEvalKit`'s is `category`.
const USUAL_COLUMN: &str = "question_type";

/// The kind that is compared without blanks.
const FORMULAS: &str = "Handwritten Mathematical Expression Recognition";

/// All kinds, in the order in which they are published; the first are `Text Recognition` together.
const KINDS: [&str; 10] = [
    "Regular Text Recognition",
    "Irregular Text Recognition",
    "Artistic Text Recognition",
    "Handwriting Recognition",
    "Digit String Recognition",
    "Non-Semantic Text Recognition",
    "Scene Text-centric VQA",
    "Doc-oriented VQA",
    "Key Information Extraction",
    FORMULAS,
];

/// How many of [`KINDS`] recognise text.
const RECOGNITION: usize = 6;

/// The share of answers that contain a gold, and the points of each kind.
pub(super) struct OcrBench {
    /// The column that names the kind of a row.
    by: String,
}

impl OcrBench {
    /// Reads `by`, the column of kinds: `question_type` without it.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let by = column_of_kinds(component)?.unwrap_or_else(|| USUAL_COLUMN.to_owned());
        Ok(Box::new(Self { by }))
    }
}

impl Evaluator for OcrBench {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let kinds = rows_by_kind(rows, NAME, &self.by)?;
        let mut kind_of = vec![""; rows.len()];
        for (kind, places) in &kinds {
            for &place in places {
                kind_of[place] = kind;
            }
        }
        let (mut correct, mut details) = (Vec::new(), Vec::new());
        for (index, (row, &kind)) in rows.iter().zip(&kind_of).enumerate() {
            let asked = Asked::new(row, index, NAME);
            if !KINDS.contains(&kind) {
                let what = "one of the ten kinds of OCRBench as the row's kind";
                return Err(asked.wrong("it", what, &kind.into()));
            }
            let is_right = contains(kind, asked.prediction()?, &golds(&asked)?);
            correct.push(is_right);
            details.push(serde_json::Map::from_iter([
                ("pred".to_owned(), row.prediction.clone()),
                ("answer".to_owned(), row.reference.clone()),
                ("correct".to_owned(), is_right.into()),
            ]));
        }
        let mut metrics = vec![
            Metric::of_shares("accuracy", &correct),
            Metric::count("Final Score", correct.iter().filter(|is_right| **is_right).count()),
        ];
        let (recognition, others) = KINDS.split_at(RECOGNITION);
        let points = |name: &str, kinds: &[&str]| {
            let rows = kind_of.iter().zip(&correct);
            let part = rows.map(|(kind, is_right)| kinds.contains(kind).then_some(*is_right));
            let part: Vec<Option<bool>> = part.collect();
            part.iter().any(Option::is_some).then(|| Metric::count_of_part(name, &part))
        };
        metrics.extend(points("Text Recognition", recognition));
        for kind in others.iter().chain(recognition) {
            metrics.extend(points(kind, &[kind]));
        }
        Ok(Scores::new(metrics, rows.len()).with_details(details))
    }
}

fn golds<'r>(asked: &Asked<'r>) -> Result<Vec<&'r str>, EvaluateError> {
    let golds = asked.texts()?;
    if golds.is_empty() {
        return Err(asked.unreadable_reference("an accepted answer"));
    }
    Ok(golds)
}

/// Whether an answer contains one of the golds, as its kind compares them.
fn contains(kind: &str, answer: &str, golds: &[&str]) -> bool {
    let shown = |text: &str| {
        if kind == FORMULAS {
            strip(text).replace(['\n', ' '], "")
        } else {
            strip(&text.to_lowercase()).replace('\n', " ")
        }
    };
    let answer = shown(answer);
    golds.iter().any(|gold| answer.contains(&shown(gold)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::dataset::Sample;

    fn scores(rows: &[(&str, Value, &str)]) -> Result<Scores, EvaluateError> {
        let samples: Vec<Sample> = rows
            .iter()
            .map(|(.., kind)| Sample::new(vec![(USUAL_COLUMN.to_owned(), Value::from(*kind))]))
            .collect();
        let rows: Vec<Row<'_>> = rows
            .iter()
            .zip(&samples)
            .map(|((answer, golds, _), sample)| Row {
                prediction: (*answer).into(),
                reference: golds.clone(),
                sample: Some(sample),
                ..Row::default()
            })
            .collect();
        OcrBench { by: USUAL_COLUMN.to_owned() }.evaluate(&rows)
    }

    #[test]
    fn golds_are_found_as_the_published_code_finds_them() {
        let (text, formula) = (KINDS[0], FORMULAS);
        for (kind, answer, golds, expected) in [
            (text, "The sign says STOP.", json!(["stop"]), 1.0),
            (text, "st op", json!(["stop"]), 0.0),
            (text, "a\nb", json!("A b"), 1.0),
            (text, "", json!(["x"]), 0.0),
            (text, "", json!([""]), 1.0),
            (text, "zwei", json!(["one", "ZWEI"]), 1.0),
            (text, "ÄPFEL", json!(["äpfel"]), 1.0),
            (text, "-12%", json!(["12%"]), 1.0),
            (formula, "$x ^ { 2 } + Y$", json!(["x^{2}\n+Y"]), 1.0),
            (formula, "x+y", json!(["x+Y"]), 0.0),
            (formula, "x\t+y", json!(["x+y"]), 0.0),
        ] {
            let found = scores(&[(answer, golds.clone(), kind)]).unwrap();
            assert_eq!(found.metrics[0].scores, [expected], "{kind}: {answer:?} {golds}");
        }
    }

    #[test]
    fn points_are_summed_by_kind() {
        let found = scores(&[
            ("a", json!(["a"]), KINDS[0]),
            ("b", json!(["b"]), KINDS[4]),
            ("c", json!(["d"]), KINDS[4]),
            ("e", json!(["e"]), "Doc-oriented VQA"),
            ("f", json!(["g"]), FORMULAS),
        ]);
        let metrics = found.unwrap().metrics;
        let figures: Vec<(&str, f64)> =
            metrics.iter().map(|metric| (metric.name.as_str(), metric.value)).collect();
        assert_eq!(
            figures,
            [
                ("accuracy", 60.0),
                ("Final Score", 3.0),
                ("Text Recognition", 2.0),
                ("Doc-oriented VQA", 1.0),
                (FORMULAS, 0.0),
                ("Regular Text Recognition", 1.0),
                ("Digit String Recognition", 1.0),
            ]
        );
        let rows = |place: usize| metrics[place].samples(5);
        assert_eq!([rows(0), rows(2), rows(3), rows(6)], [5, 3, 1, 2]);
    }

    #[test]
    fn what_is_no_kind_of_the_benchmark_is_an_error() {
        let error = scores(&[("a", json!(["a"]), "Poetry")]).unwrap_err().to_string();
        assert!(error.contains("row 0") && error.contains("Poetry"), "{error}");
        let error = scores(&[("a", json!([]), KINDS[0])]).unwrap_err().to_string();
        assert!(error.contains("an accepted answer"), "{error}");
    }
}
