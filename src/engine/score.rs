//! From score requests to surprisals.

use super::Engine;
use super::batch::Batch;
use super::error::RequestError;
use super::plan;
use super::request::{Score, ScoreRequest};

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
    for run in plan::batches(lengths, engine.options.batch_tokens) {
        let run = &computed[run];
        let mut batch = Batch::default();
        for &index in run {
            batch.push_scored(&requests[index].ids, requests[index].first_target);
        }
        match surprisals(engine, &batch) {
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

fn surprisals(engine: &Engine, batch: &Batch) -> Result<Vec<f32>, RequestError> {
    let decoder = &engine.model.decoder;
    let hidden = decoder.hidden(&batch.rows(), None)?;
    Ok(decoder.surprisals(&hidden, batch.targets())?)
}

fn finite(engine: &Engine, request: &ScoreRequest, nlls: &[f32]) -> Result<Score, RequestError> {
    if nlls.iter().all(|nll| nll.is_finite()) {
        Ok(Score { nlls: nlls.to_vec() })
    } else {
        Err(engine.not_finite(&request.ids))
    }
}
