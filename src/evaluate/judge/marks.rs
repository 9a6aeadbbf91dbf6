//! Replies that give a mark in words or numbers, each benchmark in its own way.

use std::{ops::RangeInclusive, sync::LazyLock};

use serde_json::{Map, Value, json};

use super::{
    Judged,
    rules::{self, JudgeRule},
};
use crate::{
    evaluate::{EvaluateError, Metric, Results, Scores},
    postprocess::{PatternError, PythonRegex},
    python::{is_blank, is_truthy, parse_integer, python_str},
};

/// How a reply is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    /// CORRECT or INCORRECT, as a word.
    AaLcr,
    /// `Overall Score` of 1, in JSON or in words.
    ClBench,
    /// The first number, of ten points.
    Eese,
    /// The last `[[n]]` from 1 to 10.
    ElBenchScale,
    /// TRUE, anywhere.
    Peer,
}

static INCORRECT: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\bINCORRECT\b"));
static CORRECT: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\bCORRECT\b"));
static OVERALL: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r#"(?i)"?Overall Score"?\s*:\s*([01])"#));
static POINTS: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"(?i)\b([01])\s*points?\b"));
static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\d+"));
static BRACKETS: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"\[\[\s*(\d+)\s*\]\]"));
static NOT_A_WORD: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\W+"));

/// Results without a figure.
pub(super) fn no_figure(samples: usize, details: Option<Vec<Map<String, Value>>>) -> Scores {
    Scores { metrics: Vec::new(), samples, details }
}

impl JudgeRule for Mark {
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        match self {
            Self::AaLcr => aa_lcr(judged),
            Self::ClBench => clbench(judged),
            Self::Eese => eese(judged),
            Self::ElBenchScale => elbench_scale(judged),
            Self::Peer => Ok(Results::of(no_figure(judged.len(), Some(peer(judged))))),
        }
    }

    fn notes_replies(&self) -> bool {
        matches!(self, Self::Eese | Self::ElBenchScale)
    }
}

/// The error of a pattern that gave up on a reply.
pub(super) fn failed(row: usize) -> impl Fn(PatternError) -> EvaluateError {
    move |error| EvaluateError::Normalization { row, source: Box::new(error.into()) }
}

fn peer(judged: &[Judged<'_>]) -> Vec<Map<String, Value>> {
    let detail = |one: &Judged<'_>| {
        let content = one.text().trim_matches(is_blank).to_uppercase();
        let is_right = content.contains("TRUE");
        Map::from_iter([
            ("prediction".to_owned(), json!(content)),
            ("correct".to_owned(), json!(is_right)),
            ("llm_judge".to_owned(), json!(content)),
        ])
    };
    judged.iter().map(detail).collect()
}

/// A share of all rows in percent, 0 where there are none.
pub(super) fn share(name: &str, are_right: &[bool]) -> Metric {
    let mut metric = Metric::of_shares(name, are_right);
    if are_right.is_empty() {
        metric.value = 0.0;
    }
    metric
}

fn clbench(judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
    let mut are_right = Vec::with_capacity(judged.len());
    let mut details = Vec::with_capacity(judged.len());
    let mut categories: Vec<(String, usize, usize)> = Vec::new();
    for (index, one) in judged.iter().enumerate() {
        let reply = one.text();
        let is_right = overall_score(&reply).map_err(failed(index))? == 1;
        let metadata = one.column("metadata");
        let own = |name: &str| {
            let mut found = [one.sample.get(name), metadata.get(name)].into_iter().flatten();
            found.find(|value| is_truthy(value)).cloned()
        };
        let category = own("context_category").unwrap_or_else(|| "Unknown".into());
        count(&mut categories, python_str(&category), is_right);
        are_right.push(is_right);
        details.push(Map::from_iter([
            ("task_id".to_owned(), own("task_id").unwrap_or_else(|| json!(index))),
            ("context_category".to_owned(), category),
            ("pred".to_owned(), one.sample.get("prediction").cloned().unwrap_or("".into())),
            ("rubrics".to_owned(), one.sample.get("rubrics").cloned().unwrap_or(json!([]))),
            ("origin_grade_response".to_owned(), json!(reply)),
            ("score".to_owned(), json!(u8::from(is_right))),
            ("correct".to_owned(), json!(is_right)),
        ]));
    }
    let right = are_right.iter().filter(|is_right| **is_right).count();
    let rate = if judged.is_empty() { 0.0 } else { right as f64 / judged.len() as f64 };
    let of_category: Map<String, Value> = categories
        .into_iter()
        .map(|(name, right, all)| (name, json!(right as f64 / all as f64 * 100.0)))
        .collect();
    let beside = Map::from_iter([
        ("solving_rate".to_owned(), json!(rate)),
        ("correct_count".to_owned(), json!(right)),
        ("total_count".to_owned(), json!(judged.len())),
        // As all that is no number, OpenCompass writes it once for each run of the data set.
        ("category_accuracy".to_owned(), json!([of_category])),
    ]);
    let metrics = vec![share("accuracy", &are_right)];
    Ok(Results {
        scores: Scores { metrics, samples: judged.len(), details: Some(details) },
        beside,
    })
}

/// The overall score that a reply gives; 0 where it gives none.
fn overall_score(reply: &str) -> Result<i64, PatternError> {
    let mut text = reply.trim_matches(is_blank);
    text = text.strip_prefix("```json").or_else(|| text.strip_prefix("```")).unwrap_or(text);
    text = text.strip_suffix("```").unwrap_or(text).trim_matches(is_blank);
    if let Ok(Value::Object(parsed)) = serde_json::from_str(text)
        && let Some(score) = parsed.get("Overall Score")
    {
        return Ok(match score {
            Value::Bool(is_one) => i64::from(*is_one),
            Value::String(text) => whole(text).unwrap_or(0),
            other => other.as_f64().map_or(0, |number| number.trunc() as i64),
        });
    }
    for pattern in [&*OVERALL, &*POINTS] {
        if let Some(digit) = pattern.first(text)? {
            return Ok(whole(digit).unwrap_or(0));
        }
    }
    Ok(0)
}

/// What Python's `int` reads.
fn whole(text: &str) -> Option<i64> {
    parse_integer(text)?.parse().ok()
}

fn aa_lcr(judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
    let mut are_right = Vec::with_capacity(judged.len());
    let mut details = Vec::with_capacity(judged.len());
    let mut categories: Vec<(String, usize, usize)> = Vec::new();
    let mut wrong = 0;
    for (index, one) in judged.iter().enumerate() {
        let reply = one.text();
        let text = reply.trim_matches(is_blank).to_uppercase();
        let judgement = if INCORRECT.finds(&text).map_err(failed(index))? {
            wrong += 1;
            "INCORRECT"
        } else if CORRECT.finds(&text).map_err(failed(index))? {
            "CORRECT"
        } else {
            "UNKNOWN"
        };
        let is_right = judgement == "CORRECT";
        let category =
            one.sample.get("document_category").cloned().unwrap_or_else(|| "unknown".into());
        count(&mut categories, python_str(&category), is_right);
        are_right.push(is_right);
        details.push(Map::from_iter([
            ("id".to_owned(), json!(index)),
            ("question_id".to_owned(), one.column("question_id")),
            ("document_category".to_owned(), category),
            ("document_set_id".to_owned(), one.column("document_set_id")),
            ("question".to_owned(), one.column("question")),
            ("gold".to_owned(), one.column("answer")),
            ("candidate_answer".to_owned(), one.column("prediction")),
            ("judge_response".to_owned(), json!(reply)),
            ("judgement".to_owned(), json!(judgement)),
            ("correct".to_owned(), json!(is_right)),
        ]));
    }
    let right = are_right.iter().filter(|is_right| **is_right).count();
    let mut beside = Map::from_iter([
        ("correct_count".to_owned(), json!(right)),
        ("incorrect_count".to_owned(), json!(wrong)),
        ("unknown_count".to_owned(), json!(judged.len() - right - wrong)),
        ("total".to_owned(), json!(judged.len())),
    ]);
    for (name, right, all) in categories {
        let safe = NOT_A_WORD.replace(&name, "_").map_err(failed(0))?;
        let percent = right as f64 / all as f64 * 100.0;
        beside.insert(format!("accuracy_{}", safe.trim_matches('_')), json!(percent));
    }
    let metrics = vec![share("accuracy", &are_right)];
    Ok(Results {
        scores: Scores { metrics, samples: judged.len(), details: Some(details) },
        beside,
    })
}

fn eese(judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
    let mut tenths = Vec::with_capacity(judged.len());
    let mut details = Vec::with_capacity(judged.len());
    for (index, one) in judged.iter().enumerate() {
        let reply = one.text();
        let points = match whole(&reply) {
            Some(points) => points,
            // A reply of blanks alone has no word either.
            None if reply.trim_matches(is_blank).is_empty() => 0,
            None => NUMBER.first(&reply).map_err(failed(index))?.and_then(whole).unwrap_or(0),
        };
        tenths.push(points as f64 / 10.0);
        let mut detail = one.entry.clone();
        detail.insert("score".to_owned(), json!(points));
        details.push(detail);
    }
    let mut metric = Metric::of_grades("overall_score", tenths);
    if judged.is_empty() {
        metric.value = 0.0;
    }
    let (samples, details) = (judged.len(), Some(details));
    Ok(Results::of(Scores { metrics: vec![metric], samples, details }))
}

/// The last `[[n]]` of a reply that lies in a range.
pub(super) fn last_in_brackets(
    text: &str,
    range: RangeInclusive<i64>,
) -> Result<Option<i64>, PatternError> {
    let found = BRACKETS.all(text)?;
    Ok(found.into_iter().rev().filter_map(whole).find(|mark| range.contains(mark)))
}

fn elbench_scale(judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
    let mut tenths = Vec::with_capacity(judged.len());
    for (index, one) in judged.iter().enumerate() {
        let mark = last_in_brackets(&one.text(), 1..=10).map_err(failed(index))?;
        tenths.push(mark.map_or(f64::NAN, |mark| mark as f64 / 10.0));
    }
    let read: Vec<f64> = tenths.iter().copied().filter(|mark| mark.is_finite()).collect();
    let samples = read.len();
    let metric = Metric { scores: tenths, ..Metric::of_grades("score", read) };
    let details = Some(rules::replies(judged));
    Ok(Results::of(Scores { metrics: vec![metric], samples, details }))
}

/// Counts a row in its category.
fn count(categories: &mut Vec<(String, usize, usize)>, name: String, is_right: bool) {
    match categories.iter_mut().find(|(known, ..)| *known == name) {
        Some((_, right, all)) => {
            *right += usize::from(is_right);
            *all += 1;
        }
        None => categories.push((name, usize::from(is_right), 1)),
    }
}
