//! `HealthBenchEvaluator`: a judge says of each criterion of a conversation whether the answer meets it; the criteria
//! that are met have points, which are compared with all that could be had.
//!
//! The judge is asked once. OpenCompass asks again, at a temperature of 0.5, until a reply is a verdict; a row with a
//! reply that is none has no score here, and is counted. The prompt is OpenCompass's: the plan reads it in the
//! user's package and writes it into the entry.

use std::{collections::BTreeSet, sync::LazyLock};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{ASKED, Asked, Judging, REFERENCE, marks::failed, not_shipped, reply};
use crate::{
    config::{Component, ConfigError, Node},
    dataset::Sample,
    evaluate::{EvaluateError, Evaluator, Metric, Row, Scores, Unit},
    postprocess::{PatternError, PythonRegex},
    python::{is_blank, python_str},
};

/// Asks about each criterion of each answer.
pub(in crate::evaluate) struct HealthBench {
    judging: Judging,
    prompt: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    prompt: Option<String>,
    /// Nothing reads it.
    #[serde(rename = "subset_name")]
    _subset_name: Option<Node>,
    /// Nothing reads it.
    #[serde(rename = "n_repeats")]
    _n_repeats: Option<Node>,
    /// Nothing reads it.
    #[serde(rename = "n_threads")]
    _n_threads: Option<Node>,
}

const NAME: &str = "health_bench";

/// The end of the file of replies, which OpenCompass does not keep.
const FILE_SUFFIX: &str = "_judge";

/// Most tokens of a verdict with its explanation.
const MOST_REPLY_TOKENS: usize = 2048;

static FENCES: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"^```json\s*|\s*```$"));

/// Something that an answer should or should not do.
struct Criterion {
    /// As the judge reads it.
    text: String,
    /// Below zero for what it should not do.
    points: f64,
}

impl HealthBench {
    /// Reads `dict(type=HealthBenchEvaluator, subset_name=…, n_repeats=…, n_threads=…)`.
    pub(in crate::evaluate) fn boxed(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { prompt, .. } = component.read()?;
        let prompt = prompt.filter(|prompt| !prompt.is_empty());
        let Some(prompt) = prompt else {
            return Err(not_shipped(component, "its prompt is"));
        };
        let judging = Judging::of_whole_prompts(None, FILE_SUFFIX)?;
        let judging = Judging { max_out_len: Some(MOST_REPLY_TOKENS), ..judging };
        Ok(Box::new(Self { judging, prompt }))
    }

    /// What each row is worth; NaN where a reply about it is no verdict.
    fn shares(&self, rows: &[Row<'_>]) -> Result<Vec<f64>, EvaluateError> {
        let asked = self.asks(rows)?;
        let mut judged = reply::of_rows(rows, &asked)?.into_iter();
        let mut shares = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let (mut points, mut most_points) = (0.0, 0.0);
            for (criterion, one) in criteria(index, row)?.iter().zip(judged.by_ref()) {
                most_points += criterion.points.max(0.0);
                points += match verdict(&one.text()).map_err(failed(index))? {
                    Some(true) => criterion.points,
                    Some(false) => 0.0,
                    None => f64::NAN,
                };
            }
            shares.push(points / most_points);
        }
        Ok(shares)
    }
}

/// A column of a row.
fn column<'r>(
    index: usize,
    row: &'r Row<'_>,
    name: &'static str,
) -> Result<&'r Value, EvaluateError> {
    let found = row.sample.and_then(|sample| sample.get(name));
    found.ok_or(EvaluateError::NoColumn { row: index, evaluator: NAME, column: name })
}

/// A value of a row that is not what it has to be.
fn wrong(row: usize, what: &'static str, expected: &'static str, found: &Value) -> EvaluateError {
    EvaluateError::WrongKind { row, evaluator: NAME, what, expected, found: found.to_string() }
}

/// The items of a column that is a list.
fn list<'r>(
    index: usize,
    row: &'r Row<'_>,
    name: &'static str,
) -> Result<&'r [Value], EvaluateError> {
    let found = column(index, row, name)?;
    found.as_array().map(Vec::as_slice).ok_or_else(|| wrong(index, name, "a list", found))
}

/// An error where a tag stands twice, as in the original.
fn check_tags(row: usize, what: &'static str, tags: &Value) -> Result<(), EvaluateError> {
    let odd = || wrong(row, what, "a list with each tag once", tags);
    let mut seen = BTreeSet::new();
    let all = tags.as_array().ok_or_else(odd)?;
    if all.iter().all(|tag| seen.insert(tag.to_string())) { Ok(()) } else { Err(odd()) }
}

/// What an answer is judged by; with something to be had, and each tag once.
fn criteria(index: usize, row: &Row<'_>) -> Result<Vec<Criterion>, EvaluateError> {
    const RUBRICS: &str = "rubrics";
    check_tags(index, "example_tags", column(index, row, "example_tags")?)?;
    let mut criteria = Vec::new();
    for rubric in list(index, row, RUBRICS)? {
        let odd = || wrong(index, RUBRICS, "a list of criterion, points and tags", rubric);
        let field = |name: &str| rubric.get(name).ok_or_else(odd);
        let written = field("points")?;
        let points = written.as_f64().ok_or_else(odd)?;
        check_tags(index, "tags of a rubric", field("tags")?)?;
        let text = format!("[{}] {}", python_str(written), python_str(field("criterion")?));
        criteria.push(Criterion { text, points });
    }
    if criteria.iter().any(|criterion| criterion.points > 0.0) {
        Ok(criteria)
    } else {
        let found = column(index, row, RUBRICS)?;
        Err(wrong(index, RUBRICS, "a list with points above 0 in it", found))
    }
}

/// The conversation with the answer at its end, as the judge reads it.
fn conversation(index: usize, row: &Row<'_>) -> Result<String, EvaluateError> {
    const PROMPT: &str = "prompt";
    let mut said = Vec::new();
    for message in list(index, row, PROMPT)? {
        let field = |name: &str| {
            let odd = || wrong(index, PROMPT, "a list of messages with role and content", message);
            message.get(name).map(python_str).ok_or_else(odd)
        };
        said.push(format!("{}: {}", field("role")?, field("content")?));
    }
    said.push(format!("assistant: {}", python_str(&row.prediction)));
    Ok(said.join("\n\n"))
}

/// Whether a criterion is met; nothing where the reply does not say it.
fn verdict(reply: &str) -> Result<Option<bool>, PatternError> {
    let text = FENCES.replace(reply.trim_matches(is_blank), "")?;
    let parsed: Option<Map<String, Value>> = serde_json::from_str(&text).ok();
    Ok(parsed.and_then(|parsed| parsed.get("criteria_met")?.as_bool()))
}

impl Evaluator for HealthBench {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut metric = Metric::of_numbers("accuracy", Unit::Number, self.shares(rows)?);
        metric.value = metric.value.clamp(0.0, 1.0);
        Ok(Scores::new(vec![metric], rows.len()))
    }

    fn judging(&self) -> Option<&Judging> {
        Some(&self.judging)
    }

    fn asks(&self, rows: &[Row<'_>]) -> Result<Vec<Asked>, EvaluateError> {
        let mut asked = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let prompt = self.prompt.replace("<<conversation>>", &conversation(index, row)?);
            for criterion in criteria(index, row)? {
                let text = prompt.replace("<<rubric_item>>", &criterion.text);
                let columns = [(ASKED, Value::from(text)), (REFERENCE, row.reference.clone())];
                let columns = columns.map(|(name, value)| (name.to_owned(), value));
                asked.push(Asked { row: index, sample: Sample::new(columns.into()) });
            }
        }
        Ok(asked)
    }

    fn departures(&self, rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        const WHY: &str = "a reply about it is no verdict in JSON, so it has no score and is left out; the original asks the \
                           judge until there is one";
        let shares = self.shares(rows).unwrap_or_default();
        let is_unread = |(_, share): &(usize, f64)| share.is_nan();
        shares.into_iter().enumerate().filter(is_unread).map(|(row, _)| (row, WHY)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reply_without_a_verdict_leaves_its_row_out() {
        let entry =
            json!({"type": "HealthBenchEvaluator", "prompt": "<<conversation>>|<<rubric_item>>"});
        let component = Component::parse(&Node::from_json(&entry)).unwrap();
        let evaluator = HealthBench::boxed(&component).unwrap();
        let sample = |points: &[f64]| {
            let rubrics =
                points.iter().map(|points| json!({"criterion": "c", "points": points, "tags": []}));
            let row =
                json!({"prompt": [], "rubrics": rubrics.collect::<Value>(), "example_tags": []});
            Sample::new(row.as_object().unwrap().clone().into_iter().collect())
        };
        let samples = [sample(&[4.0, -2.0]), sample(&[1.0])];
        let met = json!({"prediction": "```json\n{\"criteria_met\": true}\n```"});
        let unread = json!({"prediction": "{\"criteria_met\": \"yes\"}"});
        let judgements = [vec![met.clone(), met], vec![unread]];
        let rows = samples.iter().zip(&judgements).map(|(sample, replies)| Row {
            prediction: "p".into(),
            sample: Some(sample),
            judgements: replies.iter().filter_map(|reply| reply.as_object().cloned()).collect(),
            ..Row::default()
        });
        let rows: Vec<Row<'_>> = rows.collect();
        let scores = evaluator.evaluate(&rows).unwrap();
        assert!((scores.metrics[0].value - 0.5).abs() < 1e-12, "{scores:?}");
        assert_eq!(evaluator.departures(&rows)[0].0, 1);
        let asked = evaluator.asks(&rows).unwrap();
        assert_eq!(asked[1].sample.get(ASKED), Some(&json!("assistant: p|[-2.0] c")));
        let without = sample(&[-1.0]);
        let rows = [Row { sample: Some(&without), ..Row::default() }];
        let error = evaluator.asks(&rows).unwrap_err().to_string();
        assert!(error.contains("above 0"), "{error}");
    }
}
