//! Text to tokens and back.

use serde_json::{Map, Value, json};

use super::{
    chat_request,
    fields::{Fields, shown, wrong},
    problem::Problem,
    served_model::ModelFacts,
};

/// `POST /tokenize`: of `prompt`, or of `messages` as the model reads them.
pub(super) fn tokenize(
    body: &[u8],
    model: &ModelFacts,
    now: jiff::civil::DateTime,
) -> Result<Value, Problem> {
    let mut fields = Fields::read(body)?;
    model.check_name(fields.text("model")?.as_deref())?;
    let adds_special_tokens = fields.switch("add_special_tokens")?;
    let add_generation_prompt = fields.switch("add_generation_prompt")?;
    let with_texts = fields.switch("return_token_strs")?.unwrap_or(false);
    let (prompt, messages) = (fields.text("prompt")?, fields.take("messages"));
    fields.finish()?;
    let ids = match (prompt, messages) {
        (Some(prompt), None) => {
            model.encoded(&prompt, adds_special_tokens.unwrap_or(true), "prompt")?
        }
        (None, Some(messages)) => {
            let messages = chat_request::messages(Some(messages))?;
            let mut arguments = Map::new();
            let add = add_generation_prompt.unwrap_or(true);
            arguments.insert("add_generation_prompt".to_owned(), add.into());
            let text = model.conversation(&messages, &arguments, now)?;
            model.encoded(&text, adds_special_tokens.unwrap_or(false), "messages")?
        }
        _ => return Err(Problem::field("prompt", "give either `prompt` or `messages`")),
    };
    let texts = with_texts.then(|| {
        let texts: Vec<Value> =
            ids.iter().map(|&id| model.spelled(id).text.as_str().into()).collect();
        texts
    });
    Ok(json!({
        "count": ids.len(), "max_model_len": model.context_tokens, "tokens": ids, "token_strs": texts,
    }))
}

/// `POST /detokenize`: of `tokens`.
pub(super) fn detokenize(body: &[u8], model: &ModelFacts) -> Result<Value, Problem> {
    let mut fields = Fields::read(body)?;
    model.check_name(fields.text("model")?.as_deref())?;
    let tokens = fields.take("tokens");
    fields.finish()?;
    let tokens = match tokens {
        Some(Value::Array(tokens)) => tokens,
        Some(other) => return Err(wrong("tokens", "a list of token ids", &other)),
        None => return Err(Problem::field("tokens", "`tokens` is missing")),
    };
    let id = |value: &Value| {
        model.id(value).ok_or_else(|| {
            Problem::field("tokens", format!("the model has no token {}", shown(value)))
        })
    };
    let ids = tokens.iter().map(id).collect::<Result<Vec<u32>, _>>()?;
    Ok(json!({"prompt": model.decoded(&ids, false)?}))
}
