//! Arguments of `compare`.

use std::path::PathBuf;

use clap::Args;

use super::{
    run::AskingOptions,
    tasks::TaskArguments,
    value::{positive, resamples},
};
use crate::compare::Part;

/// Samples that changed are listed up to so many, unless it is said how many.
const USUAL_FLIPS: &str = "10";

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub(in crate::cli) struct CompareArguments {
    /// Configs, whose names end in .py, each run first as `run` does; and runs of the working folder: names, as
    /// `surprisal runs` lists them, or `latest`.
    #[arg(required_unless_present = "tasks", value_name = "CONFIG|RUN")]
    pub(in crate::cli) names: Vec<String>,
    /// Which tasks to run first, as `run` does.
    #[command(flatten)]
    pub(in crate::cli) tasks: TaskArguments,
    /// How many examples stand before each question of a task.
    #[arg(long, value_name = "N", requires = "tasks")]
    pub(in crate::cli) shots: Option<usize>,
    /// What members differ in, all else being equal: variant, model, run or rule; without it, the first of variant,
    /// model, rule and run in which they do.
    #[arg(long, value_name = "PART")]
    pub(in crate::cli) by: Option<Part>,
    /// Which metric; without it, the first that all members have.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) metric: Option<String>,
    /// The column whose values say which samples belong together, such as questions about one text.
    #[arg(long, value_name = "COLUMN")]
    pub(in crate::cli) cluster: Option<String>,
    /// List the samples that changed, up to so many for a pair.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = USUAL_FLIPS, value_parser = positive)]
    pub(in crate::cli) flips: Option<usize>,
    /// How often samples are drawn anew.
    #[arg(long, value_name = "N", default_value = "10000", value_parser = resamples)]
    pub(in crate::cli) resamples: usize,
    /// From which seed: equal seeds give equal figures.
    #[arg(long, value_name = "N", default_value = "0")]
    pub(in crate::cli) seed: u64,
    /// Print everything as JSON, with full precision.
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// How to run configs.
    #[command(flatten)]
    pub(in crate::cli) asking: AskingOptions,
    /// Checkpoint to run instead of the configs' models: a folder, a GGUF file, or org/name[@revision] on the hub. May be given more than once.
    #[arg(long = "model", value_name = "MODEL")]
    pub(in crate::cli) models: Vec<PathBuf>,
}
