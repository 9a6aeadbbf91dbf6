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

/// A piece of text that came: one token, several, or none that shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamPiece {
    /// When its line was read.
    pub at: Instant,
    /// Bytes of all text up to its end, thinking before the answer.
    pub text_bytes: usize,
    /// Tokens up to its end, where the server counts as it goes.
    pub tokens: Option<usize>,
}

/// When an answer came; nothing where the server does not stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// The pieces with text, in order.
    pub pieces: Vec<StreamPiece>,
    /// When the last word of the model was read: a piece, or the notice that it ended. Counts and marks that a server
    /// sends behind that are no part of the answer.
    pub finished: Option<Instant>,
}

/// What has come so far.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    text: String,
    reasoning: String,
    finish: Option<Json>,
    stop_reason: Option<Json>,
    usage: Option<Json>,
    arrivals: Arrivals,
    is_done: bool,
}

impl Streamed {
    /// Reads a stream to its end; or the whole answer of a server that does not stream.
    pub(super) fn read(body: impl Read, protocol: Protocol) -> Result<(Json, Arrivals), NoAnswer> {
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
            let at = Instant::now();
            let written = line.trim();
            if let Some(data) = written.strip_prefix("data:") {
                own.hear(data.trim(), protocol, at)?;
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
                return Ok((whole, Arrivals::default()));
            }
        }
        let arrivals = std::mem::take(&mut own.arrivals);
        Ok((own.whole(protocol), arrivals))
    }

    fn hear(&mut self, data: &str, protocol: Protocol, at: Instant) -> Result<(), NoAnswer> {
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
        let usage = event.get("usage").filter(|own| own.is_object());
        if let Some(usage) = usage {
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
        self.text.push_str(pieces[0]);
        // A server has one of the two names.
        self.reasoning.push_str(if pieces[1].is_empty() { pieces[2] } else { pieces[1] });
        if pieces.iter().any(|piece| !piece.is_empty()) {
            let tokens = usage.and_then(|own| own.get("completion_tokens")?.as_u64());
            self.arrivals.pieces.push(StreamPiece {
                at,
                text_bytes: self.reasoning.len() + self.text.len(),
                tokens: tokens.and_then(|own| usize::try_from(own).ok()),
            });
        }
        self.arrivals.finished = Some(at);
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
        let (whole, arrivals) = Streamed::read(stream.as_bytes(), Protocol::Chat).unwrap();
        assert_eq!(whole["choices"][0]["message"]["content"], "four");
        assert_eq!(whole["choices"][0]["message"]["reasoning_content"], "2+2");
        assert_eq!(whole["choices"][0]["finish_reason"], "stop");
        assert_eq!(whole["usage"]["completion_tokens"], 2);
        let bytes: Vec<usize> = arrivals.pieces.iter().map(|piece| piece.text_bytes).collect();
        assert_eq!(bytes, [3, 5, 7]);
        assert!(arrivals.finished >= Some(arrivals.pieces[2].at));
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
        let (whole, arrivals) = Streamed::read(text.as_bytes(), Protocol::Completions).unwrap();
        assert_eq!(whole["choices"][0]["text"], "x");
        assert_eq!(arrivals, Arrivals::default());
    }
}
