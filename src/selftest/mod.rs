//! Whether a device computes what the CPU computes.
//!
//! Every operation gets fresh random inputs of odd shapes on both, rounded to the type under test
//! first so that both read the same numbers; the CPU then computes in f32. Memory that a result may
//! be written to is filled with NaN before, so that a number that was never written is seen. Whole
//! checkpoints follow, through the engine: texts, and of those that see or hear the rows that towers
//! make of random images, videos and sounds, and texts behind them. It needs nothing but the program,
//! because the machine with the device may have nothing else. It measures no speed; that is `bench`.

mod attention;
mod checkpoints;
mod distances;
mod inputs;
mod operations;
mod quantised;
mod shown;
mod towers;

use std::{collections::BTreeMap, path::PathBuf};

use candle_core::DType;
use serde::{Deserialize, Serialize};

use inputs::TestInputs;

use crate::{
    model::DeviceName,
    prepare::{PrepareError, Progress},
};

/// What is tested.
#[derive(Clone, Debug)]
pub struct SelftestOptions {
    /// The device.
    pub device: DeviceName,
    /// The types it computes in: f32, bf16, f16.
    pub dtypes: Vec<DType>,
    /// Makes the random numbers.
    pub seed: u64,
    /// A folder of checkpoints, folders or .gguf files, each of which is scored on both.
    pub checkpoints: Option<PathBuf>,
    /// What is known of checkpoints in types of 16 bits, by which they are judged.
    pub bounds: CheckpointBounds,
}

/// How far surprisals in 16 bits are from those in f32 elsewhere, by checkpoint (its folder's name) and type (`bf16`, `f16`).
pub type CheckpointBounds = BTreeMap<String, BTreeMap<String, CheckpointBound>>;

/// Of one checkpoint in one type. `benches/device/bounds.py` measures transformers.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct CheckpointBound {
    /// The largest difference, in nats: of a few tokens, whose experts were others perhaps.
    pub max_nats: f64,
    /// The mean difference, in nats; of the device's [`Self::allowed_mean_nats`] says how large it may be.
    pub mean_nats: f64,
}

/// How much larger a checkpoint's mean difference may be than what is known: two right programs round at other places, and
/// one that computes anything else is off by far more.
const MEAN_FACTOR: f64 = 2.0;

impl CheckpointBound {
    /// How large a device's mean difference may be, in nats.
    pub fn allowed_mean_nats(&self) -> f64 {
        MEAN_FACTOR * self.mean_nats
    }
}

/// One operation, or one thing that a checkpoint does, in one type.
#[derive(Clone, Debug, Serialize)]
pub struct SelftestRow {
    /// The operation's name or the checkpoint's; behind the latter, what else than text was tried.
    pub subject: String,
    /// The type that the device computed in.
    pub dtype: &'static str,
    /// Inputs that were tried.
    pub cases: usize,
    /// How far a number was from the CPU's at most: relative to 1 + |the CPU's| for an operation, nats
    /// for a checkpoint's scores, parts of the CPU's root mean square for a tower's rows. Infinite where
    /// either is no number.
    pub furthest: f64,
    /// How far scores of a checkpoint were off on average, in nats.
    pub mean_nats: Option<f64>,
    /// How far numbers of a tower's rows were off on average, in parts of the CPU's root mean square.
    pub mean_of_size: Option<f64>,
    /// What is judged: of scores in 16 bits the mean without the furthest hundredth of their tokens, of rows in 16 bits the mean,
    /// otherwise the furthest.
    pub judged: f64,
    /// How far that may be; `None` where nothing is known to judge by.
    pub bound: Option<f64>,
    /// Why it could not be computed.
    pub problem: Option<String>,
}

impl SelftestRow {
    /// Nothing of it was tried yet.
    fn of(subject: String, dtype: DType) -> Self {
        let dtype = dtype.as_str();
        let (mean_nats, mean_of_size, bound, problem) = (None, None, None, None);
        let (cases, furthest, judged) = (0, 0.0, 0.0);
        Self { subject, dtype, cases, furthest, mean_nats, mean_of_size, judged, bound, problem }
    }

    /// Whether it was computed and is not too far off.
    pub fn passed(&self) -> bool {
        self.problem.is_none() && self.bound.is_none_or(|bound| self.judged <= bound)
    }
}

/// Compares all operations, and the checkpoints if there are any.
pub fn selftest(
    options: &SelftestOptions,
    progress: &dyn Progress,
) -> Result<Vec<SelftestRow>, PrepareError> {
    let device = options.device.open().map_err(|source| PrepareError::Device(Box::new(source)))?;
    if device.is_cpu() && options.dtypes.iter().any(|&dtype| dtype != DType::F32) {
        return Err(PrepareError::Comparison {
            subject: format!("device {}", options.device),
            problem: "the CPU computes in f32 only".to_owned(),
        });
    }
    let mut rows = Vec::new();
    for &dtype in &options.dtypes {
        let mut inputs = TestInputs::new(&device, dtype, options.seed);
        let operations = operations::cases().into_iter().chain(quantised::cases());
        let operations = operations.chain(attention::cases());
        rows.extend(operations.map(|operation| operation.compare(&mut inputs)));
    }
    if let Some(folder) = &options.checkpoints {
        rows.extend(checkpoints::compare(folder, &device, options, progress)?);
    }
    Ok(rows)
}
