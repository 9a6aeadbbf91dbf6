//! What `POST /v1/chat/completions` answers, as a whole or piece by piece.

use serde_json::{Value, json};

use super::{
    answer_form::{AnswerForm, finish_reason, usage},
    asking::{AnsweredSequence, SequenceRequest},
    chat_request::ChatRequest,
    logprobs::chat_logprob,
    problem::Problem,
    served_model::ModelFacts,
    streamed_text::StreamedText,
};
use crate::engine::{FinishReason, GenerateRequest, TokenScore, continuous::Event};

/// A request on its way to its answer.
#[derive(Debug)]
pub(super) struct ChatAnswer {
    request: ChatRequest,
    id: String,
    created: i64,
    /// Of each choice, while it is streamed.
    texts: Vec<StreamedText>,
    completion_tokens: usize,
}

impl ChatAnswer {
    pub(super) fn new(request: ChatRequest, id: String, created: i64) -> Self {
        let text = || StreamedText::new(&request.decoding.stop);
        let texts = (0..request.decoding.n).map(|_| text()).collect();
        Self { request, id, created, texts, completion_tokens: 0 }
    }

    fn shell(&self, object: &str, choices: &[Value], model: &ModelFacts) -> Value {
        json!({
            "id": self.id, "object": object, "created": self.created, "model": model.name,
            "choices": choices,
        })
    }

    fn chunk(
        &self,
        index: usize,
        delta: &Value,
        logprobs: Option<&Value>,
        finish: Option<FinishReason>,
        model: &ModelFacts,
    ) -> Value {
        let choice = json!({
            "index": index, "delta": delta, "logprobs": logprobs,
            "finish_reason": finish.map(finish_reason),
        });
        self.shell("chat.completion.chunk", &[choice], model)
    }

    /// The field `logprobs` of a choice that says these tokens.
    fn logprobs(&self, tokens: &[(u32, Option<TokenScore>)], model: &ModelFacts) -> Option<Value> {
        self.request.logprobs?;
        let scored = tokens.iter().filter_map(|(id, score)| Some((*id, score.as_ref()?)));
        let content: Vec<Value> =
            scored.map(|(id, score)| chat_logprob(id, score, model)).collect();
        Some(json!({"content": content, "refusal": null}))
    }
}

impl AnswerForm for ChatAnswer {
    fn sequences(&self, seed: u64) -> Vec<SequenceRequest> {
        let ChatRequest { prompt, max_tokens, logprobs, decoding } = &self.request;
        let sequence = |index| SequenceRequest {
            generate: GenerateRequest {
                ids: prompt.ids.clone(),
                max_new_tokens: *max_tokens,
                min_new_tokens: decoding.min_tokens,
                stop: decoding.stop.clone(),
                shown: Vec::new(),
                sampling: decoding.sampling(index, seed),
            },
            scored: None,
            ranked: *logprobs,
        };
        (0..decoding.n).map(sequence).collect()
    }

    fn whole(&mut self, answers: Vec<AnsweredSequence>, model: &ModelFacts) -> Value {
        let completion_tokens = answers.iter().map(|answer| answer.tokens.len()).sum();
        let choice = |(index, answer): (usize, AnsweredSequence)| {
            let AnsweredSequence { tokens, generation, .. } = answer;
            json!({
                "index": index,
                "message": {"role": "assistant", "content": generation.text, "refusal": null},
                "logprobs": self.logprobs(&tokens, model),
                "finish_reason": finish_reason(generation.finish),
            })
        };
        let choices: Vec<Value> = answers.into_iter().enumerate().map(choice).collect();
        let mut whole = self.shell("chat.completion", &choices, model);
        whole["usage"] = usage(self.prompt_tokens(), completion_tokens);
        whole
    }

    fn beginning(&mut self, model: &ModelFacts) -> Vec<Value> {
        let delta = json!({"role": "assistant", "content": ""});
        (0..self.texts.len()).map(|index| self.chunk(index, &delta, None, None, model)).collect()
    }

    fn piece(
        &mut self,
        index: usize,
        event: Event,
        model: &ModelFacts,
    ) -> Result<Option<Value>, Problem> {
        match event {
            Event::Scored(_) => Ok(None),
            Event::Token { id, is_end, score } => {
                self.completion_tokens += 1;
                let text = if is_end { String::new() } else { self.texts[index].push(id, model) };
                let logprobs = self.logprobs(&[(id, score)], model);
                let says = logprobs.is_some() || !text.is_empty();
                Ok(says.then(|| {
                    self.chunk(index, &json!({"content": text}), logprobs.as_ref(), None, model)
                }))
            }
            Event::Ended(ended) => {
                let generation = ended.map_err(|error| Problem::of(&error))?;
                let text = self.texts[index].end(&generation.text);
                let text = text.ok_or_else(StreamedText::torn)?;
                let delta = if text.is_empty() { json!({}) } else { json!({"content": text}) };
                Ok(Some(self.chunk(index, &delta, None, Some(generation.finish), model)))
            }
        }
    }

    fn count(&self, model: &ModelFacts) -> Option<Value> {
        self.request.decoding.counts_at_the_end.then(|| {
            let mut chunk = self.shell("chat.completion.chunk", &[], model);
            chunk["usage"] = usage(self.prompt_tokens(), self.completion_tokens);
            chunk
        })
    }

    fn streams(&self) -> bool {
        self.request.decoding.streams
    }

    fn prompt_tokens(&self) -> usize {
        self.request.prompt.ids.len()
    }
}
