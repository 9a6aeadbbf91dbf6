//! A run: from a plan to records, results and a summary.
//!
//! 1. Everything that needs no weights is made ready (`prepare`). What can go wrong goes wrong here.
//! 2. The run is fingerprinted and its folder opened, or found again.
//! 3. Model by model, the samples without a record are answered, and predictions written.
//! 4. Results and summary are made from the records alone.
//!
//! Nothing here prints; [`Progress`](crate::prepare::Progress) is told.

mod error;
mod evaluation;
mod execute;
mod work;

use std::path::PathBuf;

use candle_core::DType;
use jiff::civil::DateTime;
use serde::Serialize;

pub use error::RunError;
pub use execute::execute;

use crate::{
    engine::EngineOptions,
    model::DeviceName,
    report::{FamilyRow, ResultRow},
};

/// How a plan is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Folder for outputs.
    pub work_dir: PathBuf,
    /// Only the first so many test samples of each data set.
    pub limit: Option<usize>,
    /// Where to compute; several share the work, each with the whole model.
    pub devices: Vec<DeviceName>,
    /// What devices other than the CPU compute in; without it, the type that weights are stored in.
    pub dtype: Option<DType>,
    /// Most rows of a forward pass; without it, what suits the device. No score depends on it.
    pub batch_tokens: Option<usize>,
    /// Most memory for keys and values on each device; without it, a share of what is free.
    pub kv_bytes: Option<usize>,
    /// Names a new run's folder, and is what chat templates that write a date are told.
    pub now: DateTime,
}

impl RunOptions {
    /// How an engine on a device works.
    fn engine(&self, device: DeviceName) -> EngineOptions {
        let suited = EngineOptions::on(device);
        EngineOptions {
            batch_tokens: self.batch_tokens.unwrap_or(suited.batch_tokens),
            kv_bytes: self.kv_bytes.or(suited.kv_bytes),
            ..suited
        }
    }
}

/// What a run gives.
#[derive(Debug, Serialize)]
pub struct RunOutcome {
    /// The folder with everything.
    pub folder: PathBuf,
    /// One row per metric, data set and model.
    pub results: Vec<ResultRow>,
    /// One row per metric, family of data sets and model.
    pub families: Vec<FamilyRow>,
    /// Samples without an answer.
    pub failed_samples: usize,
}
