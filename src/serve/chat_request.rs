//! What `POST /v1/chat/completions` is asked.

use serde_json::{Map, Value, json};

use super::{
    decoding::Decoding,
    fields::{Fields, shown, wrong},
    limits::{Limits, MOST_RANKED},
    problem::Problem,
    prompt::Prompt,
    served_model::ModelFacts,
};
use crate::chat::Message;

/// A body, read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChatRequest {
    pub(super) prompt: Prompt,
    pub(super) max_tokens: usize,
    /// How many of the likeliest tokens stand beside each, where log-probabilities are asked for.
    pub(super) logprobs: Option<usize>,
    pub(super) decoding: Decoding,
}

impl ChatRequest {
    /// Reads a body; `now` is for templates that write a date.
    pub(super) fn read(
        body: &[u8],
        model: &ModelFacts,
        limits: &Limits,
        now: jiff::civil::DateTime,
    ) -> Result<Self, Problem> {
        let mut fields = Fields::read(body)?;
        model.check_name(fields.text("model")?.as_deref())?;
        let decoding = Decoding::take(&mut fields)?;
        let most_tokens = fields.count("max_tokens", 1..=usize::MAX)?;
        let most_tokens = fields.count("max_completion_tokens", 1..=usize::MAX)?.or(most_tokens);
        let has_logprobs = fields.switch("logprobs")?.unwrap_or(false);
        let top_logprobs = fields.count("top_logprobs", 0..=MOST_RANKED)?;
        if top_logprobs.is_some() && !has_logprobs {
            let message = "`top_logprobs` is for `logprobs: true`";
            return Err(Problem::field("top_logprobs", message));
        }
        for (name, neutral) in [
            ("tools", vec![json!([])]),
            ("tool_choice", vec![json!("none"), json!("auto")]),
            ("parallel_tool_calls", vec![json!(true), json!(false)]),
            ("functions", vec![json!([])]),
            ("function_call", vec![json!("none"), json!("auto")]),
            ("response_format", vec![json!({"type": "text"})]),
            ("modalities", vec![json!(["text"])]),
            ("reasoning_effort", Vec::new()),
        ] {
            fields.refuse(name, &neutral)?;
        }
        let mut arguments = match fields.take("chat_template_kwargs") {
            None => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(other) => return Err(wrong("chat_template_kwargs", "an object", &other)),
        };
        let add = fields.switch("add_generation_prompt")?;
        let go_on = fields.switch("continue_final_message")?.unwrap_or(false);
        arguments.insert("continue_final_message".to_owned(), go_on.into());
        arguments.insert("add_generation_prompt".to_owned(), add.unwrap_or(!go_on).into());
        let messages = fields.take("messages");
        fields.finish()?;
        if decoding.n > limits.sequences {
            let message = format!("`n` is {}; at most {} fit", decoding.n, limits.sequences);
            return Err(Problem::field("n", message));
        }
        let messages = self::messages(messages)?;
        let text = model.conversation(&messages, &arguments, now)?;
        let prompt = Prompt::of_conversation(text, model)?;
        let (tokens, context_tokens) = (prompt.ids.len(), model.context_tokens);
        let room = context_tokens.saturating_sub(tokens);
        let max_tokens = most_tokens.unwrap_or(room);
        if max_tokens == 0 || max_tokens > room {
            return Err(Problem::too_long("messages", tokens, max_tokens.max(1), context_tokens));
        }
        let logprobs = has_logprobs.then(|| top_logprobs.unwrap_or(0));
        Ok(Self { prompt, max_tokens, logprobs, decoding })
    }
}

/// The messages of a field.
pub(super) fn messages(field: Option<Value>) -> Result<Vec<Message>, Problem> {
    let messages = match field {
        None => return Err(Problem::field("messages", "`messages` is missing")),
        Some(Value::Array(messages)) if !messages.is_empty() => messages,
        Some(other) => return Err(wrong("messages", "a list of messages", &other)),
    };
    let messages = messages.into_iter().map(message).collect::<Result<Vec<_>, _>>()?;
    Message::list_from_json(messages).map_err(|error| Problem::field("messages", error.to_string()))
}

/// A message as templates read it: with a role, and a text where the content is a list of texts.
fn message(message: Value) -> Result<Value, Problem> {
    let problem = |message: String| Problem::field("messages", message);
    let Value::Object(mut fields) = message else {
        return Err(problem(format!("a message should be an object, found {}", shown(&message))));
    };
    if !fields.get("role").is_some_and(Value::is_string) {
        let found = shown(&Value::Object(fields));
        return Err(problem(format!("a message should have a `role`, found {found}")));
    }
    // What lm-eval's client adds to each.
    if fields.get("type").is_some_and(|kind| kind == "text") {
        fields.shift_remove("type");
    }
    let Some(Value::Array(parts)) = fields.get("content") else {
        return Ok(Value::Object(fields));
    };
    let text = |part: &Value| match (part["type"].as_str(), part["text"].as_str()) {
        (Some("text"), Some(text)) => Ok(text.to_owned()),
        _ => Err(problem(format!("only parts of text are read here, found {}", shown(part)))),
    };
    let texts = parts.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    fields.insert("content".to_owned(), texts.concat().into());
    Ok(Value::Object(fields))
}
