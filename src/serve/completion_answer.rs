//! What `POST /v1/completions` answers, as a whole or piece by piece.

use serde_json::{Value, json};

use super::{
    answer_form::{AnswerForm, finish_reason, usage},
    asking::{AnsweredSequence, SequenceRequest},
    completion_request::CompletionRequest,
    logprobs::CompletionLogprobs,
    problem::Problem,
    prompt::{Offsets, Prompt},
    served_model::ModelFacts,
    streamed_text::StreamedText,
};
use crate::engine::{
    FinishReason, GenerateRequest, TokenScore,
    continuous::{Event, ScoredPrompt},
};

/// A request on its way to its answer.
#[derive(Debug)]
pub(super) struct CompletionAnswer {
    request: CompletionRequest,
    id: String,
    created: i64,
    /// Of each choice, while it is streamed.
    choices: Vec<StreamedChoice>,
}

#[derive(Debug)]
struct StreamedChoice {
    text: StreamedText,
    offsets: Offsets,
    completion_tokens: usize,
}

impl CompletionAnswer {
    pub(super) fn new(request: CompletionRequest, id: String, created: i64) -> Self {
        let choice = |prompt: &Prompt| StreamedChoice {
            text: StreamedText::new(&request.decoding.stop),
            offsets: Offsets::from(if request.echo { prompt.text.chars().count() } else { 0 }),
            completion_tokens: 0,
        };
        let of_prompt = |prompt| (0..request.decoding.n).map(move |_| choice(prompt));
        let choices = request.prompts.iter().flat_map(of_prompt).collect();
        Self { request, id, created, choices }
    }

    fn prompt(&self, index: usize) -> &Prompt {
        &self.request.prompts[index / self.request.decoding.n]
    }

    /// Log-probabilities of a prompt.
    fn prompt_logprobs(
        &self,
        index: usize,
        scores: &[TokenScore],
        model: &ModelFacts,
    ) -> CompletionLogprobs {
        let prompt = self.prompt(index);
        let mut logprobs = CompletionLogprobs::default();
        let scores = std::iter::once(None).chain(scores.iter().map(Some));
        for ((&id, &offset), score) in prompt.ids.iter().zip(&prompt.offsets).zip(scores) {
            logprobs.push(id, score, offset, model);
        }
        logprobs
    }

    fn shell(&self, choices: &[Value], model: &ModelFacts) -> Value {
        json!({
            "id": self.id, "object": "text_completion", "created": self.created, "model": model.name,
            "choices": choices,
        })
    }

    fn chunk(
        &self,
        index: usize,
        text: &str,
        logprobs: Option<CompletionLogprobs>,
        finish: Option<FinishReason>,
        model: &ModelFacts,
    ) -> Value {
        let choice = json!({
            "index": index, "text": text, "logprobs": logprobs.map(CompletionLogprobs::json),
            "finish_reason": finish.map(finish_reason),
        });
        self.shell(&[choice], model)
    }

    fn prompt_tokens(&self) -> usize {
        self.request.prompts.iter().map(|prompt| prompt.ids.len()).sum()
    }
}

impl AnswerForm for CompletionAnswer {
    fn sequences(&self, seed: u64) -> Vec<SequenceRequest> {
        let CompletionRequest { max_tokens, echo, logprobs, ref decoding, .. } = self.request;
        let sequence = |prompt: &Prompt, index: usize| SequenceRequest {
            generate: GenerateRequest {
                ids: prompt.ids.clone(),
                max_new_tokens: max_tokens,
                min_new_tokens: decoding.min_tokens,
                stop: decoding.stop.clone(),
                shown: Vec::new(),
                sampling: decoding.sampling(index, seed),
            },
            scored: logprobs
                .filter(|_| echo)
                .map(|ranked| ScoredPrompt { first_target: 0, ranked }),
            ranked: logprobs,
        };
        let prompts = self.request.prompts.iter();
        prompts
            .flat_map(|prompt| (0..decoding.n).map(move |index| sequence(prompt, index)))
            .collect()
    }

    fn whole(&mut self, answers: Vec<AnsweredSequence>, model: &ModelFacts) -> Value {
        let completion_tokens = answers.iter().map(|answer| answer.tokens.len()).sum();
        let mut choices = Vec::with_capacity(answers.len());
        for (index, answer) in answers.into_iter().enumerate() {
            let AnsweredSequence { scores, tokens, generation } = answer;
            let echoed = if self.request.echo { self.prompt(index).text.as_str() } else { "" };
            let text = format!("{echoed}{}", generation.text);
            let logprobs = self.request.logprobs.map(|_| {
                let mut logprobs = self.prompt_logprobs(index, &scores, model);
                let mut offsets = self.choices[index].offsets;
                for (id, score) in &tokens {
                    logprobs.push_next(*id, score.as_ref(), &mut offsets, model);
                }
                logprobs.json()
            });
            choices.push(json!({
                "index": index, "text": text, "logprobs": logprobs,
                "finish_reason": finish_reason(generation.finish),
            }));
        }
        let mut whole = self.shell(&choices, model);
        whole["usage"] = usage(self.prompt_tokens(), completion_tokens);
        whole
    }

    fn beginning(&mut self, model: &ModelFacts) -> Vec<Value> {
        // With log-probabilities the prompt comes when these are known.
        if !self.request.echo || self.request.logprobs.is_some() {
            return Vec::new();
        }
        let chunk = |index| self.chunk(index, &self.prompt(index).text, None, None, model);
        (0..self.choices.len()).map(chunk).collect()
    }

    fn piece(
        &mut self,
        index: usize,
        event: Event,
        model: &ModelFacts,
    ) -> Result<Option<Value>, Problem> {
        let has_logprobs = self.request.logprobs.is_some();
        match event {
            Event::Scored(scores) => {
                let logprobs = self.prompt_logprobs(index, &scores, model);
                let text = self.prompt(index).text.as_str();
                Ok(Some(self.chunk(index, text, Some(logprobs), None, model)))
            }
            Event::Token { id, is_end, score } => {
                let choice = &mut self.choices[index];
                choice.completion_tokens += 1;
                let text = if is_end { String::new() } else { choice.text.push(id, model) };
                let logprobs = has_logprobs.then(|| {
                    let mut logprobs = CompletionLogprobs::default();
                    logprobs.push_next(id, score.as_ref(), &mut choice.offsets, model);
                    logprobs
                });
                let says = has_logprobs || !text.is_empty();
                Ok(says.then(|| self.chunk(index, &text, logprobs, None, model)))
            }
            Event::Ended(ended) => {
                let generation = ended.map_err(|error| Problem::of(&error))?;
                let text = self.choices[index].text.end(&generation.text);
                let text = text.ok_or_else(StreamedText::torn)?;
                Ok(Some(self.chunk(index, &text, None, Some(generation.finish), model)))
            }
        }
    }

    fn count(&self, model: &ModelFacts) -> Option<Value> {
        self.request.decoding.counts_at_the_end.then(|| {
            let mut chunk = self.shell(&[], model);
            let completion_tokens =
                self.choices.iter().map(|choice| choice.completion_tokens).sum();
            chunk["usage"] = usage(self.prompt_tokens(), completion_tokens);
            chunk
        })
    }

    fn streams(&self) -> bool {
        self.request.decoding.streams
    }

    fn prompt_tokens(&self) -> usize {
        Self::prompt_tokens(self)
    }
}
