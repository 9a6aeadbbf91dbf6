//! A server's continuation, read from its answer.

use serde_json::Value as Json;

use super::{Protocol, client::NoAnswer};
use crate::{
    answer::{ServedContinuation, ServedText},
    engine::FinishReason,
};

/// Reads an answer to a question that was asked `seconds` ago.
pub(super) fn read(
    answer: &Json,
    protocol: Protocol,
    wanted: &ServedContinuation,
    seconds: f64,
) -> Result<ServedText, NoAnswer> {
    let reply = match protocol {
        Protocol::Generate | Protocol::Infer => generated(answer)?,
        Protocol::Completions | Protocol::Chat => chosen(answer, protocol)?,
    };
    let Reply { text, reasoning, finish, prompt_tokens, new_tokens } = reply;
    // A server that does not heed a stop text writes on behind it.
    let stop = wanted.stop.iter().filter(|stop| !stop.is_empty());
    let (text, finish) = match stop.filter_map(|stop| text.find(stop.as_str())).min() {
        Some(end) => (text[..end].to_owned(), FinishReason::Stop),
        None => (text, finish),
    };
    Ok(ServedText {
        text,
        reasoning,
        finish,
        prompt_tokens,
        new_tokens,
        first_token_seconds: None,
        seconds,
    })
}

struct Reply {
    text: String,
    reasoning: Option<String>,
    finish: FinishReason,
    prompt_tokens: Option<usize>,
    new_tokens: Option<usize>,
}

/// What OpenAI's endpoints answer.
fn chosen(answer: &Json, protocol: Protocol) -> Result<Reply, NoAnswer> {
    let choice = match answer.get("choices").and_then(Json::as_array).map(Vec::as_slice) {
        Some([only]) => only,
        Some(several) => {
            let what = format!("the answer has {} choices instead of one", several.len());
            return Err(NoAnswer::lasting(what));
        }
        None => return Err(NoAnswer::passing("the answer has no choices".to_owned())),
    };
    let text_at = |pointer: &str| choice.pointer(pointer).and_then(Json::as_str).map(str::to_owned);
    let (text, reasoning) = if protocol == Protocol::Chat {
        let message = choice.get("message").filter(|own| own.is_object());
        if message.is_none() {
            return Err(NoAnswer::passing("the answer has no message".to_owned()));
        }
        let reasoning =
            text_at("/message/reasoning_content").or_else(|| text_at("/message/reasoning"));
        let content = text_at("/message/content");
        // A model that only thought, or calls a tool, has no content.
        let calls = message.and_then(|own| own.get("tool_calls")).is_some_and(Json::is_array);
        if content.is_none() && reasoning.is_none() && !calls {
            return Err(NoAnswer::lasting("the answer has no content: it is null".to_owned()));
        }
        (content.unwrap_or_default(), reasoning)
    } else {
        let text = text_at("/text");
        (text.ok_or_else(|| NoAnswer::passing("the answer has no text".to_owned()))?, None)
    };
    let finish = finish(choice.get("finish_reason"), choice.get("stop_reason"))?;
    let usage = |name: &str| {
        let count = answer.get("usage")?.get(name)?.as_u64()?;
        usize::try_from(count).ok()
    };
    let reasoning = reasoning.filter(|own| !own.is_empty());
    let (prompt_tokens, new_tokens) = (usage("prompt_tokens"), usage("completion_tokens"));
    Ok(Reply { text, reasoning, finish, prompt_tokens, new_tokens })
}

/// What text-generation-inference answers.
fn generated(answer: &Json) -> Result<Reply, NoAnswer> {
    let answer = answer.as_array().and_then(|own| own.first()).unwrap_or(answer);
    let Some(text) = answer.get("generated_text").and_then(Json::as_str) else {
        return Err(NoAnswer::passing("the answer has no generated_text".to_owned()));
    };
    let details = answer.get("details");
    let count = |pointer: &str| details.and_then(|own| own.pointer(pointer));
    let new_tokens = count("/generated_tokens").and_then(Json::as_u64);
    Ok(Reply {
        text: text.to_owned(),
        reasoning: None,
        finish: match count("/finish_reason") {
            // Older servers and other programs that speak like it do not tell.
            None => FinishReason::Eos,
            told => finish(told, None)?,
        },
        prompt_tokens: count("/prefill")
            .and_then(Json::as_array)
            .map(Vec::len)
            .filter(|own| *own > 0),
        new_tokens: new_tokens.and_then(|own| usize::try_from(own).ok()),
    })
}

/// Why a continuation ended. One that did not end is half an answer.
fn finish(told: Option<&Json>, stop_reason: Option<&Json>) -> Result<FinishReason, NoAnswer> {
    match told.and_then(Json::as_str) {
        Some("stop") if stop_reason.is_some_and(Json::is_string) => Ok(FinishReason::Stop),
        Some("stop" | "eos_token" | "eos" | "tool_calls" | "function_call") => {
            Ok(FinishReason::Eos)
        }
        Some("stop_sequence") => Ok(FinishReason::Stop),
        Some("length") => Ok(FinishReason::Length),
        Some("content_filter") => Err(NoAnswer::lasting(
            "the server withholds the answer (finish_reason content_filter)".to_owned(),
        )),
        Some(other) => Err(NoAnswer::passing(format!(
            "the answer did not end: its finish_reason is {other:?}"
        ))),
        None => {
            Err(NoAnswer::passing("the answer did not end: it has no finish_reason".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted(stop: &[&str]) -> ServedContinuation {
        ServedContinuation {
            max_new_tokens: 8,
            min_new_tokens: 0,
            stop: stop.iter().map(|&own| own.to_owned()).collect(),
            draw: 0,
        }
    }

    #[test]
    fn answers_are_read_and_cut_where_a_server_writes_on() {
        let chat = json!({"choices": [{"message": {"content": "4\nQ: 5", "reasoning_content": "2+2"},
            "finish_reason": "length"}], "usage": {"prompt_tokens": 3, "completion_tokens": 5}});
        let reply = read(&chat, Protocol::Chat, &wanted(&["Q:", "\n"]), 0.5).unwrap();
        assert_eq!((reply.text.as_str(), reply.finish), ("4", FinishReason::Stop));
        assert_eq!((reply.prompt_tokens, reply.new_tokens), (Some(3), Some(5)));
        assert_eq!(reply.reasoning.as_deref(), Some("2+2"));
        let generate = json!({"generated_text": "4", "details": {"finish_reason": "eos_token", "generated_tokens": 1}});
        let reply = read(&generate, Protocol::Generate, &wanted(&[]), 0.5).unwrap();
        assert_eq!((reply.text.as_str(), reply.new_tokens), ("4", Some(1)));
    }

    #[test]
    fn half_an_answer_is_none() {
        for (answer, is_passing) in [
            (json!({}), true),
            (json!({"choices": [{"text": "4"}]}), true),
            (json!({"choices": [{"text": "4", "finish_reason": null}]}), true),
            (json!({"choices": [{"text": "4", "finish_reason": "abort"}]}), true),
            (json!({"choices": [{"text": "4", "finish_reason": "content_filter"}]}), false),
            (json!({"choices": [{"text": "4"}, {"text": "5"}]}), false),
        ] {
            let error = read(&answer, Protocol::Completions, &wanted(&[]), 0.0).unwrap_err();
            assert_eq!(error.is_passing, is_passing, "{answer}");
        }
    }
}
