//! `needlebench_*`: whether sentences hidden in a long text were found.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, json};

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores,
    by_row::{Asked, ByRow, Grade},
    edit_distance::edit_distance,
};
use crate::{
    config::{Component, ConfigError},
    postprocess::PythonRegex,
    python::blank::strip,
    statistics::Mean,
};

/// How a reference with a keyword is written.
const WITH_KEYWORD: &str = "an answer and its keyword with '*' between them";

/// What an answer without the keyword is worth at most.
const WITHOUT_KEYWORD: f64 = 0.2;

/// The parameters of the first version's `NeedleBenchOriginEvaluator`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    #[serde(default)]
    use_trim: bool,
}

/// The metric for one needle in its first version.
pub(super) fn origin(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
    let use_trim = component.read::<Parameters>()?.use_trim;
    let grade = if use_trim {
        |asked: &Asked<'_>| similarity(asked, true)
    } else {
        |asked: &Asked<'_>| similarity(asked, false)
    };
    Ok(Box::new(ByRow::new("needlebench_origin", grade)))
}

/// Right if the keyword occurs; else a fifth of how like the answer the prediction is, letter by
/// letter without blanks.
fn similarity(asked: &Asked<'_>, use_trim: bool) -> Result<Grade, EvaluateError> {
    let (answer, keyword) = with_keyword(asked)?;
    let raw = asked.prediction()?;
    let mut prediction: Vec<char> = without_blanks(asked, raw)?.chars().collect();
    let answer: Vec<char> = without_blanks(asked, answer)?.chars().collect();
    if use_trim {
        trim(&mut prediction, &answer);
    }
    let distance = edit_distance(&prediction, &answer);
    let longest = prediction.len().max(answer.len());
    let likeness = if longest == 0 { 1.0 } else { 1.0 - distance as f64 / longest as f64 };
    let share = if raw.contains(keyword) { 1.0 } else { WITHOUT_KEYWORD * likeness };
    Ok(Grade::share(share).noted([
        ("pred", json!(String::from_iter(prediction))),
        ("answer", json!(String::from_iter(answer))),
        ("edit_distance", json!(distance)),
        ("score", json!(100.0 * share)),
    ]))
}

/// The metric for one needle in its second version: right if the keyword occurs.
pub(super) fn origin_v2(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (answer, keyword) = with_keyword(asked)?;
    let raw = asked.prediction()?;
    let is_correct = raw.contains(keyword);
    Ok(Grade::of(is_correct).noted([
        ("pred", json!(without_blanks(asked, raw)?)),
        ("answer", json!(without_blanks(asked, answer)?)),
        ("score", json!(if is_correct { 100 } else { 0 })),
    ]))
}

/// The share of the keywords of several needles that occur, in any case.
pub(super) fn multi(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let reference = asked.reference()?;
    let keywords = reference.split_once('*').filter(|(_, rest)| !rest.contains('*'));
    let (_, keywords) = keywords.ok_or_else(|| asked.unreadable_reference(WITH_KEYWORD))?;
    let keywords = keywords.to_lowercase();
    let words: Vec<&str> =
        keywords.split(crate::python::is_blank).filter(|word| !word.is_empty()).collect();
    let prediction = asked.prediction()?.to_lowercase();
    let found = words.iter().filter(|word| prediction.contains(**word)).count();
    let share = if words.is_empty() { 0.0 } else { found as f64 / words.len() as f64 };
    Ok(Grade::share(share).noted([
        ("pred", json!(prediction)),
        ("answer", json!(reference)),
        ("matched_keywords", json!(found)),
        ("score", json!(found as f64 * (100.0 / words.len().max(1) as f64))),
    ]))
}

/// The name of an ancestor equals the reference but for blanks at the ends.
pub(super) fn ancestor(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (asked.prediction()?, asked.reference()?);
    Ok(Grade::compared(prediction, answer, strip(prediction) == strip(answer)))
}

/// Several needles at known depths, each of which is found or not.
///
/// The depths are those of the first reference, and needles at the same depth share a figure, which may
/// so exceed 100.
pub(super) struct Parallel;

impl Evaluator for Parallel {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let evaluator = "needlebench_parallel";
        let wrong = |row: usize| EvaluateError::WrongKind {
            row,
            evaluator,
            what: "the reference",
            expected: "keywords with '*' between them, '#', and a depth for each",
            found: rows.get(row).map(|row| row.reference.to_string()).unwrap_or_default(),
        };
        let first = rows.first().and_then(|row| row.reference.as_str()).ok_or_else(|| wrong(0))?;
        let depths = first.split('#').nth(1).ok_or_else(|| wrong(0))?;
        let depths: Option<Vec<i64>> =
            depths.split('*').map(|depth| strip(depth).parse().ok()).collect();
        let depths = depths.ok_or_else(|| wrong(0))?;
        let mut hits: Vec<(i64, f64)> = Vec::new();
        for &depth in &depths {
            if hits.iter().all(|(known, _)| *known != depth) {
                hits.push((depth, 0.0));
            }
        }
        let mut shares = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let texts = row.prediction.as_str().zip(row.reference.as_str());
            let (prediction, reference) = texts.ok_or_else(|| wrong(index))?;
            let keywords = reference.split('#').next().unwrap_or_default().split('*');
            let mut found = 0_u32;
            for (_, depth) in
                keywords.zip(&depths).filter(|(keyword, _)| prediction.contains(keyword))
            {
                found += 1;
                for (_, score) in hits.iter_mut().filter(|(known, _)| known == depth) {
                    *score += 100.0 / rows.len() as f64;
                }
            }
            shares.push(f64::from(found) / hits.len() as f64);
        }
        let mut metrics = vec![Metric::of_grades("average_score", shares)];
        metrics.extend(hits.into_iter().map(|(depth, value)| {
            let mean = Mean { value, standard_error: None };
            Metric::from_mean(&format!("Depth{depth}"), mean, super::Unit::Percent)
        }));
        let details: Vec<Map<_, _>> = Vec::new();
        Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
    }
}

fn with_keyword<'a>(asked: &'a Asked<'_>) -> Result<(&'a str, &'a str), EvaluateError> {
    let mut parts = asked.reference()?.split('*');
    let answer = parts.next().unwrap_or_default();
    let keyword = parts.next().ok_or_else(|| asked.unreadable_reference(WITH_KEYWORD))?;
    Ok((answer, keyword))
}

fn without_blanks(asked: &Asked<'_>, text: &str) -> Result<String, EvaluateError> {
    static BLANKS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\s+"));
    BLANKS.replace(text, "").map_err(|error| asked.failed(error))
}

/// Cuts a prediction to about the length of the answer: at the answer's last letter where that stands
/// between 80 and 120 % of the length, else at 120 %.
fn trim(prediction: &mut Vec<char>, answer: &[char]) {
    let least = (0.8 * answer.len() as f64) as usize;
    prediction.truncate((1.2 * answer.len() as f64) as usize);
    let end = prediction
        .get(least..)
        .zip(answer.last())
        .and_then(|(rest, last)| rest.iter().position(|letter| letter == last));
    if let Some(end) = end {
        prediction.truncate(least + end + 1);
    }
}
