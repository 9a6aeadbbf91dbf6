//! Whole checkpoints, through the engine.

use std::path::Path;

use candle_core::{DType, Device};

use super::{
    CheckpointBound, SelftestOptions, SelftestRow, distances::Distances, inputs::TestInputs, towers,
};
use crate::{
    engine::{Engine, EngineOptions, ScoreRequest},
    model::{Checkpoint, ModelError, checkpoints_in},
    prepare::{PrepareError, Progress},
};

/// How far a surprisal may be off in f32, in nats.
pub(super) const BOUND_NATS: f64 = 1e-4;
/// Sequences of the greatest length.
const LONGEST: usize = 15;

/// A checkpoint that is loaded on both.
pub(super) struct Both {
    /// On the CPU, in f32.
    pub(super) host: Engine,
    /// On the device, in the type under test.
    pub(super) tested: Engine,
}

/// Scores random sequences with every checkpoint below `folder`, on both, and shows what its towers take.
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
        for &dtype in &options.dtypes {
            rows.extend(of_checkpoint(&place, device, dtype, options));
            progress.samples(1);
        }
    }
    progress.end();
    Ok(rows)
}

/// What a checkpoint does, a row for each thing.
fn of_checkpoint(
    place: &Path,
    device: &Device,
    dtype: DType,
    options: &SelftestOptions,
) -> Vec<SelftestRow> {
    let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bound = match dtype {
        DType::F32 => Some(BOUND_NATS),
        _ => options
            .bounds
            .get(&name)
            .and_then(|of_types| of_types.get(dtype.as_str()))
            .map(CheckpointBound::allowed_mean_nats),
    };
    let row = SelftestRow { bound, ..SelftestRow::of(name.clone(), dtype) };
    let both = match Both::load(place, device, dtype) {
        Ok(both) => both,
        Err(problem) => return vec![SelftestRow { problem: Some(problem), ..row }],
    };
    let mut rows = Vec::new();
    // Where prompts are seen both ways, none is text alone.
    if !both.host.model().decoder.spec().sees_prompt_both_ways {
        rows.push(match both.texts(options.seed) {
            Ok(distances) => distances.of_scores(row, dtype),
            Err(problem) => SelftestRow { problem: Some(problem), ..row },
        });
    }
    // A GGUF file has no towers.
    if place.extension().is_none_or(|ending| ending != "gguf") {
        rows.extend(towers::compare(place, &name, &both, (device, dtype), options.seed));
    }
    rows
}

impl Both {
    fn load(place: &Path, device: &Device, dtype: DType) -> Result<Self, String> {
        let load = |device: &Device, dtype| {
            let model = Checkpoint::open_folder(place)?.load(device, dtype)?;
            Ok::<_, ModelError>(Engine::new(model, EngineOptions::default()))
        };
        let host = load(&Device::Cpu, DType::F32).map_err(|error| error.to_string())?;
        let tested = load(device, dtype).map_err(|error| error.to_string())?;
        Ok(Self { host, tested })
    }

    /// Scores sequences of tokens on both.
    fn texts(&self, seed: u64) -> Result<Distances, String> {
        let spec = self.host.model().decoder.spec();
        let mut inputs = TestInputs::new(&Device::Cpu, DType::F32, seed);
        let longest = spec.context_tokens.min(120);
        // Half of the longest is common to all.
        let common = inputs.tokens(longest / 2, spec.vocabulary_size);
        // Of many lengths, and many of the longest: a mean over few tokens says little.
        let requests: Vec<ScoreRequest> = [1, 2, longest / 5]
            .into_iter()
            .chain([longest / 2; LONGEST])
            .map(|own| ScoreRequest {
                ids: [common.clone(), inputs.tokens(own, spec.vocabulary_size)].concat().into(),
                first_target: 0,
            })
            .collect();
        let found = self.scores(&requests, &requests)?;
        let mut all: Vec<f64> = Vec::new();
        for (number, distances) in found.into_iter().enumerate() {
            // What is common counts once.
            all.extend(distances.into_iter().skip(if number == 0 { 0 } else { common.len() }));
        }
        Ok(Distances::of(requests.len(), all))
    }

    /// How far surprisals of the same prompts are apart, in nats, by the ids that each engine has for them.
    pub(super) fn scores(
        &self,
        of_host: &[ScoreRequest],
        of_tested: &[ScoreRequest],
    ) -> Result<Vec<Vec<f64>>, String> {
        let expected = self.host.score(of_host, &mut |_| ());
        let found = self.tested.score(of_tested, &mut |_| ());
        let pairs = expected.into_iter().zip(found).map(|(expected, found)| {
            let expected = expected.map_err(|error| format!("on the CPU: {error}"))?;
            let found = found.map_err(|error| error.to_string())?;
            let scores = expected.nlls.iter().zip(&found.nlls);
            Ok(scores.map(|(expected, found)| f64::from((expected - found).abs())).collect())
        });
        pairs.collect()
    }
}
