//! Predictions as OpenCompass writes them: one object per sample, keyed by its number.

use serde_json::{Map, Value, json};

use super::dialogue;
use crate::{
    infer::{Candidate, DialogueForm, Outcome, RankedForm, Record, ScoredForm},
    python::{is_truthy, python_str, to_string_indented},
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
            Outcome::Windows { total_chars, windows } => {
                for window in windows {
                    let loss = window.text_nll_nats();
                    let entry = json!({"loss": loss, "total_chr_num": total_chars});
                    file.insert(file.len().to_string(), entry);
                }
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
        Outcome::Ranked { form: RankedForm::Shares, in_context_examples, candidates, .. } => {
            shares(record, in_context_examples, candidates)
        }
        Outcome::Ranked { form, in_context_examples, candidates, .. } => {
            let mut entry = Map::new();
            entry.insert("in-context examples".to_owned(), json!(in_context_examples));
            if *form == RankedForm::Perplexity {
                let first = candidates.first().map(|candidate| candidate.testing_input.as_str());
                entry.insert("origin_prompt".to_owned(), json!(first));
            }
            for candidate in candidates {
                let figures = match form {
                    RankedForm::LogLikelihood => likely(record, candidate),
                    _ => ranked(record, candidate),
                };
                entry.insert(format!("label: {}", python_str(&candidate.label)), figures);
            }
            entry.insert("prediction".to_owned(), json!(score::prediction(rule, record)));
            entry.extend(record.gold.clone().map(|gold| ("gold".to_owned(), gold)));
            Value::Object(entry)
        }
        Outcome::Scored { form, candidate } => {
            let prompt = record.readable(&candidate.prompt);
            match form {
                ScoredForm::Perplexity => json!({"origin_prompt": prompt, "ppl": candidate.ppl()}),
                ScoredForm::MinKPercent => {
                    json!({"origin_prompt": prompt, "mink": candidate.min_k_percent(MIN_K_PERCENT)})
                }
                ScoredForm::CountedSum => json!({
                    "origin_prompt": prompt,
                    "ppl": candidate.sum_nll_nats,
                    "token_len": candidate.answer_token_count(),
                }),
                ScoredForm::LogLikelihood => json!({
                    "origin_prompt": prompt,
                    "log_likelihood": -candidate.answer_nll_nats(),
                }),
            }
        }
        Outcome::Windows { total_chars, windows } => {
            let loss = windows.iter().map(Candidate::text_nll_nats).fold(0.0, |sum, own| sum + own);
            json!({"loss": loss, "total_chr_num": total_chars})
        }
        Outcome::Generated { prompt, messages, continuation, .. } => {
            let thought = continuation.thought.as_ref().map(|own| json!(own.text));
            let texts = [Some(json!(continuation.text)), thought];
            generation(&record.readable(prompt), messages.as_ref(), texts, record.gold.as_ref())
        }
        Outcome::Sampled { prompt, messages, continuations, .. } => {
            let texts: Vec<&str> = continuations.iter().map(|own| own.text.as_str()).collect();
            let thoughts: Vec<Option<&str>> = continuations
                .iter()
                .map(|own| own.thought.as_ref().map(|thought| thought.text.as_str()))
                .collect();
            let thoughts = thoughts.iter().any(Option::is_some).then(|| json!(thoughts));
            let texts = [Some(json!(texts)), thoughts];
            generation(&record.readable(prompt), messages.as_ref(), texts, record.gold.as_ref())
        }
        Outcome::Dialogue { form, exchanges } => {
            dialogue::entry(*form, exchanges, record.gold.as_ref().filter(|gold| is_truthy(gold)))
        }
        Outcome::Given { prediction } => {
            generation("", None, [Some(prediction.clone()), None], record.gold.as_ref())
        }
        Outcome::Retrieved { query, passages } => {
            let ids: Vec<&str> = passages.iter().map(|passage| passage.id.as_str()).collect();
            generation(query, None, [Some(json!(ids)), None], record.gold.as_ref())
        }
        Outcome::Failed { error } => json!({"error": error, "gold": record.gold}),
    }
}

fn generation(
    prompt: &str,
    messages: Option<&Value>,
    [prediction, thought]: [Option<Value>; 2],
    gold: Option<&Value>,
) -> Value {
    let mut entry = Map::new();
    entry.insert("origin_prompt".to_owned(), messages.cloned().unwrap_or_else(|| json!(prompt)));
    entry.insert("prediction".to_owned(), prediction.unwrap_or_default());
    let gold = gold.filter(|gold| is_truthy(gold));
    entry.extend(gold.map(|gold| ("gold".to_owned(), gold.clone())));
    entry.extend(thought.map(|thought| ("reasoning_content".to_owned(), thought)));
    Value::Object(entry)
}

/// The fraction that `get_mink_percent` of OpenCompass's models looks at.
const MIN_K_PERCENT: usize = 20;

/// The shares of choices, each of which is the last token of its candidate.
fn shares(record: &Record, in_context_examples: &str, candidates: &[Candidate]) -> Value {
    let shares = score::shares(candidates);
    let mut best = 0;
    for (index, share) in shares.iter().enumerate() {
        if shares.get(best).is_some_and(|most| share > most) {
            best = index;
        }
    }
    let before = |text: &str, own: &Candidate| {
        let end = text.len().checked_sub(own.answer_bytes);
        end.and_then(|end| text.get(..end)).map(|text| record.readable(text).into_owned())
    };
    let first = candidates.first();
    // A choice of several tokens is as many candidates.
    let mut choices: Vec<&Value> = candidates.iter().map(|own| &own.label).collect();
    choices.dedup();
    json!({
        "in-context examples": in_context_examples,
        "testing input": first.and_then(|own| before(&own.testing_input, own)),
        "prompt": first.and_then(|own| before(&own.prompt, own)),
        "choices": choices,
        "prediction": shares,
        "pred_label": best,
        "gold": record.gold,
    })
}

/// OpenCompass's three fields.
fn likely(record: &Record, candidate: &Candidate) -> Value {
    json!({
        "testing input": candidate.testing_input,
        "prompt": record.readable(&candidate.prompt),
        "Loglikelihood": -candidate.text_nll_nats(),
    })
}

/// OpenCompass's four fields, then ours.
fn ranked(record: &Record, candidate: &Candidate) -> Value {
    json!({
        "testing input": candidate.testing_input,
        "prompt": record.readable(&candidate.prompt),
        "PPL": candidate.ppl(),
        "BPB": candidate.bpb(),
        "sum_nll_nats": candidate.sum_nll_nats,
        "tokens": candidate.tokens(),
        "bytes": candidate.bytes,
    })
}
