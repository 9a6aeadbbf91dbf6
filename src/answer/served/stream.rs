//! An answer that comes piece by piece, put together into one that came whole.
//!
//! Server-sent events: lines of `data: {…}`, and `data: [DONE]` at the end. A stream that ends before its last piece is
//! half an answer.

use std::{
    io::{BufRead, BufReader, Read},
    time::Instant,
};

use serde_json::{Map, Value as Json, json};

use super::{Protocol, client::NoAnswer};

/// What has come so far.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    text: String,
    reasoning: String,
    finish: Option<Json>,
    stop_reason: Option<Json>,
    usage: Option<Json>,
    /// When the first piece with text came.
    pub(super) first: Option<Instant>,
    is_done: bool,
}

impl Streamed {
    /// Reads a stream to its end; or the whole answer of a server that does not stream.
    pub(super) fn read(
        body: impl Read,
        protocol: Protocol,
    ) -> Result<(Json, Option<Instant>), NoAnswer> {
        let lost =
            |error: std::io::Error| NoAnswer::passing(format!("the stream broke off: {error}"));
        let mut lines = BufReader::new(body);
        let mut own = Self::default();
        let mut line = String::new();
        loop {
            line.clear();
            if lines.read_line(&mut line).map_err(lost)? == 0 {
                break;
            }
            let written = line.trim();
            if let Some(data) = written.strip_prefix("data:") {
                own.hear(data.trim(), protocol)?;
                if own.is_done {
                    break;
                }
            } else if written.starts_with('{') {
                // It does not stream.
                let mut rest = line.clone();
                lines.read_to_string(&mut rest).map_err(lost)?;
                let whole = serde_json::from_str(&rest);
                let whole = whole.map_err(|error| {
                    NoAnswer::passing(format!("the answer is no JSON: {error}"))
                })?;
                return Ok((whole, None));
            }
        }
        let first = own.first;
        Ok((own.whole(protocol), first))
    }

    fn hear(&mut self, data: &str, protocol: Protocol) -> Result<(), NoAnswer> {
        if data == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let event: Json = serde_json::from_str(data).map_err(|error| {
            NoAnswer::passing(format!("a piece of the stream is no JSON: {error}"))
        })?;
        if let Some(error) = event.get("error").filter(|own| !own.is_null()) {
            let said = error.pointer("/message").and_then(Json::as_str);
            let said = said.map_or_else(|| error.to_string(), str::to_owned);
            return Err(NoAnswer::passing(format!("in the stream: {said}")));
        }
        if let Some(usage) = event.get("usage").filter(|own| own.is_object()) {
            self.usage = Some(usage.clone());
        }
        let choices = event.get("choices").and_then(Json::as_array);
        let Some(choice) = choices.and_then(|own| own.first()) else { return Ok(()) };
        let text =
            |pointer: &str| choice.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
        let pieces = match protocol {
            Protocol::Chat => {
                [text("/delta/content"), text("/delta/reasoning_content"), text("/delta/reasoning")]
            }
            _ => [text("/text"), "", ""],
        };
        if self.first.is_none() && pieces.iter().any(|piece| !piece.is_empty()) {
            self.first = Some(Instant::now());
        }
        self.text.push_str(pieces[0]);
        // A server has one of the two names.
        self.reasoning.push_str(if pieces[1].is_empty() { pieces[2] } else { pieces[1] });
        let told = |name: &str| choice.get(name).filter(|own| !own.is_null()).cloned();
        self.finish = told("finish_reason").or(self.finish.take());
        self.stop_reason = told("stop_reason").or(self.stop_reason.take());
        Ok(())
    }

    /// The answer as it would have come whole.
    fn whole(self, protocol: Protocol) -> Json {
        let mut choice = Map::new();
        match protocol {
            Protocol::Chat => {
                let mut message = json!({"role": "assistant", "content": self.text});
                if !self.reasoning.is_empty() {
                    message["reasoning_content"] = self.reasoning.into();
                }
                choice.insert("message".to_owned(), message);
            }
            _ => {
                choice.insert("text".to_owned(), self.text.into());
            }
        }
        choice.insert("finish_reason".to_owned(), self.finish.unwrap_or_default());
        choice.insert("stop_reason".to_owned(), self.stop_reason.unwrap_or_default());
        json!({"choices": [choice], "usage": self.usage})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_put_together() {
        let stream = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n\
: a remark\n\
data: {\"choices\":[{\"delta\":{\"reasoning\":\"2+2\"}}]}\n\n\
data: {\"choices\":[{\"delta\":{\"content\":\"fo\"}}]}\n\n\
data: {\"choices\":[{\"delta\":{\"content\":\"ur\"},\"finish_reason\":\"stop\"}]}\n\n\
data: {\"choices\":[],\"usage\":{\"completion_tokens\":2}}\n\n\
data: [DONE]\n\n";
        let (whole, first) = Streamed::read(stream.as_bytes(), Protocol::Chat).unwrap();
        assert_eq!(whole["choices"][0]["message"]["content"], "four");
        assert_eq!(whole["choices"][0]["message"]["reasoning_content"], "2+2");
        assert_eq!(whole["choices"][0]["finish_reason"], "stop");
        assert_eq!(whole["usage"]["completion_tokens"], 2);
        assert!(first.is_some());
        // One that breaks off has no reason to have ended.
        let half = &stream[..stream.find("ur").unwrap()];
        assert!(Streamed::read(half.as_bytes(), Protocol::Chat).is_err());
        let half =
            &stream[..stream.find("data: {\"choices\":[{\"delta\":{\"content\":\"ur").unwrap()];
        let (whole, _) = Streamed::read(half.as_bytes(), Protocol::Chat).unwrap();
        assert!(whole["choices"][0]["finish_reason"].is_null());
    }

    #[test]
    fn a_server_that_does_not_stream_is_heard_too() {
        let text = "{\"choices\":\n [{\"text\": \"x\"}]}";
        let (whole, first) = Streamed::read(text.as_bytes(), Protocol::Completions).unwrap();
        assert_eq!(whole["choices"][0]["text"], "x");
        assert!(first.is_none());
    }
}
