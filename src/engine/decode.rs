//! From generate requests to continuations.

use super::Engine;
use super::continuations::{Prompt, TokenChooser, continuations};
use super::error::RequestError;
use super::executor::TokenRule;
use super::plan::SequenceLayout;
use super::request::{FinishReason, GenerateRequest, Generation};
use super::sequence::Sequence;
use crate::model::spec::Reach;

/// Answers every request, in the order they are finished.
pub(super) fn generate(
    engine: &Engine,
    requests: &[GenerateRequest],
    progress: &mut dyn FnMut(usize),
    answer: &mut dyn FnMut(usize, Result<Generation, RequestError>),
) {
    let context_tokens = engine.model.decoder.spec().context_tokens;
    let (mut sequences, mut indices, mut layouts) = (Vec::new(), Vec::new(), Vec::new());
    for (index, request) in requests.iter().enumerate() {
        let layout = match engine.laid_out(&request.ids, 0) {
            Ok(layout) => layout,
            Err(error) => {
                answer(index, Err(error));
                continue;
            }
        };
        let sequence = Sequence::new(request, context_tokens);
        if sequence.is_full() {
            answer(index, sequence.finish(FinishReason::Length, &engine.model.tokenizer));
        } else {
            sequences.push(Some(sequence));
            indices.push(index);
            layouts.push(layout);
        }
    }
    let mut live = LiveSequences {
        engine,
        sequences,
        indices,
        layouts: &layouts,
        reach: Reach::Native,
        members: Vec::new(),
        answer,
    };
    for reach in [Reach::Native, Reach::Stretched] {
        live.generate_within(reach, progress);
    }
}

/// The sequences that are not answered yet.
struct LiveSequences<'a, 'l> {
    engine: &'a Engine,
    sequences: Vec<Option<Sequence>>,
    /// The request of each sequence.
    indices: Vec<usize>,
    /// What positions do not say of each sequence's prompt.
    layouts: &'a [Option<SequenceLayout>],
    /// How far the sequences go that are being generated.
    reach: Reach,
    /// The sequence of each prompt.
    members: Vec<usize>,
    answer: &'l mut dyn FnMut(usize, Result<Generation, RequestError>),
}

impl LiveSequences<'_, '_> {
    /// Continues the sequences of one reach until each is answered or goes further than that. What
    /// goes further is computed anew.
    fn generate_within(&mut self, reach: Reach, progress: &mut dyn FnMut(usize)) {
        let border = self.engine.model.decoder.spec().native_context_tokens();
        let (mut members, mut texts) = (Vec::new(), Vec::new());
        for (member, sequence) in self.sequences.iter().enumerate() {
            let Some(sequence) = sequence else { continue };
            if self.engine.reach(sequence.tokens()) == reach {
                // The token after a sequence that just reaches the border still belongs to it.
                let room = match (reach, border) {
                    (Reach::Native, Some(border)) => border + 1 - sequence.tokens(),
                    _ => usize::MAX,
                };
                members.push(member);
                let layout = self.layouts.get(member).and_then(Option::as_ref);
                texts.push((sequence.ids(), layout, sequence.most_new_tokens().min(room)));
            }
        }
        if members.is_empty() {
            return;
        }
        let prompts: Vec<Prompt<'_>> = texts
            .iter()
            .map(|(ids, layout, most)| Prompt { ids, layout: *layout, most_new_tokens: *most })
            .collect();
        (self.reach, self.members) = (reach, members);
        let most_live = self.engine.options.live_sequences;
        let started = self.engine.session(reach, progress, |session| {
            continuations(session, &prompts, most_live, self);
        });
        if let Err(error) = started {
            for prompt in 0..prompts.len() {
                self.fail(prompt, error.clone());
            }
        }
    }
}

impl TokenChooser for LiveSequences<'_, '_> {
    fn rule(&self, prompt: usize) -> TokenRule<'_> {
        let Some(sequence) = &self.sequences[self.members[prompt]] else {
            return TokenRule::default();
        };
        TokenRule {
            banned: sequence.banned(&self.engine.eos_ids),
            sampling: sequence
                .sampling()
                .filter(|sampling| !sampling.is_greedy())
                .map(|sampling| (sampling, sequence.generated_tokens())),
        }
    }

    fn take(&mut self, prompt: usize, token: Option<u32>) -> bool {
        let member = self.members[prompt];
        let Some(sequence) = &mut self.sequences[member] else { return false };
        let tokenizer = &self.engine.model.tokenizer;
        let ended = match token {
            None => Err(self.engine.not_finite(&sequence.ids())),
            Some(id) => sequence
                .push(id, &self.engine.eos_ids, tokenizer)
                .map_err(|error| RequestError::Compute(error.to_string())),
        };
        match ended {
            Ok(None) => return self.engine.reach(sequence.tokens()) == self.reach,
            Ok(Some(finish)) => {
                if let Some(sequence) = self.sequences[member].take() {
                    (self.answer)(self.indices[member], sequence.finish(finish, tokenizer));
                }
            }
            Err(error) => self.fail(prompt, error),
        }
        false
    }

    fn fail(&mut self, prompt: usize, error: RequestError) {
        let member = self.members[prompt];
        self.sequences[member] = None;
        (self.answer)(self.indices[member], Err(error));
    }
}
