//! `olympiad_bench`: whether an answer holds the values of the reference, in any order.
//!
//! Answers stand in boxes or, without one, between dollar signs of the last line. Values are compared as text, as intervals,
//! as numbers within a tolerance (and then also a hundredfold or a hundredth), as expressions and as equations.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{EvaluateError, Evaluator, Metric, Row, Scores};
use crate::{
    algebra,
    config::{Component, ConfigError},
    postprocess::{PatternError, PythonRegex},
    python::{blank::strip, parse_float},
};

/// How far numbers may be apart where the reference does not say.
const TOLERANCE: f64 = 1e-8;
/// A tolerance is itself only as exact.
const SLACK: f64 = 1.01;
/// Signs that are written in another way before anything is read.
const SIGNS: &[(&str, &str)] = &[
    (r"\left", ""),
    (r"\right", ""),
    ("∶", ":"),
    ("，", ","),
    ("$", ""),
    (r"\approx", "="),
    (r"\simeq", "="),
    (r"\sim", "="),
    (r"^\prime", "'"),
    (r"^{\prime}", "'"),
    (r"^\circ", ""),
    ("%", ""),
];
/// What is cut off at both ends.
const MARKS: &str = "\n$,.:;^_=+`!@#$%^&*~，。";

/// The parameters of `OlympiadBenchEvaluator`; both versions judge alike.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    #[serde(default)]
    version: Version,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Version {
    #[default]
    V1,
    V2,
}

/// Judges answers of competitions.
pub(super) struct OlympiadBench;

impl OlympiadBench {
    /// Reads `version`.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        match component.read::<Parameters>()?.version {
            Version::V1 | Version::V2 => Ok(Box::new(Self)),
        }
    }
}

impl Evaluator for OlympiadBench {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut correct, mut details) = (Vec::with_capacity(rows.len()), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let judged = judged(row);
            let is_right = judged.map_err(|source| EvaluateError::Normalization {
                row: index,
                source: Box::new(source.into()),
            })?;
            correct.push(is_right);
            details.push(Map::from_iter([
                ("pred".to_owned(), row.prediction.clone()),
                ("answer".to_owned(), row.reference.clone()),
                ("correct".to_owned(), json!(is_right)),
            ]));
        }
        let metrics = vec![Metric::of_shares("accuracy", &correct)];
        Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
    }

    fn is_undecided(&self, row: &Row<'_>) -> bool {
        let sides = [Some(&row.prediction), expected(&row.reference)];
        let is_open = |side: Option<&Value>| {
            let text = side.and_then(Value::as_str).and_then(|text| answer(text).ok().flatten());
            text.is_some_and(|text| values(&text).iter().any(|value| algebra::is_undecided(value)))
        };
        judged(row) == Ok(false) && sides.into_iter().any(is_open)
    }
}

/// The text that is expected: the reference, or the first answer of a row that has several parts.
fn expected(reference: &Value) -> Option<&Value> {
    match reference {
        Value::Object(row) => {
            let is_tuple = row
                .get("answer_type")
                .and_then(Value::as_str)
                .is_some_and(|kind| kind.contains("Tuple"));
            row.get("final_answer").and_then(|answers| answers.get(0)).filter(|_| is_tuple)
        }
        text => Some(text),
    }
}

fn tolerances(reference: &Value) -> Vec<f64> {
    let Some(error) = reference.get("error").and_then(Value::as_str) else {
        return vec![TOLERANCE];
    };
    error.split(',').map(|one| parse_float(one).unwrap_or(TOLERANCE)).collect()
}

fn judged(row: &Row<'_>) -> Result<bool, PatternError> {
    let Some(gold) = expected(&row.reference).and_then(Value::as_str) else { return Ok(false) };
    let Some(given) = row.prediction.as_str() else { return Ok(false) };
    let Some((given, gold)) = answer(given)?.zip(answer(gold)?) else { return Ok(false) };
    if given == gold {
        return Ok(true);
    }
    let (mut given, mut gold) = (values(&given), values(&gold));
    let mut tolerances = tolerances(&row.reference);
    if let [single] = tolerances.as_slice() {
        tolerances = vec![*single; given.len()];
    }
    if given.len() != gold.len() || tolerances.len() < given.len() {
        return Ok(false);
    }
    // Each value is looked for among those that are left.
    let mut index = 0;
    while !given.is_empty() {
        index %= given.len();
        let (Some(value), Some(&tolerance)) = (given.get(index), tolerances.get(index)) else {
            return Ok(false);
        };
        let Some(found) = gold.iter().position(|other| are_equal(value, other, tolerance)) else {
            return Ok(false);
        };
        given.remove(index);
        gold.remove(found);
        if let Some(place) =
            tolerances.iter().position(|other| other.to_bits() == tolerance.to_bits())
        {
            tolerances.remove(place);
        }
        index += 1;
    }
    Ok(true)
}

/// The answer in a text: what stands in all boxes, else between the dollar signs of the last line, else all of it.
/// Nothing if a box is not closed.
fn answer(text: &str) -> Result<Option<String>, PatternError> {
    static FORMULA: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\$(.*?)\$"));
    static FONT: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\\(?:mathrm|mathbf)\{~?([^}]*)\}"));
    let mut found = String::new();
    for (start, command) in text.match_indices(r"\boxed{") {
        let content = text.get(start + command.len()..).unwrap_or_default();
        let Some(end) = algebra::closing_brace(content, 1) else { return Ok(None) };
        found.push_str(content.get(..end).unwrap_or_default());
        found.push(',');
    }
    if found.is_empty() {
        let last = strip(text).rsplit('\n').next().unwrap_or_default();
        for formula in FORMULA.all(last)? {
            found.push_str(formula);
            found.push(',');
        }
    }
    if found.is_empty() {
        found.push_str(text);
    }
    if let Some(behind) = found.split(r"\in ").nth(1) {
        found = behind.to_owned();
    }
    for (sign, replacement) in SIGNS {
        found = found.replace(sign, replacement);
    }
    let found = found.trim_matches(|letter| MARKS.contains(letter));
    Ok(Some(FONT.keep_group(found)?))
}

/// The values between commas outside of brackets, without Chinese words; one with ± is two.
fn values(text: &str) -> Vec<String> {
    let text: String =
        text.chars().filter(|letter| !('\u{4e00}'..='\u{9fff}').contains(letter)).collect();
    let (mut values, mut value, mut depth) = (Vec::new(), String::new(), 0_i64);
    for letter in text.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                values.push(std::mem::take(&mut value));
                continue;
            }
            _ => {}
        }
        value.push(letter);
    }
    if !value.is_empty() {
        values.push(value);
    }
    let signed = |value: String| {
        let value = strip(&value);
        if value.contains(r"\pm") {
            vec![value.replace(r"\pm", "+"), value.replace(r"\pm", "-")]
        } else {
            vec![value.to_owned()]
        }
    };
    values.into_iter().flat_map(signed).collect()
}

fn are_equal(left: &str, right: &str, tolerance: f64) -> bool {
    if left == right && !left.is_empty() {
        return true;
    }
    if is_interval(left) && is_interval(right) {
        match are_same_intervals(left, right, tolerance) {
            Some(false) => {}
            Some(true) => return true,
            None => return false,
        }
    }
    if let Some((left, right)) = parse_float(left).zip(parse_float(right))
        && [left / 100.0, left, left * 100.0]
            .iter()
            .any(|left| (left - right).abs() <= tolerance * SLACK)
    {
        return true;
    }
    let are_equations = left.contains('=') && right.contains('=');
    (!are_equations && are_same_values(left, right, tolerance) == Some(true))
        || algebra::are_same_equation(left, right) == Some(true)
}

/// The same with "x =" in front of either.
fn are_same_values(left: &str, right: &str, tolerance: f64) -> Option<bool> {
    let side = |text: &str| strip(text.split('=').nth(1).unwrap_or(text)).to_owned();
    algebra::are_near(&side(left), &side(right), tolerance)
}

fn is_interval(text: &str) -> bool {
    text.starts_with(['(', '[']) && text.ends_with([')', ']'])
}

/// Nothing where an end cannot be read.
fn are_same_intervals(left: &str, right: &str, tolerance: f64) -> Option<bool> {
    let (left, right): (Vec<&str>, Vec<&str>) =
        (left.split(r"\cup").collect(), right.split(r"\cup").collect());
    if left.len() != right.len() {
        return Some(false);
    }
    for (left, right) in left.into_iter().zip(right) {
        let brackets = |text: &str| Some((text.chars().next()?, text.chars().next_back()?));
        if brackets(left)? != brackets(right)? {
            return Some(false);
        }
        let ends = |text: &str| text.trim_matches(['[', ']', '(', ')']).to_owned();
        let (left, right) = (ends(left), ends(right));
        for (left, right) in left.split(',').zip(right.split(',')) {
            if !are_same_values(left, right, tolerance)? {
                return Some(false);
            }
        }
    }
    Some(true)
}
