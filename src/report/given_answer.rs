//! The answer to a request that a program made itself, as a line of JSON.

use serde_json::{Map, Value, json};

use crate::{
    dataset::Sample,
    infer::{Candidate, Outcome, Record},
};

/// What `surprisal answer` says of a request: `log_likelihood` in nats and `tokens`, with `is_greedy` for a continuation; or
/// `text` and why it ended; or an `error`. The request's `id` comes first, if it has one.
pub fn given_answer(sample: &Sample, record: &Record) -> Value {
    let mut line = Map::new();
    line.extend(sample.get("id").map(|id| ("id".to_owned(), id.clone())));
    let figures = match &record.outcome {
        Outcome::Scored { candidate, .. } => json!({
            "log_likelihood": -candidate.answer_nll_nats(),
            "is_greedy": candidate.is_greedy(),
            "tokens": candidate.answer_tokens.len(),
        }),
        Outcome::Windows { windows, .. } => {
            let nats = windows.iter().map(Candidate::text_nll_nats).fold(0.0, |sum, own| sum + own);
            let tokens: usize = windows.iter().map(|window| window.nlls.len()).sum();
            // Nothing is as likely as can be, and not minus nothing.
            json!({"log_likelihood": 0.0 - nats, "tokens": tokens})
        }
        Outcome::Generated { continuation, .. } => {
            json!({"text": continuation.text, "finish": continuation.finish})
        }
        Outcome::Failed { error } => json!({"error": error}),
        Outcome::Ranked { .. }
        | Outcome::Sampled { .. }
        | Outcome::Dialogue { .. }
        | Outcome::Given { .. }
        | Outcome::Retrieved { .. } => {
            json!({"error": "this is no answer to a request"})
        }
    };
    if let Value::Object(figures) = figures {
        line.extend(figures);
    }
    Value::Object(line)
}
