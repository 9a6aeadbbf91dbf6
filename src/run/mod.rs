//! A run: from a plan to kept answers, results and a summary.
//!
//! 1. The same command on the same files, finished before, is answered from the store at once.
//! 2. Everything that needs no weights is made ready (`prepare`). What can go wrong goes wrong here.
//! 3. Model by model, whatever the store has no answer to is asked; samples are kept.
//! 4. Predictions, results and summary are made from the store alone.
//!
//! Nothing here prints; [`Progress`](crate::prepare::Progress) is told.

mod asking;
mod error;
mod evaluation;
mod execute;
mod export;
mod facts;
mod files;
mod identity;
mod inputs;
mod kept_sample;
mod listing;
mod reevaluation;
mod start;

use std::path::PathBuf;

use candle_core::DType;
use jiff::civil::DateTime;
use serde::Serialize;

pub use error::RunError;
pub use execute::execute;
pub use export::{ExportOptions, export, format_of};
pub use facts::{RunFacts, UnitFacts, WorkDone};
pub use listing::{ListedRun, list};
pub use reevaluation::{ReevaluationOptions, reevaluate};

use crate::{
    engine::EngineOptions,
    model::DeviceName,
    report::{FamilyRow, ResultRow},
    warn::WarningCount,
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
    /// Whether everything is asked again, whatever answers there are.
    pub is_fresh: bool,
    /// Whether warnings are errors.
    pub strict: bool,
    /// Most rows of a forward pass; without it, what suits the device. No score depends on it.
    pub batch_tokens: Option<usize>,
    /// Most memory for keys and values on each device; without it, a share of what is free.
    pub kv_bytes: Option<usize>,
    /// Names a new run's folder, and is what chat templates that write a date are told.
    pub now: DateTime,
    /// Tells when the run is finished.
    pub clock: fn() -> DateTime,
    /// What was typed, to be kept with the run.
    pub command_line: Vec<String>,
    /// What it runs on, to be kept with the run.
    pub machine: String,
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
    /// How the run is called.
    pub name: String,
    /// The folder with everything.
    pub folder: PathBuf,
    /// One row per metric, data set and model.
    pub results: Vec<ResultRow>,
    /// One row per metric, family of data sets and model.
    pub families: Vec<FamilyRow>,
    /// Samples without an answer.
    pub failed_samples: usize,
    /// How much was asked, and how much of that was known.
    pub work: WorkDone,
    /// Whether an earlier run had done all of it: then nothing new was written.
    pub is_from_store: bool,
    /// What was measured wrongly: found before weights were read, and in the predictions.
    pub warnings: Vec<WarningCount>,
    /// Why data sets have no figure; those of the others are there.
    pub errors: Vec<String>,
}
