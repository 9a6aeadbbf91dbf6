//! From generate requests to continuations.

use super::Engine;
use super::continuations::{Chooser, Prompt, continuations};
use super::error::RequestError;
use super::executor::TokenRule;
use super::request::{FinishReason, GenerateRequest, Generation};
use super::sequence::Sequence;

/// Answers every request, in the order they are finished.
pub(super) fn generate(
    engine: &Engine,
    requests: &[GenerateRequest],
    progress: &mut dyn FnMut(usize),
    answer: &mut dyn FnMut(usize, Result<Generation, RequestError>),
) {
    let context_tokens = engine.model.decoder.spec().context_tokens;
    let (mut prompts, mut sequences, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for (index, request) in requests.iter().enumerate() {
        if let Err(error) = engine.check(&request.ids) {
            answer(index, Err(error));
            continue;
        }
        let sequence = Sequence::new(request, context_tokens);
        if sequence.is_full() {
            answer(index, sequence.finish(FinishReason::Length, &engine.model.tokenizer));
        } else {
            prompts.push(Prompt { ids: &request.ids, most_new_tokens: sequence.most_new_tokens() });
            sequences.push(Some(sequence));
            indices.push(index);
        }
    }
    let mut live = Live { engine, sequences, indices, answer };
    let started = engine.session(progress, |session| {
        continuations(session, &prompts, engine.options.live_sequences, &mut live);
    });
    if let Err(error) = started {
        for prompt in 0..prompts.len() {
            live.fail(prompt, error.clone());
        }
    }
}

/// The sequences that are not answered yet.
struct Live<'a, 'l> {
    engine: &'a Engine,
    sequences: Vec<Option<Sequence<'a>>>,
    /// The request of each sequence.
    indices: Vec<usize>,
    answer: &'l mut dyn FnMut(usize, Result<Generation, RequestError>),
}

impl Chooser for Live<'_, '_> {
    fn rule(&self, prompt: usize) -> TokenRule<'_> {
        let Some(sequence) = &self.sequences[prompt] else { return TokenRule::default() };
        TokenRule {
            banned: sequence.banned(&self.engine.eos_ids),
            sampling: sequence
                .sampling()
                .filter(|sampling| !sampling.is_greedy())
                .map(|sampling| (sampling, sequence.generated_tokens())),
        }
    }

    fn take(&mut self, prompt: usize, token: Option<u32>) -> bool {
        let Some(sequence) = &mut self.sequences[prompt] else { return false };
        let tokenizer = &self.engine.model.tokenizer;
        let ended = match token {
            None => Err(self.engine.not_finite(&sequence.ids())),
            Some(id) => sequence
                .push(id, &self.engine.eos_ids, tokenizer)
                .map_err(|error| RequestError::Compute(error.to_string())),
        };
        match ended {
            Ok(None) => return true,
            Ok(Some(finish)) => {
                if let Some(sequence) = self.sequences[prompt].take() {
                    (self.answer)(self.indices[prompt], sequence.finish(finish, tokenizer));
                }
            }
            Err(error) => self.fail(prompt, error),
        }
        false
    }

    fn fail(&mut self, prompt: usize, error: RequestError) {
        self.sequences[prompt] = None;
        (self.answer)(self.indices[prompt], Err(error));
    }
}
