//! A run: from configs to records, results and a summary.
//!
//! 1. [`RunPlan::load`] evaluates the configs and fills every default.
//! 2. Everything that needs no weights happens for all models and data sets: rows are read, examples
//!    retrieved, prompts built and tokenised, checkpoints checked. What can go wrong goes wrong here.
//! 3. The run is fingerprinted and its folder opened, or found again.
//! 4. Model by model, the samples without a record are answered, and predictions written.
//! 5. Results and summary are made from the records alone.
//!
//! Nothing here prints; [`Progress`] is told.

mod bench;
mod chat_checkpoint;
mod chat_settings;
mod check;
mod compare_models;
mod cost;
mod dataset_plan;
mod doubled_bos;
mod error;
mod evaluation;
mod execute;
mod fields;
mod inspect;
mod locate;
mod markup;
mod model_plan;
mod plan;
mod prepare;
mod progress;
mod ready;
mod selftest;
mod tokenizer;
mod view;
mod work;

use std::path::PathBuf;

use candle_core::DType;
use jiff::civil::DateTime;
use serde::Serialize;

pub use crate::model::hub::Silent;
pub use bench::{
    BenchMemory, BenchOptions, BenchReport, BenchSubject, ComparedQuantity, OperationReport,
    PhaseReport, SyntheticWorkload, Workload, bench, compare,
};
pub use chat_checkpoint::ChatCheckpoint;
pub use chat_settings::ChatSettings;
pub use check::{CheckRow, check};
pub use compare_models::{ComparisonOptions, ComparisonReport, Estimate, Spread, compare_models};
pub use cost::MemoryCost;
pub use dataset_plan::DatasetPlan;
pub use error::RunError;
pub use execute::execute;
pub use inspect::{
    ArchitectureLine, DecoderSizes, FoundTemplate, GenerationFacts, InspectedMemory, Inspection,
    ParameterCount, inspect,
};
pub use model_plan::ModelPlan;
pub use plan::RunPlan;
pub use progress::Progress;
pub use selftest::{SelftestOptions, SelftestRow, selftest};
pub use view::{
    FirstDifference, Pattern, PieceKind, PromptView, SectionSize, Severity, ViewPicks, ViewedPiece,
    ViewedPrompt, ViewedToken, Warning, view,
};

use crate::{model::DeviceName, report::ResultRow};

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
    /// Names a new run's folder, and is what chat templates that write a date are told.
    pub now: DateTime,
}

/// What a run gives.
#[derive(Debug, Serialize)]
pub struct RunOutcome {
    /// The folder with everything.
    pub folder: PathBuf,
    /// One row per metric, data set and model.
    pub results: Vec<ResultRow>,
    /// Samples without an answer.
    pub failed_samples: usize,
}
