//! Predictions as OpenCompass writes them: one object per sample, keyed by its number.

use serde_json::{Map, Value, json};

use super::dialogue;
use crate::{
    infer::{Candidate, DialogueForm, Outcome, Record},
    python::{python_str, to_string_indented},
    score::{self, Rule},
};

/// A predictions file, candidates chosen by `rule`.
pub fn predictions(records: &[&Record], rule: &dyn Rule) -> String {
    let mut file = Map::new();
    for record in records {
        match &record.outcome {
            Outcome::Dialogue { form: DialogueForm::EveryWithGt, exchanges } => {
                dialogue::add_turns(&mut file, record.id, exchanges);
            }
            _ => add(&mut file, record.id, prediction_value(record, rule)),
        }
    }
    to_string_indented(&Value::Object(file))
}

/// Adds an entry; one that is there already goes on.
fn add(file: &mut Map<String, Value>, id: usize, entry: Value) {
    match (file.get_mut(&id.to_string()), entry) {
        (Some(Value::Object(there)), Value::Object(more)) => there.extend(more),
        (_, entry) => {
            file.insert(id.to_string(), entry);
        }
    }
}

/// What a predictions file says of a record.
pub fn prediction_value(record: &Record, rule: &dyn Rule) -> Value {
    match &record.outcome {
        Outcome::Ranked { in_context_examples, candidates, .. } => {
            let mut entry = Map::new();
            entry.insert("in-context examples".to_owned(), json!(in_context_examples));
            let first = candidates.first().map(|candidate| candidate.testing_input.as_str());
            entry.insert("origin_prompt".to_owned(), json!(first));
            for candidate in candidates {
                entry.insert(format!("label: {}", python_str(&candidate.label)), ranked(candidate));
            }
            entry.insert("prediction".to_owned(), json!(score::prediction(rule, record)));
            entry.extend(record.gold.clone().map(|gold| ("gold".to_owned(), gold)));
            Value::Object(entry)
        }
        Outcome::Scored { candidate } => {
            json!({"origin_prompt": candidate.prompt, "ppl": candidate.ppl()})
        }
        Outcome::Generated { prompt, continuation } => {
            let mut entry = Map::new();
            entry.insert("origin_prompt".to_owned(), json!(prompt));
            entry.insert("prediction".to_owned(), json!(continuation.text));
            let gold = record.gold.as_ref().filter(|gold| is_truthy(gold));
            entry.extend(gold.map(|gold| ("gold".to_owned(), gold.clone())));
            Value::Object(entry)
        }
        Outcome::Dialogue { form, exchanges } => {
            dialogue::entry(*form, exchanges, record.gold.as_ref().filter(|gold| is_truthy(gold)))
        }
        Outcome::Failed { error } => json!({"error": error, "gold": record.gold}),
    }
}

/// OpenCompass's four fields, then ours.
fn ranked(candidate: &Candidate) -> Value {
    json!({
        "testing input": candidate.testing_input,
        "prompt": candidate.prompt,
        "PPL": candidate.ppl(),
        "BPB": candidate.bpb(),
        "sum_nll_nats": candidate.sum_nll_nats,
        "tokens": candidate.tokens(),
        "bytes": candidate.bytes,
    })
}

/// Python's truth: a gold answer that is empty or zero is left out of a generation's entry.
pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
    }
}
