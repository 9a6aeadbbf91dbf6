//! Whole checkpoints, through the engine.

use std::path::Path;

use candle_core::{DType, Device};

use super::{CheckpointBound, SelftestOptions, SelftestRow, inputs::TestInputs};
use crate::{
    engine::{Engine, EngineOptions, ScoreRequest},
    model::{Checkpoint, ModelError, checkpoints_in},
    prepare::{PrepareError, Progress},
};

/// How far a surprisal may be off in f32, in nats.
const BOUND_NATS: f64 = 1e-4;
/// One of so many tokens is not judged in 16 bits: where two experts are nearly as likely, rounding decides, and what follows
/// is off by nats in any program.
const UNUSUAL_PART: usize = 100;
/// Sequences of the greatest length.
const LONGEST: usize = 15;

/// Scores random sequences with every checkpoint below `folder`, on both.
pub(super) fn compare(
    folder: &Path,
    device: &Device,
    options: &SelftestOptions,
    progress: &dyn Progress,
) -> Result<Vec<SelftestRow>, PrepareError> {
    let wrong = |problem: String| PrepareError::Comparison {
        subject: folder.display().to_string(),
        problem,
    };
    let places =
        checkpoints_in(folder).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    if places.is_empty() {
        return Err(wrong(
            "holds no checkpoint: neither folders with a config.json nor .gguf files".to_owned(),
        ));
    }
    progress.begin("checkpoints", places.len() * options.dtypes.len(), 0);
    let mut rows = Vec::new();
    for place in places {
        let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for &dtype in &options.dtypes {
            let compared = distances(&place, device, dtype, options.seed);
            let bound = match dtype {
                DType::F32 => Some(BOUND_NATS),
                _ => options
                    .bounds
                    .get(&name)
                    .and_then(|of_types| of_types.get(dtype.as_str()))
                    .map(CheckpointBound::allowed_mean_nats),
            };
            let row = SelftestRow {
                subject: name.clone(),
                dtype: dtype.as_str(),
                cases: 0,
                furthest: 0.0,
                mean_nats: None,
                judged: 0.0,
                bound,
                problem: None,
            };
            rows.push(match compared {
                Ok(Distances { cases, furthest, mean, usual_mean }) => {
                    let judged = if dtype == DType::F32 { furthest } else { usual_mean };
                    SelftestRow { cases, furthest, mean_nats: Some(mean), judged, ..row }
                }
                Err(problem) => SelftestRow { problem: Some(problem), ..row },
            });
            progress.samples(1);
        }
    }
    progress.end();
    Ok(rows)
}

/// How far surprisals are off, in nats.
struct Distances {
    /// How many sequences were scored.
    cases: usize,
    furthest: f64,
    mean: f64,
    /// The mean without the furthest tokens.
    usual_mean: f64,
}

/// Scores sequences on both.
fn distances(place: &Path, device: &Device, dtype: DType, seed: u64) -> Result<Distances, String> {
    let load = |device: &Device, dtype| {
        let model = Checkpoint::open_folder(place)?.load(device, dtype)?;
        Ok::<_, ModelError>(Engine::new(model, EngineOptions::default()))
    };
    let host = load(&Device::Cpu, DType::F32).map_err(|error| error.to_string())?;
    let tested = load(device, dtype).map_err(|error| error.to_string())?;
    let spec = host.model().decoder.spec();
    let mut inputs = TestInputs::new(&Device::Cpu, DType::F32, seed);
    let longest = spec.context_tokens.min(120);
    let mut ids = |count: usize| -> Vec<u32> {
        (0..count).map(|_| inputs.index(spec.vocabulary_size) as u32).collect()
    };
    // Half of the longest is common to all.
    let common = ids(longest / 2);
    // Of many lengths, and many of the longest: a mean over few tokens says little.
    let requests: Vec<ScoreRequest> = [1, 2, longest / 5]
        .into_iter()
        .chain([longest / 2; LONGEST])
        .map(|own| ScoreRequest {
            ids: [common.clone(), ids(own)].concat().into(),
            first_target: 0,
        })
        .collect();
    let (expected, found) =
        (host.score(&requests, &mut |_| ()), tested.score(&requests, &mut |_| ()));
    let mut all: Vec<f64> = Vec::new();
    for (number, (expected, found)) in expected.into_iter().zip(found).enumerate() {
        let expected = expected.map_err(|error| format!("on the CPU: {error}"))?;
        let found = found.map_err(|error| error.to_string())?;
        // What is common counts once.
        let counted = if number == 0 { 0 } else { common.len() };
        let scores = expected.nlls.iter().zip(&found.nlls);
        for (expected, found) in scores.skip(counted) {
            let distance = f64::from((expected - found).abs());
            all.push(if distance.is_nan() { f64::INFINITY } else { distance });
        }
    }
    all.sort_unstable_by(f64::total_cmp);
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
    let usual = all.len() - all.len() / UNUSUAL_PART;
    Ok(Distances {
        cases: requests.len(),
        furthest: all.last().copied().unwrap_or(0.0),
        mean: mean(&all),
        usual_mean: mean(&all[..usual]),
    })
}
