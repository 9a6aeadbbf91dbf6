//! Arguments of the command that fetches data.

use std::path::PathBuf;

use clap::Args;

use super::tasks::TaskArguments;

/// Arguments of `fetch`.
#[derive(Debug, Args)]
pub(in crate::cli) struct FetchArguments {
    /// OpenCompass-style configs.
    #[arg(required_unless_present = "tasks", value_name = "CONFIG")]
    pub(in crate::cli) configs: Vec<PathBuf>,
    /// Which tasks.
    #[command(flatten)]
    pub(in crate::cli) tasks: TaskArguments,
    /// Fetch this checkpoint too: org/name[@revision] on the hub. May be given more than once.
    #[arg(long = "model", value_name = "MODEL")]
    pub(in crate::cli) models: Vec<PathBuf>,
    /// Only data sets whose abbr contains this text, or matches it with * and ?. May be given more than once.
    #[arg(long = "dataset", value_name = "PATTERN")]
    pub(in crate::cli) datasets: Vec<String>,
    /// Fetch without asking.
    #[arg(short, long)]
    pub(in crate::cli) yes: bool,
    /// Only list what is here and what would be fetched.
    #[arg(long, conflicts_with = "yes")]
    pub(in crate::cli) dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
