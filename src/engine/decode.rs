//! Greedy generation of many sequences at once.
//!
//! Every pass computes what each live sequence still lacks: its prompt when it joins, one token
//! from then on. A finished sequence leaves and a waiting one takes its place in the next pass, so
//! the batch stays full to the end. A sequence's text does not depend on its company.

use std::collections::VecDeque;

use super::Engine;
use super::batch::Batch;
use super::error::RequestError;
use super::request::{FinishReason, GenerateRequest, Generation};
use super::sequence::Sequence;
use crate::model::KvStore;

type Answer = Result<Generation, RequestError>;

/// Answers every request, in order.
pub(super) fn generate(
    engine: &Engine,
    requests: &[GenerateRequest],
    progress: &mut dyn FnMut(usize),
) -> Vec<Answer> {
    let spec = engine.model.decoder.spec();
    let mut answers: Vec<Option<Answer>> = vec![None; requests.len()];
    let mut waiting: VecDeque<Sequence<'_>> = VecDeque::new();
    for (index, request) in requests.iter().enumerate() {
        if let Err(error) = engine.check(&request.ids) {
            answers[index] = Some(Err(error));
            continue;
        }
        let sequence = Sequence::new(index, request, spec.context_tokens);
        if sequence.is_full() {
            let answer = sequence.finish(FinishReason::Length, &engine.model.tokenizer);
            answers[index] = Some(answer);
        } else {
            waiting.push_back(sequence);
        }
    }

    let mut live: Vec<Sequence<'_>> = Vec::new();
    let mut blocks = Blocks::default();
    loop {
        admit(engine, &mut waiting, &mut live);
        if live.is_empty() {
            break;
        }
        let mut batch = Batch::default();
        for sequence in &mut live {
            let tokens = sequence.kept_tokens + sequence.pending().len();
            while sequence.blocks.len() * KvStore::BLOCK_TOKENS < tokens {
                sequence.blocks.push(blocks.take());
            }
            let Sequence { kept_tokens, blocks, .. } = &*sequence;
            batch.push(sequence.pending(), *kept_tokens, blocks, KvStore::BLOCK_TOKENS);
        }
        match next_tokens(engine, &batch, &mut blocks, &mut live) {
            Ok(next) => live = advance(engine, live, next, &mut blocks, &mut answers),
            Err(error) => {
                for sequence in live.drain(..) {
                    blocks.free.extend(&sequence.blocks);
                    answers[sequence.index] = Some(Err(error.clone()));
                }
            }
        }
        progress(batch.len());
    }
    answers.into_iter().map(|answer| answer.unwrap_or(Err(RequestError::Empty))).collect()
}

/// The blocks of the sequences' keys and values.
#[derive(Default)]
struct Blocks {
    kept: Option<KvStore>,
    free: Vec<u32>,
    used: u32,
}

impl Blocks {
    /// A block nobody owns.
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        })
    }

    /// The store, with room for every block that was ever taken.
    fn store(&mut self, engine: &Engine) -> Result<&mut KvStore, RequestError> {
        let kept = match &mut self.kept {
            Some(kept) => kept,
            none => none.insert(engine.model.decoder.kv_store(KvStore::BLOCK_TOKENS)?),
        };
        kept.grow(self.used as usize)?;
        Ok(kept)
    }
}

/// Lets waiting sequences join while there is room; one always may when nothing is live.
fn admit<'a>(engine: &Engine, waiting: &mut VecDeque<Sequence<'a>>, live: &mut Vec<Sequence<'a>>) {
    let options = engine.options;
    let mut rows: usize = live.iter().map(|sequence| sequence.pending().len()).sum();
    while let Some(sequence) = waiting.front() {
        rows += sequence.pending().len();
        let fits = live.len() < options.live_sequences && rows <= options.batch_tokens;
        if !(fits || live.is_empty()) {
            break;
        }
        live.extend(waiting.pop_front());
    }
}

/// One pass: for each live sequence its next token, or `None` if its logits are not numbers.
fn next_tokens(
    engine: &Engine,
    batch: &Batch,
    blocks: &mut Blocks,
    live: &mut [Sequence<'_>],
) -> Result<Vec<Option<u32>>, RequestError> {
    let decoder = &engine.model.decoder;
    let hidden = decoder.hidden(&batch.rows(), blocks.store(engine)?)?;
    for sequence in live.iter_mut() {
        sequence.kept_tokens += sequence.pending().len();
    }
    let last_rows = candle_core::Tensor::new(batch.last_rows(), hidden.device())?;
    let banned: Vec<&[u32]> =
        live.iter().map(|sequence| sequence.banned(&engine.eos_ids)).collect();
    Ok(decoder.most_likely(&hidden.index_select(&last_rows, 0)?, &banned)?)
}

/// Gives every live sequence its next token; those that end are answered, the others stay.
fn advance<'a>(
    engine: &Engine,
    live: Vec<Sequence<'a>>,
    next: Vec<Option<u32>>,
    blocks: &mut Blocks,
    answers: &mut [Option<Answer>],
) -> Vec<Sequence<'a>> {
    let tokenizer = &engine.model.tokenizer;
    let mut staying = Vec::with_capacity(live.len());
    for (mut sequence, next) in live.into_iter().zip(next) {
        let index = sequence.index;
        let Some(id) = next else {
            blocks.free.append(&mut sequence.blocks);
            answers[index] = Some(Err(engine.not_finite(&sequence.ids())));
            continue;
        };
        let outcome = sequence.push(id, &engine.eos_ids, tokenizer);
        if matches!(outcome, Ok(None)) {
            staying.push(sequence);
            continue;
        }
        blocks.free.append(&mut sequence.blocks);
        answers[index] = Some(match outcome {
            Ok(finish) => sequence.finish(finish.unwrap_or(FinishReason::Length), tokenizer),
            Err(error) => Err(RequestError::Compute(error.to_string())),
        });
    }
    staying
}
