//! How far two models are from each other over the same text.
//!
//! Meant for a model and its quantised copy: beside both perplexities it says what a perplexity
//! hides, the divergence between the two distributions at every token. The measures and their names
//! are those of llama.cpp's `llama-perplexity --kl-divergence`, so that figures can be put side by
//! side. Both models are in memory at once and read the same windows; only a few rows ever have all
//! their logits. It is not an evaluation: there are no prompts and no answers.

mod disagreement;
mod report;
mod text;
mod windows;

use std::{ops::Range, path::PathBuf};

use candle_core::{DType, Result, Tensor};
use rayon::prelude::*;

use disagreement::Disagreement;
pub use report::{ComparisonReport, Estimate, Spread};
use windows::Windows;

use crate::{
    engine::RequestError,
    model::{Checkpoint, DeviceName, Model},
    prepare::{PrepareError, Progress},
};

/// Logits of each model that are held at once.
const LOGITS_PER_TILE: usize = 1 << 24;

/// What is compared, and on what.
#[derive(Clone, Debug)]
pub struct ComparisonOptions {
    /// The model whose distribution counts as the true one.
    pub base: String,
    /// The model that is judged by it.
    pub other: String,
    /// The text: a plain file, or a data set's file whose rows have it in `column`.
    pub text: PathBuf,
    /// That column.
    pub column: String,
    /// Tokens of a window.
    pub window_tokens: usize,
    /// At most so many windows; all without it.
    pub most_windows: Option<usize>,
    /// Where to compute.
    pub device: DeviceName,
}

/// Reads the text with both models and compares what they expect at every scored token.
pub fn compare_models(
    options: &ComparisonOptions,
    progress: &dyn Progress,
) -> std::result::Result<ComparisonReport, PrepareError> {
    let text = text::read(&options.text, &options.column)?;
    let failed = |name: &str, source| PrepareError::Model {
        model: name.to_owned(),
        source: Box::new(source),
    };
    let open = |name: &str| Checkpoint::open(name, progress).map_err(|source| failed(name, source));
    let (base, other) = (open(&options.base)?, open(&options.other)?);
    let windows = Windows::cut(&text, [&base, &other], options)?;
    let device = options.device.open().map_err(|source| PrepareError::Device(Box::new(source)))?;
    let load = |name: &str, checkpoint: &Checkpoint| {
        checkpoint.load(&device, DType::F32).map_err(|source| failed(name, source))
    };
    let names = [options.base.as_str(), &options.other];
    let pair = Pair { models: [load(names[0], &base)?, load(names[1], &other)?], names };

    progress.begin("comparing", windows.len(), 0);
    let mut disagreements = Vec::with_capacity(windows.scored_tokens());
    for ids in windows.iter() {
        pair.compare(&ids, windows.first_target(), &mut disagreements)?;
        progress.tokens(2 * ids.len());
        progress.samples(1);
    }
    progress.end();
    Ok(ComparisonReport::new(options, &windows, &disagreements))
}

/// Both models, the base first; a side is an index.
struct Pair<'a> {
    models: [Model; 2],
    names: [&'a str; 2],
}

impl Pair<'_> {
    /// Adds how the models disagree about the tokens of a window from `first_target` on.
    fn compare(
        &self,
        ids: &[u32],
        first_target: usize,
        found: &mut Vec<Disagreement>,
    ) -> std::result::Result<(), PrepareError> {
        let hidden = |side: usize| {
            let hidden = self.models[side].decoder.hidden_alone(ids);
            hidden.map_err(|error| self.failed(side, &error.into()))
        };
        let hidden = [hidden(0)?, hidden(1)?];
        let vocabulary_size = self.models[0].decoder.spec().vocabulary_size;
        // The row before a token expects it.
        let targets: Vec<usize> = (first_target..ids.len()).collect();
        for targets in targets.chunks((LOGITS_PER_TILE / vocabulary_size).max(1)) {
            let rows = targets[0] - 1..targets[0] - 1 + targets.len();
            let logits = |side: usize| {
                let logits = self.logits(side, &hidden[side], rows.clone());
                logits.map_err(|error| self.failed(side, &error.into()))
            };
            let (base, other) = (logits(0)?, logits(1)?);
            let pairs = base.par_chunks(vocabulary_size).zip(other.par_chunks(vocabulary_size));
            let disagreements = pairs
                .zip(targets)
                .map(|((base, other), &target)| Disagreement::of(base, other, ids[target]))
                .collect::<std::result::Result<Vec<_>, _>>()
                .map_err(|side| self.not_finite(side, ids))?;
            found.extend(disagreements);
        }
        Ok(())
    }

    /// The logits after some rows, one row after another.
    fn logits(&self, side: usize, hidden: &Tensor, rows: Range<usize>) -> Result<Vec<f32>> {
        let tile = hidden.narrow(0, rows.start, rows.len())?;
        self.models[side].decoder.logits(&tile)?.flatten_all()?.to_vec1()
    }

    /// A model whose logits are no numbers.
    fn not_finite(&self, side: usize, ids: &[u32]) -> PrepareError {
        let error = match self.models[side].decoder.first_broken_layer(ids) {
            Ok(layer) => RequestError::NotFinite { layer },
            Err(error) => error.into(),
        };
        self.failed(side, &error)
    }

    fn failed(&self, side: usize, error: &RequestError) -> PrepareError {
        PrepareError::Comparison {
            subject: self.names[side].to_owned(),
            problem: error.to_string(),
        }
    }
}
