//! Replies that end in a number: points of an exam, or the value that an answer gives.

use std::sync::LazyLock;

use serde_json::{Map, json};

use super::{Judged, marks::failed, rules::JudgeRule};
use crate::{
    evaluate::{EvaluateError, Metric, Results, Scores, Unit, by_row::rounded},
    postprocess::PythonRegex,
    python::parse_float,
};

/// What the number of a reply is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    /// The share of an exam's points, in tags or a box.
    ChemExam,
    /// The value that the judge reads out of an answer, to be near the gold.
    Value,
}

static TAGGED: LazyLock<PythonRegex> = LazyLock::new(|| {
    PythonRegex::constant(r"(?:<NUMBER>\s*|\\boxed\{)\s*(-?\d*\.?\d+)\s*(?:</NUMBER>|\})")
});
static FIRST: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"[-+]?\d*\.\d+|\d+\.\d*|\d+"));

impl JudgeRule for Number {
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        match self {
            Self::ChemExam => points(judged),
            Self::Value => distances(judged),
        }
    }

    fn notes_replies(&self) -> bool {
        false
    }
}

fn points(judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
    let mut shares = Vec::with_capacity(judged.len());
    let mut details = Vec::with_capacity(judged.len());
    for (index, one) in judged.iter().enumerate() {
        let text = one.text();
        let share = TAGGED.last(&text).map_err(failed(one.row))?.and_then(parse_float);
        // Without a number it is a whole 0 in the file.
        let noted = share.map_or_else(|| json!(0), |share| json!(share));
        shares.push(share.unwrap_or_default());
        details.push(Map::from_iter([
            ("id".to_owned(), json!(index.to_string())),
            ("question".to_owned(), one.column("prompt")),
            ("origin_prompt".to_owned(), one.field("origin_prompt")),
            ("prediction".to_owned(), json!(text)),
            ("gold".to_owned(), one.column("output")),
            ("score".to_owned(), noted),
            ("has_img".to_owned(), one.column("has_img")),
        ]));
    }
    let sum: f64 = shares.iter().sum();
    let mut metric = Metric::of_grades("final_score", shares);
    metric.value = rounded(100.0 * sum / judged.len() as f64, 2);
    let scores = Scores { metrics: vec![metric], samples: judged.len(), details: Some(details) };
    Ok(Results::of(scores))
}

fn distances(judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
    let mut errors = Vec::with_capacity(judged.len());
    let mut details = Vec::with_capacity(judged.len());
    for one in judged {
        let reply = one.field("prediction");
        let found = FIRST.first(&one.text()).map_err(failed(one.row))?.and_then(parse_float);
        let value = found.unwrap_or_default();
        // A gold of 0 or False is not in a judge's file.
        let gold = one.entry.get("gold").cloned().unwrap_or(json!(0));
        let number = gold.as_f64().or_else(|| gold.as_bool().map(|flag| f64::from(u8::from(flag))));
        let number = number.ok_or_else(|| EvaluateError::WrongKind {
            row: one.row,
            evaluator: "numerical",
            what: "the gold answer",
            expected: "a number",
            found: gold.to_string(),
        })?;
        let error = (value - number).abs();
        errors.push(error);
        details.push(Map::from_iter([
            ("pred".to_owned(), json!(value)),
            ("ref".to_owned(), gold),
            ("origin_response".to_owned(), reply),
            ("error".to_owned(), json!(error)),
        ]));
    }
    let mut metric = Metric::of_numbers("mae", Unit::Error, errors);
    if judged.is_empty() {
        metric.value = 0.0;
    }
    let scores = Scores { metrics: vec![metric], samples: judged.len(), details: Some(details) };
    Ok(Results::of(scores))
}
