//! From score requests to surprisals.

use super::Engine;
use super::error::RequestError;
use super::plan::TokenPath;
use super::request::{Score, ScoreRequest};
use super::surprisals::surprisals;

/// Answers every request, in the order they are finished.
pub(super) fn score(
    engine: &Engine,
    requests: &[ScoreRequest],
    progress: &mut dyn FnMut(usize),
    answer: &mut dyn FnMut(usize, Result<Score, RequestError>),
) {
    let mut answerable = Vec::with_capacity(requests.len());
    for (index, request) in requests.iter().enumerate() {
        match engine.check(&request.ids) {
            Ok(()) => answerable.push(index),
            Err(error) => answer(index, Err(error)),
        }
    }
    let paths: Vec<TokenPath<'_>> = answerable
        .iter()
        .map(|&index| &requests[index])
        .map(|ScoreRequest { ids, first_target }| TokenPath { ids, first_target: *first_target })
        .collect();
    let started = engine.session(progress, |session| {
        surprisals(session, &paths, &mut |path, nlls| {
            let index = answerable[path];
            let finite = |nlls| finite(engine, &requests[index], nlls);
            answer(index, nlls.and_then(finite));
        });
    });
    if let Err(error) = started {
        for index in answerable {
            answer(index, Err(error.clone()));
        }
    }
}

fn finite(engine: &Engine, request: &ScoreRequest, nlls: Vec<f32>) -> Result<Score, RequestError> {
    if nlls.iter().all(|nll| nll.is_finite()) {
        Ok(Score { nlls })
    } else {
        Err(engine.not_finite(&request.ids))
    }
}
