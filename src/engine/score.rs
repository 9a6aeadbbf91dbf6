//! From score requests to surprisals.

use super::Engine;
use super::batch::Batch;
use super::error::RequestError;
use super::plan;
use super::request::{Score, ScoreRequest};
use crate::model::KvStore;

/// Answers every request, in order.
pub(super) fn score(
    engine: &Engine,
    requests: &[ScoreRequest],
    progress: &mut dyn FnMut(usize),
) -> Vec<Result<Score, RequestError>> {
    let mut answers: Vec<Result<Score, RequestError>> = requests
        .iter()
        .map(|request| engine.check(&request.ids).map(|()| Score { nlls: Vec::new() }))
        .collect();
    let computed: Vec<usize> = (0..requests.len())
        .filter(|&index| answers[index].is_ok() && targets(&requests[index]) > 0)
        .collect();
    let lengths = computed.iter().map(|&index| requests[index].ids.len() - 1);
    let mut kept = None;
    for run in plan::batches(lengths, engine.options.batch_tokens) {
        let run = &computed[run];
        let mut batch = Batch::default();
        let mut blocks = 0;
        for &index in run {
            let request = &requests[index];
            let needed = (request.ids.len() - 1).div_ceil(KvStore::BLOCK_TOKENS) as u32;
            let own: Vec<u32> = (blocks..blocks + needed).collect();
            blocks += needed;
            let block_tokens = KvStore::BLOCK_TOKENS;
            batch.push_scored(&request.ids, request.first_target, &own, block_tokens);
        }
        match surprisals(engine, &batch, &mut kept, blocks as usize) {
            Ok(nlls) => {
                let mut rest = nlls.as_slice();
                for &index in run {
                    let (nlls, others) = rest.split_at(targets(&requests[index]));
                    rest = others;
                    answers[index] = finite(engine, &requests[index], nlls);
                }
            }
            Err(error) => {
                for &index in run {
                    answers[index] = Err(error.clone());
                }
            }
        }
        progress(batch.len());
    }
    answers
}

/// How many tokens of a request are scored.
fn targets(request: &ScoreRequest) -> usize {
    request.ids.len().saturating_sub(request.first_target.max(1))
}

/// Computes a batch whose sequences own the first `blocks` blocks of the store.
fn surprisals(
    engine: &Engine,
    batch: &Batch,
    kept: &mut Option<KvStore>,
    blocks: usize,
) -> Result<Vec<f32>, RequestError> {
    let decoder = &engine.model.decoder;
    let kept = match kept {
        Some(kept) => kept,
        None => kept.insert(decoder.kv_store(KvStore::BLOCK_TOKENS)?),
    };
    kept.grow(blocks)?;
    let hidden = decoder.hidden(&batch.rows(), kept)?;
    Ok(decoder.surprisals(&hidden, batch.targets())?)
}

fn finite(engine: &Engine, request: &ScoreRequest, nlls: &[f32]) -> Result<Score, RequestError> {
    if nlls.iter().all(|nll| nll.is_finite()) {
        Ok(Score { nlls: nlls.to_vec() })
    } else {
        Err(engine.not_finite(&request.ids))
    }
}
