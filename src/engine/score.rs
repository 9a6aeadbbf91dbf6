//! From score requests to surprisals.

use super::Engine;
use super::error::RequestError;
use super::plan::TokenPath;
use super::request::{Score, ScoreRequest};
use super::surprisals::surprisals;
use crate::model::spec::Reach;

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
    for reach in [Reach::Native, Reach::Stretched] {
        let of_reach = |index: &usize| engine.reach(requests[*index].ids.len()) == reach;
        let members: Vec<usize> = answerable.iter().copied().filter(of_reach).collect();
        if members.is_empty() {
            continue;
        }
        let path = |&index: &usize| TokenPath {
            ids: &requests[index].ids,
            first_target: requests[index].first_target,
        };
        let paths: Vec<TokenPath<'_>> = members.iter().map(path).collect();
        let started = engine.session(reach, progress, |session| {
            surprisals(session, &paths, &mut |path, nlls| {
                let index = members[path];
                let finite = |nlls| finite(engine, &requests[index], nlls);
                answer(index, nlls.and_then(finite));
            });
        });
        if let Err(error) = started {
            for index in members {
                answer(index, Err(error.clone()));
            }
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
