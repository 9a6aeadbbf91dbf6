//! `pi_llm`: whether a model keeps the last of many values that a key was given.
//!
//! An answer may say values in sentences or behind colons; what it says in a sentence counts. The figure weighs a
//! row by how often its keys were written over, as a logarithm.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::Value;

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked};
use crate::{
    config::{Component, ConfigError},
    postprocess::{PatternError, PythonRegex},
    python::{blank::strip, python_str},
};

/// Shorter answers with the word "error" are no answers.
const SHORT_CHARS: usize = 680;

/// Up to how many updates an experiment is easy, and from how many on it is hard.
const MODES: &[(&str, f64, f64)] = &[("exp_keys", 125.0, 350.0), ("exp_valuelength", 4.0, 20.0)];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    #[serde(default = "three_halves")]
    log_base: f64,
}

fn three_halves() -> f64 {
    1.5
}

/// Shares of keys with their last value, plain and weighted.
pub(super) struct PiLlm {
    log_base: f64,
}

/// One graded row.
struct Graded {
    share: f64,
    updates: f64,
}

impl PiLlm {
    /// Reads `log_base`, the base of the weights' logarithm (1.5).
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Parameters { log_base } = component.read()?;
        Ok(Box::new(Self { log_base }))
    }

    fn weighted(&self, rows: &[&Graded]) -> f64 {
        let weight = |row: &Graded| row.updates.max(2.0).ln() / self.log_base.ln();
        let sum: f64 = rows.iter().map(|row| weight(row)).sum();
        let weighted: f64 = rows.iter().map(|row| row.share * weight(row)).sum();
        if rows.is_empty() || sum == 0.0 { 0.0 } else { weighted / sum }
    }
}

impl Evaluator for PiLlm {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut graded = Vec::with_capacity(rows.len());
        let mut experiment = String::new();
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "pi_llm");
            let column = |name| row.sample.and_then(|sample| sample.get(name));
            if index == 0 {
                experiment = asked.column("experiment").map(python_str)?;
            }
            let updates = column("n_updates").and_then(Value::as_f64).unwrap_or(2.0);
            graded.push(Graded { share: share(&asked)?, updates });
        }
        let all: Vec<&Graded> = graded.iter().collect();
        let shares = graded.iter().map(|row| row.share).collect();
        let number = |name, value| Metric::of_all(name, Unit::Number, value);
        let mut metrics = vec![
            Metric::of_numbers("avg_accuracy", Unit::Number, shares),
            number("auc_log1.5", self.weighted(&all)),
        ];
        if let Some((_, easy, hard)) = MODES.iter().find(|(name, ..)| experiment.contains(name)) {
            let is_easy = |row: &&Graded| row.updates <= *easy;
            let is_hard = |row: &&Graded| row.updates >= *hard;
            let easy: Vec<&Graded> = graded.iter().filter(is_easy).collect();
            let hard: Vec<&Graded> = graded.iter().filter(is_hard).collect();
            metrics.push(number("auc_log1.5_easy", self.weighted(&easy)));
            metrics.push(number("auc_log1.5_hard", self.weighted(&hard)));
        }
        metrics.push(Metric::count("total_samples", rows.len()));
        Ok(Scores { metrics, samples: rows.len(), details: None })
    }
}

/// The share of the gold's keys that the answer gives the right value. A gold that is no dict is never met.
fn share(asked: &Asked<'_>) -> Result<f64, EvaluateError> {
    let (Value::String(text), Value::String(gold)) = (&asked.row.prediction, &asked.row.reference)
    else {
        return Ok(0.0);
    };
    let Ok(Value::Object(gold)) = serde_json::from_str::<Value>(gold) else { return Ok(0.0) };
    let Some(said) = values(text).map_err(|error| asked.failed(error))? else { return Ok(0.0) };
    let is_right = |(key, value): &(&String, &Value)| match (said.get(*key), value) {
        (Some(said), Value::String(value)) => said == value,
        (None, Value::Null) => true,
        _ => false,
    };
    let right = gold.iter().filter(is_right).count();
    Ok(if gold.is_empty() { 0.0 } else { right as f64 / gold.len() as f64 })
}

/// What the answer says of each key; nothing if it is an error message.
fn values(text: &str) -> Result<Option<HashMap<String, String>>, PatternError> {
    static ERROR: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"(?i)\berror\b"));
    static SLASH: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\\(?!n)"));
    static SENTENCE: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(concat!(
            r"(?is)(?:the)?\s*(?:most recent|final|last|latest|current|up-to-date|asked|queried|specified)\s+",
            r"(?:value|word|term)?(?:s)?(?:\s+\w+){0,1}\s+(?:with|for|of|to)?\s+(?:the )?(?:category|key)?\s*",
            r#"(["'\[\<]?\w+(?:\s+\w+)?["'\]\>]?)\s+(?:is|was)(?:\s*:\s*)?\s+"#,
            r#"(["'\[\<]?\w+(?:\s+\w+)?["'\]\>]?)(?=\n|[,.;:]|$)"#,
        ))
    });
    let is_error = text.is_empty()
        || text.to_lowercase().contains("error code")
        || text.starts_with("error")
        || text.starts_with("Error")
        || ERROR.finds(text)? && text.chars().count() < SHORT_CHARS;
    if is_error {
        return Ok(None);
    }
    let text = SLASH.replace(text, "")?.replace('*', "");
    let mut values = HashMap::new();
    let mut say = |key: &str, value: &str| {
        let (key, value) = (unquoted(key), unquoted(value));
        if !key.is_empty() && !value.is_empty() {
            values.insert(key, value);
        }
    };
    for (key, value) in text.split('\n').filter_map(|line| line.split_once(':')) {
        say(key, value);
    }
    for found in SENTENCE.matches(&text)? {
        let group = |index| found.get(index).map_or("", |group| group.as_str());
        say(group(1), group(2));
    }
    values.remove("key");
    Ok(Some(values))
}

/// Without stars, quotes and brackets, and the blanks around it.
fn unquoted(text: &str) -> String {
    let is_mark = |c| matches!(c, '*' | '\'' | '"' | '[' | ']' | '{' | '}' | '(' | ')' | '<' | '>');
    strip(&text.replace(is_mark, "")).to_owned()
}
