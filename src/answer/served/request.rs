//! What is sent for a question.

use serde_json::{Map, Value as Json, json};

use super::{Protocol, Scoring, ServedSettings};
use crate::answer::ServedContinuation;

/// The body that asks for the surprisals of a text.
pub(super) fn scoring(settings: &ServedSettings, model: &str, text: &str, how: Scoring) -> Json {
    let mut body = match how {
        Scoring::Echo { new_tokens } => json!({
            "model": model, "prompt": text, "echo": true, "logprobs": 1, "max_tokens": new_tokens,
            "temperature": 0,
        }),
        Scoring::PromptLogprobs => json!({
            "model": model, "prompt": text, "prompt_logprobs": 0, "max_tokens": 1, "temperature": 0,
        }),
        Scoring::ChatPromptLogprobs => json!({
            "model": model, "messages": messages(text), "prompt_logprobs": 0, "max_tokens": 1,
            "temperature": 0,
        }),
        Scoring::Details => json!({
            "inputs": text,
            "parameters": {"details": true, "decoder_input_details": true, "max_new_tokens": 1},
        }),
    };
    // What decides which template writes the messages belongs to their score, too.
    for name in ["chat_template", "chat_template_kwargs", "add_special_tokens"] {
        if let (Some(value), Some(fields)) = (settings.parameters.get(name), body.as_object_mut()) {
            fields.insert(name.to_owned(), value.clone());
        }
    }
    body
}

/// The body that asks how a text goes on.
pub(super) fn continuation(
    settings: &ServedSettings,
    model: &str,
    text: &str,
    wanted: &ServedContinuation,
) -> Json {
    let mut fields: Map<String, Json> = settings.parameters.clone();
    if let Some(seed) = fields.get("seed").and_then(Json::as_u64) {
        // The first answer has the seed that was given.
        fields.insert("seed".to_owned(), seed.wrapping_add(wanted.draw).into());
    }
    let mut stop: Vec<String> = wanted.stop.clone();
    match fields.remove("stop") {
        Some(Json::String(own)) => stop.push(own),
        Some(Json::Array(own)) => {
            stop.extend(own.iter().filter_map(Json::as_str).map(str::to_owned));
        }
        _ => {}
    }
    stop.dedup();
    if matches!(settings.protocol, Protocol::Generate | Protocol::Infer) {
        fields.insert("max_new_tokens".to_owned(), wanted.max_new_tokens.into());
        fields.insert("details".to_owned(), true.into());
        if !stop.is_empty() {
            fields.insert("stop".to_owned(), stop.into());
        }
        let mut body = json!({"inputs": text, "parameters": fields});
        if settings.protocol == Protocol::Infer {
            body["stream"] = false.into();
        }
        return body;
    }
    fields.insert("model".to_owned(), model.into());
    let knows_other = fields.contains_key("max_completion_tokens");
    let most = if knows_other { "max_completion_tokens" } else { "max_tokens" };
    fields.insert(most.to_owned(), wanted.max_new_tokens.into());
    if wanted.min_new_tokens > 0 {
        fields.insert("min_tokens".to_owned(), wanted.min_new_tokens.into());
    }
    if !stop.is_empty() {
        fields.insert("stop".to_owned(), stop.into());
    }
    if settings.streams {
        fields.insert("stream".to_owned(), true.into());
        fields.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    match settings.protocol {
        Protocol::Chat => fields.insert("messages".to_owned(), messages(text)),
        _ => fields.insert("prompt".to_owned(), text.into()),
    };
    Json::Object(fields)
}

/// The messages that a text stands for: it is the JSON list of them, or else one user's.
fn messages(text: &str) -> Json {
    match serde_json::from_str(text) {
        Ok(Json::Array(messages)) => Json::Array(messages),
        _ => json!([{"role": "user", "content": text}]),
    }
}
