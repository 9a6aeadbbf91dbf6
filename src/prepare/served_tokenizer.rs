//! What stands in the place of a tokenizer where that is behind a server.
//!
//! Only how long a text is about can be said here, for dropping examples where `max_seq_len` is given: OpenCompass's count
//! for any API, runs of Latin letters and digits and each Chinese character one. No id is made up.

use serde_json::Value as Json;

use crate::{
    infer::{Thinking, ThinkingMarks, Tokenize},
    plan::ModelPlan,
    prompt::Markup,
};

/// Measures texts of a model behind a server.
#[derive(Debug)]
pub(crate) struct ServedTokenizer {
    /// Whether a text is the JSON list of messages, whose contents alone count.
    is_messages: bool,
    thinking: Option<Thinking>,
}

/// What models write around thinking where their server leaves it in the text.
const THINKING: [&str; 2] = ["<think>", "</think>"];

impl ServedTokenizer {
    pub(crate) fn new(model: &ModelPlan) -> Self {
        let usual = || {
            let [start, end] = THINKING.map(str::to_owned);
            ThinkingMarks { start, end }
        };
        let marks = model.reasoning.marks.clone().unwrap_or_else(usual);
        let thinking = Thinking { marks: [marks].into(), ..Thinking::default() };
        Self {
            is_messages: matches!(model.markup, Markup::Chat(_)),
            thinking: (!model.reasoning.stays).then_some(thinking),
        }
    }
}

impl Tokenize for ServedTokenizer {
    fn measured_tokens(&self, text: &str) -> Option<usize> {
        let messages = self.is_messages.then(|| serde_json::from_str::<Json>(text).ok()).flatten();
        Some(match messages.as_ref().and_then(Json::as_array) {
            // One behind the other, as OpenCompass writes them to count them.
            Some(messages) => {
                tokens(&messages.iter().map(|own| text_of(&own["content"])).collect::<String>())
            }
            None => tokens(text),
        })
    }

    fn encode(&self, _: &str) -> Result<Vec<u32>, String> {
        Err("it is behind a server, which tells no ids".to_owned())
    }

    fn encode_within(&self, text: &str, _: usize) -> Result<Vec<u32>, String> {
        self.encode(text)
    }

    fn thinking(&self) -> Option<&Thinking> {
        self.thinking.as_ref()
    }
}

fn text_of(content: &Json) -> String {
    match content {
        Json::String(text) => text.clone(),
        Json::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// OpenCompass's count.
fn tokens(text: &str) -> usize {
    let runs = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let chinese = text.chars().filter(|letter| ('\u{4e00}'..='\u{9fff}').contains(letter));
    runs.filter(|run| !run.is_empty()).count() + chinese.count()
}
