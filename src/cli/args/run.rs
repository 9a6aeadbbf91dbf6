//! Arguments of the commands that prepare or run configs.

use std::path::PathBuf;

use clap::Args;

use super::{
    engine::EngineArguments, file::FileArguments, tasks::TaskArguments, value::ComputeType,
};
use crate::{
    cli::{device::DeviceChoice, shard_choice::ShardChoice, shipped},
    model::Activations,
    plan::PlanSources,
};

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RunArguments {
    /// OpenCompass-style configs, or files of rows (.jsonl, .json, .csv, .tsv, .parquet); their models and data sets are taken
    /// together.
    #[arg(required_unless_present = "tasks", value_name = "CONFIG")]
    pub(in crate::cli) configs: Vec<PathBuf>,
    /// Which tasks.
    #[command(flatten)]
    pub(in crate::cli) tasks: TaskArguments,
    /// How to run them.
    #[command(flatten)]
    pub(in crate::cli) options: RunOptions,
    /// What a file of rows is.
    #[command(flatten)]
    pub(in crate::cli) file: FileArguments,
    /// Print the config that all this stands for, and run nothing.
    #[arg(long)]
    pub(in crate::cli) print_config: bool,
    /// Checkpoint to run instead of the configs' models: a folder, a GGUF file, or org/name[@revision] on the hub. May be given more than once.
    #[arg(long = "model", value_name = "MODEL")]
    pub(in crate::cli) models: Vec<PathBuf>,
    /// Ask only this shard of the run, as 3/16, into a folder of its own in the working folder; `surprisal merge` makes the
    /// run of all. auto/16 takes the number from Slurm's array or Kubernetes' indexed job.
    #[arg(long, value_name = "N/COUNT", conflicts_with_all = ["print_config", "all", "format"])]
    pub(in crate::cli) shard: Option<ShardChoice>,
}

/// How to run, and what to show.
#[derive(Debug, Args)]
pub(in crate::cli) struct RunOptions {
    /// How to run.
    #[command(flatten)]
    pub(in crate::cli) asking: AskingOptions,
    /// Show every data set, also those of families of more than 20.
    #[arg(long, conflicts_with = "json")]
    pub(in crate::cli) all: bool,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Write another program's files, too: those of lm-eval, results and samples of tasks, into a folder in the run's.
    #[arg(long, value_name = "FORMAT", value_parser = ["lm-eval"])]
    pub(in crate::cli) format: Option<String>,
}

/// What is asked, where, and with how much of the machine.
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches that have nothing to do with each other"
)]
#[derive(Debug, Args)]
pub(in crate::cli) struct AskingOptions {
    /// Folder for outputs. Answers are kept there: a run that was stopped goes on, and what was asked before
    /// is not asked again.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(in crate::cli) work_dir: PathBuf,
    /// Only the first N test samples of each data set.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) limit: Option<usize>,
    /// Where to compute: cpu, cuda, cuda:N, metal, or auto for a GPU if there is one; several with commas
    /// between share the work.
    #[arg(long = "device", value_name = "DEVICES", value_delimiter = ',', default_value = "auto")]
    pub(in crate::cli) devices: Vec<DeviceChoice>,
    /// The type that devices other than the CPU compute in, bf16, f16 or f32, instead of the one that
    /// weights are stored in.
    #[arg(long, value_name = "TYPE")]
    pub(in crate::cli) dtype: Option<ComputeType>,
    /// What becomes of the inputs of quantised weights: exact, or q8, which rounds them as llama.cpp does and is
    /// faster, on the CPU. Answers of both are kept apart.
    #[arg(long, value_name = "KIND", default_value = "exact")]
    pub(in crate::cli) activations: Activations,
    /// Ask everything again, whatever answers the folder holds.
    #[arg(long)]
    pub(in crate::cli) fresh: bool,
    /// Take answers that earlier runs have of models behind servers. Without it a server is asked anew by every run, but
    /// for a run that was stopped and goes on.
    #[arg(long)]
    pub(in crate::cli) reuse_served: bool,
    /// Stop before weights are read if there is a warning, and end with 2 if there is one about the answers.
    #[arg(long)]
    pub(in crate::cli) strict: bool,
    /// Prompt sensitivity (POSIX) of data sets with variants: score every answer after the wording of every other
    /// variant. What that costs is told before it is asked.
    #[arg(long)]
    pub(in crate::cli) posix: bool,
    /// Keep what a model's towers make of images, videos and sounds in the working folder, for later runs with this option: the same
    /// do not pass the towers again.
    #[arg(long)]
    pub(in crate::cli) keep_image_rows: bool,
    /// The model that judges where a metric asks a judge, instead of those that configs name: a folder, a GGUF
    /// file, or org/name[@revision] on the hub.
    #[arg(long, value_name = "MODEL")]
    pub(in crate::cli) judge: Option<PathBuf>,
    /// Run what a model wrote where a metric runs programs, in a sandbox: no network, no files of yours, limits of
    /// time and memory. Without it such predictions are kept and not scored.
    #[arg(long)]
    pub(in crate::cli) allow_code: bool,
    /// Only data sets whose abbr contains this text, or matches it with * and ?. May be given more than once.
    #[arg(long = "dataset", value_name = "PATTERN")]
    pub(in crate::cli) datasets: Vec<String>,
    /// How much at once.
    #[command(flatten)]
    pub(in crate::cli) engine: EngineArguments,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(in crate::cli) struct CheckArguments {
    /// OpenCompass-style configs, or files of rows (.jsonl, .json, .csv, .tsv, .parquet).
    #[arg(required_unless_present = "tasks", value_name = "CONFIG")]
    pub(in crate::cli) configs: Vec<PathBuf>,
    /// Which tasks.
    #[command(flatten)]
    pub(in crate::cli) tasks: TaskArguments,
    /// Folder for outputs. What retrievers ask models is kept there, so that a run does not ask it again; without such
    /// retrievers nothing is written.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(in crate::cli) work_dir: PathBuf,
    /// What a file of rows is.
    #[command(flatten)]
    pub(in crate::cli) file: FileArguments,
    /// Only the first N test samples of each data set.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) limit: Option<usize>,
    /// Checkpoint to check instead of the configs' models: a folder, a GGUF file, or org/name[@revision] on the hub. May be given more than once.
    #[arg(long = "model", value_name = "MODEL")]
    pub(in crate::cli) models: Vec<PathBuf>,
    /// Only data sets whose abbr contains this text, or matches it with * and ?. May be given more than once.
    #[arg(long = "dataset", value_name = "PATTERN")]
    pub(in crate::cli) datasets: Vec<String>,
    /// End with 2 if there is a warning.
    #[arg(long)]
    pub(in crate::cli) strict: bool,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

impl RunArguments {
    /// What the plan is made of.
    pub(in crate::cli) fn sources(&self) -> anyhow::Result<PlanSources> {
        sources(&self.configs, &self.models, &self.file, &self.tasks)
    }
}

impl CheckArguments {
    /// What the plan is made of.
    pub(in crate::cli) fn sources(&self) -> anyhow::Result<PlanSources> {
        sources(&self.configs, &self.models, &self.file, &self.tasks)
    }
}

fn sources(
    configs: &[PathBuf],
    models: &[PathBuf],
    file: &FileArguments,
    tasks: &TaskArguments,
) -> anyhow::Result<PlanSources> {
    let tasks = tasks.choice(file.shots);
    Ok(PlanSources {
        about_files: Some(file.fields_for(configs, tasks.is_some())?),
        configs: shipped::configs(configs)?,
        models: models.to_vec(),
        tasks,
        requests: None,
    })
}
