//! What checkpoints see and hear: rows of towers, and texts behind them, on the CPU and on the device under test.
//!
//! Both engines are given the CPU's rows, so that texts tell of the decoder alone; how far rows are apart is told of them.

use std::path::Path;

use candle_core::{DType, Device, Result, Tensor};

use super::SelftestRow;
use super::checkpoints::{BOUND_NATS, Both};
use super::distances::Distances;
use super::inputs::{TestInputs, bound};
use super::shown::{self, Shown, ShownRows};
use crate::engine::{Engine, ScoreRequest};
use crate::model::vision::{ImageRows, is_image_id};
use crate::ops::host;

/// How far numbers of rows may be off in f32, in parts of their root mean square: towers have many layers.
const ROW_BOUND: f64 = 1e-3;
/// Tokens before what is shown, and between one thing and the next.
const TOKENS_BEFORE: usize = 9;
/// Tokens of each text behind it.
const TOKENS_BEHIND: [usize; 6] = [1, 2, 14, 40, 40, 40];

/// Two rows for each kind of thing that the checkpoint in a folder sees or hears; none for one that does neither.
pub(super) fn compare(
    place: &Path,
    name: &str,
    both: &Both,
    (device, dtype): (&Device, DType),
    seed: u64,
) -> Vec<SelftestRow> {
    let mut inputs = TestInputs::new(&Device::Cpu, DType::F32, seed);
    let mut outcomes = shown::seen(place, (device, dtype), &mut inputs);
    outcomes.extend(shown::heard(place, (device, dtype), &mut inputs));
    let mut rows = Vec::new();
    for (kind, outcome) in outcomes {
        let bound = if dtype == DType::F32 { ROW_BOUND } else { bound(dtype) };
        let row = SelftestRow::of(format!("{name}, rows of {kind}"), dtype);
        let row = SelftestRow { bound: Some(bound), ..row };
        let scored = SelftestRow::of(format!("{name}, texts behind {kind}"), dtype);
        let bound = (dtype == DType::F32).then_some(BOUND_NATS);
        let scored = SelftestRow { bound, ..scored };
        match outcome {
            Err(problem) => rows.push(SelftestRow { problem: Some(problem), ..row }),
            Ok(shown) => {
                rows.push(match row_distances(&shown) {
                    Ok(distances) => distances.of_rows(row, dtype),
                    Err(error) => SelftestRow { problem: Some(first_line(&error)), ..row },
                });
                rows.push(match score_distances(both, &shown, &mut inputs) {
                    Ok(distances) => distances.of_scores(scored, dtype),
                    Err(problem) => SelftestRow { problem: Some(problem), ..scored },
                });
            }
        }
    }
    rows
}

/// How far the towers' numbers are apart, those of each tensor in parts of the root mean square of the CPU's.
fn row_distances(shown: &Shown) -> Result<Distances> {
    let mut all = Vec::new();
    let stretches = shown.prompts.iter().flatten();
    let count = stretches.clone().count();
    for ShownRows { host, tested } in stretches {
        if host.added.len() != tested.added.len() || host.grid != tested.grid {
            candle_core::bail!("rows of another form than the CPU's")
        }
        let added = host.added.iter().zip(&tested.added);
        for (expected, found) in std::iter::once((&host.rows, &tested.rows)).chain(added) {
            all.extend(distances(expected, found)?);
        }
    }
    Ok(Distances::of(count, all))
}

fn distances(expected: &Tensor, found: &Tensor) -> Result<Vec<f64>> {
    if expected.dims() != found.dims() {
        candle_core::bail!("rows of {:?}, not {:?}", found.dims(), expected.dims())
    }
    host::read(expected, |expected| {
        host::read(found, |found| {
            let squares = expected.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>();
            let size = (squares / expected.len().max(1) as f64).sqrt().max(f64::MIN_POSITIVE);
            let pairs = expected.iter().zip(found);
            pairs.map(|(one, other)| f64::from((one - other).abs()) / size).collect()
        })
    })?
}

/// How far surprisals of random texts behind each prompt's rows are apart.
fn score_distances(
    both: &Both,
    shown: &Shown,
    inputs: &mut TestInputs<'_>,
) -> std::result::Result<Distances, String> {
    let spec = both.host.model().decoder.spec();
    let (vocabulary_size, is_two_way) = (spec.vocabulary_size, spec.sees_prompt_both_ways);
    let (mut of_host, mut of_tested) = (Vec::new(), Vec::new());
    for (number, prompt) in shown.prompts.iter().enumerate() {
        let texts: Vec<Vec<u32>> =
            (0..=prompt.len()).map(|_| inputs.tokens(TOKENS_BEFORE, vocabulary_size)).collect();
        let ids = |engine: &Engine| {
            let key = format!("{} {number}", shown.kind);
            let given = prompt.iter().map(|rows| &rows.host);
            prompt_ids(engine, &key, shown.both_ways, &texts, given, is_two_way)
        };
        let (host, tested) = (ids(&both.host)?, ids(&both.tested)?);
        for (text, count) in TOKENS_BEHIND.into_iter().enumerate() {
            let own = inputs.tokens(count, vocabulary_size);
            // What is common counts once, and nothing predicts what is seen both ways.
            let first_target = if text == 0 && !is_two_way { 1 } else { host.len() };
            let request =
                |prompt: &[u32]| ScoreRequest { ids: [prompt, &own].concat().into(), first_target };
            of_host.push(request(&host));
            of_tested.push(request(&tested));
        }
    }
    let found = both.scores(&of_host, &of_tested)?;
    let mut all: Vec<f64> = Vec::new();
    for (request, distances) in of_host.iter().zip(found) {
        let targets = request.ids.iter().skip(request.first_target);
        let of_tokens = targets.zip(distances).filter(|(id, _)| !is_image_id(**id));
        all.extend(of_tokens.map(|(_, distance)| distance));
    }
    Ok(Distances::of(of_host.len(), all))
}

/// Texts with rows between them, as ids of an engine.
fn prompt_ids<'r>(
    engine: &Engine,
    key: &str,
    both_ways: bool,
    texts: &[Vec<u32>],
    given: impl Iterator<Item = &'r ImageRows>,
    is_two_way: bool,
) -> std::result::Result<Vec<u32>, String> {
    let mut ids = Vec::new();
    let mut texts = texts.iter();
    ids.extend(texts.next().into_iter().flatten());
    for ((place, rows), text) in given.enumerate().zip(texts) {
        let own = engine.image_ids(&format!("{key}.{place}"), both_ways, || {
            Ok::<_, candle_core::Error>(rows.clone())
        });
        ids.extend(own.map_err(|error| first_line(&error))?);
        ids.extend(text);
    }
    if is_two_way {
        return engine.two_way_prompt(&ids).map_err(|error| error.to_string());
    }
    Ok(ids)
}

/// What went wrong. With `RUST_BACKTRACE` set, candle's messages go on for pages.
fn first_line(error: &candle_core::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
