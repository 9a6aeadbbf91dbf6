//! A run: from a plan to kept answers, results and a summary.
//!
//! 1. The same command on the same files, finished before, is answered from the store at once.
//! 2. Everything that needs no weights is made ready (`prepare`). What can go wrong goes wrong here.
//! 3. Model by model, whatever the store has no answer to is asked; samples are kept.
//! 4. Predictions, results and summary are made from the store alone, as `kept_run` reads it.
//!
//! Nothing here prints; [`Progress`](crate::prepare::Progress) is told.

mod answering;
mod asking;
mod assignment;
mod cost;
mod execute;
mod files;
mod fleet;
mod identity;
mod image_rows;
mod inputs;
mod judging;
mod page;
mod posix;
mod results;
mod served_models;
mod shard;
mod stage_columns;
mod start;
mod wording;

use std::path::PathBuf;

use candle_core::DType;
pub use execute::execute;
use jiff::civil::DateTime;
pub use judging::judge;
pub use shard::{
    FailedQuestion, FoundShard, MOST_SHARDS, MergeOptions, RecordedModel, Shard, ShardEnd,
    ShardOptions, ShardOutcome, ShardRecord, StopSign, WaitingFor, ask_shard, merge, refuse_shards,
    shell_text,
};

use crate::{
    engine::EngineOptions,
    model::{Activations, DeviceName},
};

/// How a plan is run.
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches that have nothing to do with each other"
)]
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
    /// What becomes of the inputs of quantised weights.
    pub activations: Activations,
    /// Most tokens that may be computed. What it takes is told before anything is asked, and where it may take more,
    /// nothing is. Without it, nobody counts before.
    pub most_tokens: Option<usize>,
    /// Whether the page of the run is written at its end.
    pub has_page: bool,
    /// Whether everything is asked again, whatever answers there are.
    pub is_fresh: bool,
    /// Whether answers of models behind servers that earlier runs have count, too.
    pub reuses_served: bool,
    /// Whether every answer to a variant is scored after the wording of every other one.
    pub with_posix: bool,
    /// Whether what towers make of images is kept in the folder for outputs, for later runs.
    pub keeps_image_rows: bool,
    /// Whether what a model wrote may be run, in a sandbox, where a metric runs it.
    pub allows_code: bool,
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
        let suited = EngineOptions::on(device).with_batch_tokens(self.batch_tokens);
        EngineOptions { kv_bytes: self.kv_bytes.or(suited.kv_bytes), ..suited }
    }
}
