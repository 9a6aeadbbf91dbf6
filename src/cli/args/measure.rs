//! Arguments of the commands that measure models and devices.

use std::path::PathBuf;

use clap::Args;

use super::{
    engine::EngineArguments,
    served_bench::ServedBenchArguments,
    value::{ComputeType, block_tokens, positive, window_tokens},
};
use crate::{
    bench::ScoredTokens,
    cli::device::DeviceChoice,
    model::{Activations, DeviceName},
};

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub(in crate::cli) struct BenchArguments {
    /// OpenCompass-style configs whose prompts are asked; without one, made-up questions are.
    #[arg(value_name = "CONFIG")]
    pub(in crate::cli) configs: Vec<PathBuf>,
    /// Checkpoint, a folder, a GGUF file, or org/name[@revision] on the hub; with configs, instead of their models. May be given more than once.
    #[arg(long = "model", value_name = "MODEL", conflicts_with = "synthetic")]
    pub(in crate::cli) models: Vec<PathBuf>,
    /// A model of random weights in memory: llama25m, llama3-8b, llama3.2-1b, qwen0.5b, qwen2.5-7b.
    #[arg(long, value_name = "SHAPE", conflicts_with = "configs")]
    pub(in crate::cli) synthetic: Option<String>,
    /// Made-up questions: gen, hellaswag10 or mmlu5, which is asked if none is named.
    #[arg(long, value_name = "NAME", conflicts_with = "configs")]
    pub(in crate::cli) workload: Option<String>,
    /// No model: matrix products and attention by themselves, on the CPU. `SURPRISAL_INSTRUCTIONS=avx2` holds
    /// them, as every command, to less than the processor has.
    #[arg(long, conflicts_with_all = [
        "configs", "models", "synthetic", "workload", "scored", "limit", "device", "dtype", "batch_tokens", "kv_bytes",
        "block_tokens", "keep", "compare", "baseline", "trace",
    ])]
    pub(in crate::cli) kernels: bool,
    /// Only the first N test samples of each data set, or N made-up questions.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(in crate::cli) limit: Option<usize>,
    /// Which tokens of made-up questions are scored: all, as `run` does to compare whole texts, or answers.
    #[arg(long, value_name = "TOKENS", default_value = "all", conflicts_with = "configs")]
    pub(in crate::cli) scored: ScoredTokens,
    /// Measure N times and report the fastest.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive)]
    pub(in crate::cli) repeat: usize,
    /// Where to compute: cpu, cuda, cuda:N, metal, or auto for a GPU if there is one.
    #[arg(long, default_value = "auto")]
    pub(in crate::cli) device: DeviceChoice,
    /// The type that a device other than the CPU computes in: bf16, f16 or f32.
    #[arg(long, value_name = "TYPE", default_value = "bf16")]
    pub(in crate::cli) dtype: ComputeType,
    /// What becomes of the inputs of quantised weights: exact, or q8, which rounds them as llama.cpp does.
    #[arg(long, value_name = "KIND", default_value = "exact", conflicts_with = "synthetic")]
    pub(in crate::cli) activations: Activations,
    /// How much at once.
    #[command(flatten)]
    pub(in crate::cli) engine: EngineArguments,
    /// Tokens of a block of keys and values, a multiple of 16.
    #[arg(long, value_name = "N", value_parser = block_tokens)]
    pub(in crate::cli) block_tokens: Option<usize>,
    /// Keep the answers of one more repetition below this folder, as a run does, and say what that costs.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) keep: Option<PathBuf>,
    /// Print beside what a former `--json` said about the same model and workload.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(in crate::cli) compare: Option<PathBuf>,
    /// Another build of this program: both measure the same in turn, and the ratios are printed with 95 % intervals.
    #[arg(long, value_name = "BINARY", conflicts_with_all = ["compare", "keep", "trace"])]
    pub(in crate::cli) baseline: Option<PathBuf>,
    /// How often both builds measure.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = positive, requires = "baseline")]
    pub(in crate::cli) rounds: usize,
    /// Trace one more repetition into this file, which Chrome (`chrome://tracing`) and Perfetto open.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) trace: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// A model behind a server.
    #[command(flatten)]
    pub(in crate::cli) served: ServedBenchArguments,
}

/// Arguments of `compare-models`.
#[derive(Debug, Args)]
pub(in crate::cli) struct CompareModelsArguments {
    /// The model whose distribution counts as the true one.
    #[arg(value_name = "BASE")]
    pub(in crate::cli) base: String,
    /// The model that is judged by it, such as a quantised copy.
    #[arg(value_name = "OTHER")]
    pub(in crate::cli) other: String,
    /// A plain text, or a data set's file (.jsonl, .json, .csv) with a column of texts.
    #[arg(value_name = "TEXT")]
    pub(in crate::cli) text: PathBuf,
    /// The column of a data set's file.
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub(in crate::cli) column: String,
    /// Tokens of a window; the second half of each is scored.
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = window_tokens)]
    pub(in crate::cli) window_tokens: usize,
    /// At most so many windows.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) windows: Option<usize>,
    /// Where to compute: cpu, cuda, cuda:N, metal, or auto for a GPU if there is one.
    #[arg(long, default_value = "auto")]
    pub(in crate::cli) device: DeviceChoice,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Arguments of `selftest`.
#[derive(Debug, Args)]
pub(in crate::cli) struct SelftestArguments {
    /// What is tested: cpu, cuda, cuda:N or metal.
    #[arg(long, default_value = "cpu")]
    pub(in crate::cli) device: DeviceName,
    /// The types it computes in, with commas between: f32, bf16, f16.
    #[arg(long = "dtype", value_name = "TYPES", value_delimiter = ',', default_value = "f32")]
    pub(in crate::cli) dtypes: Vec<ComputeType>,
    /// Seed of the random inputs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(in crate::cli) seed: u64,
    /// Folder of checkpoints, folders or .gguf files, that are scored on both.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) checkpoints: Option<PathBuf>,
    /// How far checkpoints may be off in bf16 and f16, as `benches/device/bounds.py` prints it; without it, bounds.json
    /// beside the checkpoints, if it is there.
    #[arg(long, value_name = "FILE", requires = "checkpoints")]
    pub(in crate::cli) bounds: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
