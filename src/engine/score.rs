//! From score requests to surprisals.

use super::Engine;
use super::error::RequestError;
use super::plan::TokenPath;
use super::request::{Score, ScoreRequest};
use super::surprisals::surprisals;
use crate::model::spec::Reach;
use crate::ops::head::Surprisal;

/// Answers every request, in the order they are finished.
pub(super) fn score(
    engine: &Engine,
    requests: &[ScoreRequest],
    progress: &mut dyn FnMut(usize),
    answer: &mut dyn FnMut(usize, Result<Score, RequestError>),
) {
    let mut answerable = Vec::with_capacity(requests.len());
    let mut layouts = vec![None; requests.len()];
    for (index, request) in requests.iter().enumerate() {
        match engine.laid_out(&request.ids, 1) {
            Ok(layout) => {
                layouts[index] = layout;
                answerable.push(index);
            }
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
            layout: layouts[index].as_ref(),
        };
        let paths: Vec<TokenPath<'_>> = members.iter().map(path).collect();
        let started = engine.session(reach, progress, |session| {
            surprisals(session, &paths, &mut |path, surprisals| {
                let index = members[path];
                let finite = |surprisals| finite(engine, &requests[index], surprisals);
                answer(index, surprisals.and_then(finite));
            });
        });
        if let Err(error) = started {
            for index in members {
                answer(index, Err(error.clone()));
            }
        }
    }
}

fn finite(
    engine: &Engine,
    request: &ScoreRequest,
    surprisals: Vec<Surprisal>,
) -> Result<Score, RequestError> {
    if surprisals.iter().all(|surprisal| surprisal.nats.is_finite()) {
        let parts =
            surprisals.into_iter().map(|Surprisal { nats, is_likeliest }| (nats, is_likeliest));
        let (nlls, likeliest) = parts.unzip();
        Ok(Score { nlls, likeliest })
    } else {
        Err(engine.not_finite(&request.ids))
    }
}
