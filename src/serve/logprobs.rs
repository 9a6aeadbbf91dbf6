//! Log-probabilities as OpenAI's clients read them, of completions and of chats.

use serde_json::{Map, Value, json};

use super::{prompt::Offsets, served_model::ModelFacts};
use crate::engine::{RankedToken, TokenScore};

/// The field `logprobs` of a completion: a list each of tokens, their log-probabilities, the likeliest tokens in their places,
/// and where they begin in the text.
#[derive(Debug, Default)]
pub(super) struct CompletionLogprobs {
    tokens: Vec<Value>,
    logprobs: Vec<Value>,
    likeliest: Vec<Value>,
    offsets: Vec<Value>,
}

impl CompletionLogprobs {
    /// Adds a token that begins at `offset`; the first of a text has no score.
    pub(super) fn push(
        &mut self,
        id: u32,
        score: Option<&TokenScore>,
        offset: usize,
        model: &ModelFacts,
    ) {
        let token = model.spelled(id);
        self.logprobs.push(score.map_or(Value::Null, |score| logprob(score.nats)));
        self.likeliest.push(score.map_or(Value::Null, |score| {
            let mut likeliest = Map::new();
            // Of tokens that spell the same, the likelier one is told.
            for &RankedToken { id, nats } in score.likeliest.iter() {
                likeliest.entry(model.spelled(id).text.as_str()).or_insert_with(|| logprob(nats));
            }
            likeliest.insert(token.text.clone(), logprob(score.nats));
            Value::Object(likeliest)
        }));
        self.tokens.push(token.text.as_str().into());
        self.offsets.push(offset.into());
    }

    /// Adds a token that was written.
    pub(super) fn push_next(
        &mut self,
        id: u32,
        score: Option<&TokenScore>,
        offsets: &mut Offsets,
        model: &ModelFacts,
    ) {
        let offset = offsets.next(&model.spelled(id).bytes);
        self.push(id, score, offset, model);
    }

    pub(super) fn json(self) -> Value {
        json!({
            "tokens": self.tokens,
            "token_logprobs": self.logprobs,
            "top_logprobs": self.likeliest,
            "text_offset": self.offsets,
        })
    }
}

/// An entry of `logprobs.content` of a chat.
pub(super) fn chat_logprob(id: u32, score: &TokenScore, model: &ModelFacts) -> Value {
    let entry = |id: u32, nats: f32| {
        let spelled = model.spelled(id);
        json!({"token": spelled.text, "logprob": logprob(nats), "bytes": spelled.bytes})
    };
    let mut own = entry(id, score.nats);
    let likeliest = score.likeliest.iter().map(|ranked| entry(ranked.id, ranked.nats));
    own["top_logprobs"] = likeliest.collect();
    own
}

/// −nats; a JSON number is finite.
fn logprob(nats: f32) -> Value {
    json!(-f64::from(nats))
}
