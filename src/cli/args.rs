//! What was typed.

use std::{path::PathBuf, str::FromStr};

use candle_core::DType;
use clap::{Args, Parser, Subcommand};

use super::{device::DeviceChoice, list::Parts};
use crate::{
    model::DeviceName,
    report::{ExportFormat, ExportTable},
};

/// Evaluates local language models by perplexity and by generation.
#[derive(Debug, Parser)]
#[command(name = "surprisal", version, about, long_about = None)]
pub(super) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Command,
    /// Take weights from a hub that tells no sha256 of them.
    #[arg(long, global = true)]
    pub(super) allow_unverified: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the data sets of configs on their models and print the scores.
    Run(RunArguments),
    /// List the runs of a working folder.
    Runs(RunsArguments),
    /// Score a run again with another metric, post-processor or rule: no weights, no data files.
    Evaluate(EvaluateArguments),
    /// Write a run as a flat table: samples, candidates or tokens, for pandas, Polars or DuckDB.
    Export(ExportArguments),
    /// Do everything that a run does before it reads weights, and say what it would compute.
    Check(CheckArguments),
    /// Show the prompts that a config makes, without loading weights.
    View(ViewArguments),
    /// Write conversations as the text that a chat model reads.
    ChatTemplate(ChatTemplateArguments),
    /// Print what a config evaluates to.
    Config(ConfigArguments),
    /// List the model families and files that are read.
    Models(ModelsArguments),
    /// List the parts that a config may name: retrievers, inferencers, evaluators and the like.
    List(ListArguments),
    /// Show what a checkpoint is and needs, without loading weights.
    Inspect(InspectArguments),
    /// Measure how fast models answer, and where their time and memory go.
    Bench(BenchArguments),
    /// Say how far a model is from another over the same text: KL divergence, top token, perplexity.
    CompareModels(CompareModelsArguments),
    /// Compare what a device computes with what the CPU computes.
    Selftest(SelftestArguments),
    /// Run configs/demo.py on the model that ships with the project.
    Demo(RunOptions),
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// OpenCompass-style configs; their models and data sets are taken together.
    #[arg(required = true, value_name = "CONFIG")]
    pub(super) configs: Vec<PathBuf>,
    /// How to run them.
    #[command(flatten)]
    pub(super) options: RunOptions,
    /// Checkpoint to run instead of the configs' models: a folder, a GGUF file, or org/name[@revision] on the hub. May be given more than once.
    #[arg(long = "model", value_name = "MODEL")]
    pub(super) models: Vec<PathBuf>,
}

/// Arguments of `runs`.
#[derive(Debug, Args)]
pub(super) struct RunsArguments {
    /// The working folder.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(super) work_dir: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `evaluate`.
#[derive(Debug, Args)]
pub(super) struct EvaluateArguments {
    /// The run: its name, its number, or `latest`.
    #[arg(value_name = "RUN")]
    pub(super) run: String,
    /// A config whose `eval_cfg` counts instead of the run's, for data sets of the same abbr.
    #[arg(value_name = "CONFIG")]
    pub(super) config: Option<PathBuf>,
    /// The working folder.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(super) work_dir: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    /// The run: its name, its number, or `latest`.
    #[arg(value_name = "RUN")]
    pub(super) run: String,
    /// Which table: samples, candidates or tokens.
    #[arg(long, value_name = "TABLE", default_value = "samples")]
    pub(super) table: ExportTable,
    /// In which format: jsonl, csv or parquet; without it, what the file's name says, or jsonl.
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<ExportFormat>,
    /// The file; stdout without it.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// The working folder.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(super) work_dir: PathBuf,
}

/// How to run.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Debug, Args)]
pub(super) struct RunOptions {
    /// Folder for outputs. Answers are kept there: a run that was stopped goes on, and what was asked before
    /// is not asked again.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(super) work_dir: PathBuf,
    /// Only the first N test samples of each data set.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// Where to compute: cpu, cuda, cuda:N, metal, or auto for a GPU if there is one; several with commas
    /// between share the work.
    #[arg(long = "device", value_name = "DEVICES", value_delimiter = ',', default_value = "auto")]
    pub(super) devices: Vec<DeviceChoice>,
    /// The type that devices other than the CPU compute in, bf16, f16 or f32, instead of the one that
    /// weights are stored in.
    #[arg(long, value_name = "TYPE")]
    pub(super) dtype: Option<ComputeType>,
    /// Ask everything again, whatever answers the folder holds.
    #[arg(long)]
    pub(super) fresh: bool,
    /// Stop before weights are read if there is a warning, and end with 2 if there is one about the answers.
    #[arg(long)]
    pub(super) strict: bool,
    /// Only data sets whose abbr contains this text, or matches it with * and ?. May be given more than once.
    #[arg(long = "dataset", value_name = "PATTERN")]
    pub(super) datasets: Vec<String>,
    /// Threads that compute; one for each core without it.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) threads: Option<usize>,
    /// Most rows of a forward pass; what suits the device without it.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) batch_tokens: Option<usize>,
    /// Most memory for keys and values; half of what is free without it.
    #[arg(long, value_name = "BYTES", value_parser = positive)]
    pub(super) kv_bytes: Option<usize>,
    /// Show every data set, also those of families of more than 20.
    #[arg(long, conflicts_with = "json")]
    pub(super) all: bool,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// OpenCompass-style configs.
    #[arg(required = true, value_name = "CONFIG")]
    pub(super) configs: Vec<PathBuf>,
    /// Only the first N test samples of each data set.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// Checkpoint to check instead of the configs' models: a folder, a GGUF file, or org/name[@revision] on the hub. May be given more than once.
    #[arg(long = "model", value_name = "MODEL")]
    pub(super) models: Vec<PathBuf>,
    /// End with 2 if there is a warning.
    #[arg(long)]
    pub(super) strict: bool,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub(super) struct BenchArguments {
    /// OpenCompass-style configs whose prompts are asked; without one, made-up questions are.
    #[arg(value_name = "CONFIG", required_unless_present_any = ["models", "synthetic"])]
    pub(super) configs: Vec<PathBuf>,
    /// Checkpoint, a folder, a GGUF file, or org/name[@revision] on the hub; with configs, instead of their models. May be given more than once.
    #[arg(long = "model", value_name = "MODEL", conflicts_with = "synthetic")]
    pub(super) models: Vec<PathBuf>,
    /// A model of random weights in memory: llama25m, llama3-8b, llama3.2-1b, qwen0.5b, qwen2.5-7b.
    #[arg(long, value_name = "SHAPE", conflicts_with = "configs")]
    pub(super) synthetic: Option<String>,
    /// Made-up questions: gen, hellaswag10 or mmlu5, which is asked if none is named.
    #[arg(long, value_name = "NAME", conflicts_with = "configs")]
    pub(super) workload: Option<String>,
    /// Only the first N test samples of each data set, or N made-up questions.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// Measure N times and report the fastest.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) repeat: usize,
    /// Where to compute: cpu, cuda, cuda:N, metal, or auto for a GPU if there is one.
    #[arg(long, default_value = "auto")]
    pub(super) device: DeviceChoice,
    /// The type that a device other than the CPU computes in: bf16, f16 or f32.
    #[arg(long, value_name = "TYPE", default_value = "bf16")]
    pub(super) dtype: ComputeType,
    /// Threads that compute; one for each core without it.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) threads: Option<usize>,
    /// Most rows of a forward pass.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) batch_tokens: Option<usize>,
    /// Most memory for keys and values; half of what is free without it.
    #[arg(long, value_name = "BYTES", value_parser = positive)]
    pub(super) kv_bytes: Option<usize>,
    /// Tokens of a block of keys and values, a multiple of 16.
    #[arg(long, value_name = "N", value_parser = block_tokens)]
    pub(super) block_tokens: Option<usize>,
    /// Print beside what a former `--json` said about the same model and workload.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(super) compare: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `compare-models`.
#[derive(Debug, Args)]
pub(super) struct CompareModelsArguments {
    /// The model whose distribution counts as the true one.
    #[arg(value_name = "BASE")]
    pub(super) base: String,
    /// The model that is judged by it, such as a quantised copy.
    #[arg(value_name = "OTHER")]
    pub(super) other: String,
    /// A plain text, or a data set's file (.jsonl, .json, .csv) with a column of texts.
    #[arg(value_name = "TEXT")]
    pub(super) text: PathBuf,
    /// The column of a data set's file.
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub(super) column: String,
    /// Tokens of a window; the second half of each is scored.
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = window_tokens)]
    pub(super) window_tokens: usize,
    /// At most so many windows.
    #[arg(long, value_name = "N")]
    pub(super) windows: Option<usize>,
    /// Where to compute: cpu, cuda, cuda:N, metal, or auto for a GPU if there is one.
    #[arg(long, default_value = "auto")]
    pub(super) device: DeviceChoice,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `selftest`.
#[derive(Debug, Args)]
pub(super) struct SelftestArguments {
    /// What is tested: cpu, cuda, cuda:N or metal.
    #[arg(long, default_value = "cpu")]
    pub(super) device: DeviceName,
    /// The types it computes in, with commas between: f32, bf16, f16.
    #[arg(long = "dtype", value_name = "TYPES", value_delimiter = ',', default_value = "f32")]
    pub(super) dtypes: Vec<ComputeType>,
    /// Seed of the random inputs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Folder of checkpoints, folders or .gguf files, that are scored on both.
    #[arg(long, value_name = "DIR")]
    pub(super) checkpoints: Option<PathBuf>,
    /// JSON object: how many nats a checkpoint may be off in bf16 or f16.
    #[arg(long, value_name = "FILE", requires = "checkpoints")]
    pub(super) bounds: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// A type that models are computed in.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComputeType(pub(super) DType);

impl FromStr for ComputeType {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "f32" => Ok(Self(DType::F32)),
            "bf16" => Ok(Self(DType::BF16)),
            "f16" => Ok(Self(DType::F16)),
            _ => Err("expected f32, bf16 or f16".to_owned()),
        }
    }
}

/// Reads the length of a window: one token before at least one that is scored, and one to begin with.
fn window_tokens(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(tokens) if tokens >= 4 => Ok(tokens),
        _ => Err("expected a number from 4".to_owned()),
    }
}

/// Reads a number that cannot be zero.
fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("expected a number from 1".to_owned()),
    }
}

/// Reads the length of a block.
fn block_tokens(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(tokens) if tokens > 0 && tokens % 16 == 0 => Ok(tokens),
        _ => Err("expected a multiple of 16".to_owned()),
    }
}

/// Arguments of `config`.
#[derive(Debug, Args)]
pub(super) struct ConfigArguments {
    /// OpenCompass-style config.
    #[arg(value_name = "CONFIG")]
    pub(super) config: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `models`.
#[derive(Debug, Args)]
pub(super) struct ModelsArguments {
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// Which parts; all of them without it.
    #[arg(value_name = "PARTS")]
    pub(super) parts: Option<Parts>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `inspect`.
#[derive(Debug, Args)]
pub(super) struct InspectArguments {
    /// Checkpoint folder, folder of a low-rank adapter, or name in the local Hugging Face cache.
    #[arg(value_name = "MODEL")]
    pub(super) model: String,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `view`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Debug, Args)]
pub(super) struct ViewArguments {
    /// OpenCompass-style config.
    #[arg(value_name = "CONFIG")]
    pub(super) config: PathBuf,
    /// Only data sets whose abbr contains this text, or matches it with * and ?.
    #[arg(short, long, value_name = "PATTERN")]
    pub(super) dataset: Option<String>,
    /// Which test sample, from 0.
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub(super) sample: usize,
    /// Every test sample.
    #[arg(short, long, conflicts_with = "sample")]
    pub(super) all: bool,
    /// Only the candidate with this label.
    #[arg(short, long)]
    pub(super) label: Option<String>,
    /// Only models whose abbr contains this text, or matches it with * and ?; or a checkpoint to view the
    /// prompts with instead: a folder, a GGUF file, or org/name[@revision] on the hub.
    #[arg(short, long = "model", value_name = "PATTERN|MODEL")]
    pub(super) model: Option<PathBuf>,
    /// Show each token over its id.
    #[arg(short, long)]
    pub(super) tokens: bool,
    /// Show every candidate whole, also what all of them share.
    #[arg(short, long)]
    pub(super) full: bool,
    /// Write a page to look at in a browser.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(super) html: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `chat-template`.
#[derive(Debug, Args)]
pub(super) struct ChatTemplateArguments {
    /// Checkpoint folder, GGUF file, `tokenizer_config.json`, .jinja file, or org/name[@revision] on the hub.
    #[arg(value_name = "MODEL_OR_FILE")]
    pub(super) model: String,
    /// A conversation in a .json file or, as `-`, on stdin, or one per line of a .jsonl file; without it,
    /// a short sample.
    #[arg(short, long, value_name = "FILE")]
    pub(super) messages: Option<PathBuf>,
    /// Where the lines of a .jsonl file go, each with `formatted_chat`; stdout without it.
    #[arg(short, long, value_name = "FILE", requires = "messages")]
    pub(super) output: Option<PathBuf>,
    /// The checkpoint's template of that name, such as `tool_use`.
    #[arg(long, value_name = "NAME", conflicts_with = "template")]
    pub(super) name: Option<String>,
    /// Your own template instead of the checkpoint's.
    #[arg(long, value_name = "FILE|TEXT")]
    pub(super) template: Option<String>,
    /// End with the opening of the assistant's answer.
    #[arg(long)]
    pub(super) add_generation_prompt: bool,
    /// End inside of the last message, for the model to go on with it.
    #[arg(long, conflicts_with = "add_generation_prompt")]
    pub(super) continue_final_message: bool,
    /// JSON list of functions that the model may call.
    #[arg(long, value_name = "FILE")]
    pub(super) tools: Option<PathBuf>,
    /// JSON list of documents.
    #[arg(long, value_name = "FILE")]
    pub(super) documents: Option<PathBuf>,
    /// A variable of the template; its value is JSON, or else text.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) set: Vec<String>,
    /// Print JSON: text, token ids, what the assistant says, the template's file, notes.
    #[arg(long)]
    pub(super) json: bool,
}
