//! Arguments of the commands that show a config, a prompt, a checkpoint, or what there is to name.

use std::path::PathBuf;

use clap::Args;

use super::tasks::TaskArguments;
use crate::cli::list::Parts;

/// Arguments of `config`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ConfigArguments {
    /// OpenCompass-style config.
    #[arg(value_name = "CONFIG")]
    pub(in crate::cli) config: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Arguments of `models`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ModelsArguments {
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ListArguments {
    /// Which parts; all of them without it.
    #[arg(value_name = "PARTS")]
    pub(in crate::cli) parts: Option<Parts>,
    /// With `tasks`: those whose names match, such as `mmlu*`.
    #[arg(value_name = "PATTERN")]
    pub(in crate::cli) pattern: Option<String>,
    /// With `tasks`: the folder of lm-eval's task files.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) tasks_path: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Arguments of `inspect`.
#[derive(Debug, Args)]
pub(in crate::cli) struct InspectArguments {
    /// Checkpoint folder, folder of a low-rank adapter, or name in the local Hugging Face cache.
    #[arg(value_name = "MODEL")]
    pub(in crate::cli) model: String,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Arguments of `view`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Debug, Args)]
pub(in crate::cli) struct ViewArguments {
    /// OpenCompass-style config.
    #[arg(value_name = "CONFIG", required_unless_present = "tasks")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Which tasks.
    #[command(flatten)]
    pub(in crate::cli) tasks: TaskArguments,
    /// How many examples a task shows.
    #[arg(long, value_name = "N", requires = "tasks")]
    pub(in crate::cli) shots: Option<usize>,
    /// Folder for outputs. What retrievers ask models is kept there, so that a run does not ask it again; without such
    /// retrievers nothing is written.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(in crate::cli) work_dir: PathBuf,
    /// Only data sets whose abbr contains this text, or matches it with * and ?.
    #[arg(short, long, value_name = "PATTERN")]
    pub(in crate::cli) dataset: Option<String>,
    /// Which test sample, from 0.
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub(in crate::cli) sample: usize,
    /// Every test sample.
    #[arg(short, long, conflicts_with = "sample")]
    pub(in crate::cli) all: bool,
    /// Only the candidate with this label.
    #[arg(short, long)]
    pub(in crate::cli) label: Option<String>,
    /// Only models whose abbr contains this text, or matches it with * and ?; or a checkpoint to view the
    /// prompts with instead: a folder, a GGUF file, or org/name[@revision] on the hub.
    #[arg(short, long = "model", value_name = "PATTERN|MODEL")]
    pub(in crate::cli) model: Option<PathBuf>,
    /// Show each token over its id.
    #[arg(short, long)]
    pub(in crate::cli) tokens: bool,
    /// Show every candidate whole, also what all of them share.
    #[arg(short, long)]
    pub(in crate::cli) full: bool,
    /// Write a page to look at in a browser.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(in crate::cli) html: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Arguments of `chat-template`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ChatTemplateArguments {
    /// Checkpoint folder, GGUF file, `tokenizer_config.json`, .jinja file, or org/name[@revision] on the hub.
    #[arg(value_name = "MODEL_OR_FILE")]
    pub(in crate::cli) model: String,
    /// A conversation in a .json file or, as `-`, on stdin, or one per line of a .jsonl file; without it,
    /// a short sample.
    #[arg(short, long, value_name = "FILE")]
    pub(in crate::cli) messages: Option<PathBuf>,
    /// Where the lines of a .jsonl file go, each with `formatted_chat`; stdout without it.
    #[arg(short, long, value_name = "FILE", requires = "messages")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// The checkpoint's template of that name, such as `tool_use`.
    #[arg(long, value_name = "NAME", conflicts_with = "template")]
    pub(in crate::cli) name: Option<String>,
    /// Your own template instead of the checkpoint's.
    #[arg(long, value_name = "FILE|TEXT")]
    pub(in crate::cli) template: Option<String>,
    /// End with the opening of the assistant's answer.
    #[arg(long)]
    pub(in crate::cli) add_generation_prompt: bool,
    /// End inside of the last message, for the model to go on with it.
    #[arg(long, conflicts_with = "add_generation_prompt")]
    pub(in crate::cli) continue_final_message: bool,
    /// JSON list of functions that the model may call.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) tools: Option<PathBuf>,
    /// JSON list of documents.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) documents: Option<PathBuf>,
    /// A variable of the template; its value is JSON, or else text.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(in crate::cli) set: Vec<String>,
    /// Print JSON: text, token ids, what the assistant says, the template's file, notes.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
