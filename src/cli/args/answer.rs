//! Arguments of `answer`.

use std::path::PathBuf;

use clap::Args;

use super::run::AskingOptions;

/// Arguments of `answer`.
#[derive(Debug, Args)]
#[expect(clippy::doc_markdown, reason = "help shows backticks as they are")]
pub(in crate::cli) struct AnswerArguments {
    /// A .jsonl file, a request in each line: {"context": …, "continuation": …} for how likely the second is after the
    /// first, {"text": …} for how likely a whole text is, {"context": …, "until": […], "max_gen_toks": …} for how a text
    /// goes on. An "id" comes back with the answer; a "draw" tells draws from one prompt apart, 0, 1, ….
    #[arg(value_name = "FILE")]
    pub(in crate::cli) requests: PathBuf,
    /// The checkpoint: a folder, a GGUF file, or org/name[@revision] on the hub.
    #[arg(long, value_name = "MODEL")]
    pub(in crate::cli) model: PathBuf,
    /// The file of answers, a line for each request; stdout without it.
    #[arg(short, long, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// How to ask.
    #[command(flatten)]
    pub(in crate::cli) asking: AskingOptions,
}
