//! Arguments of the commands that are about shards of a run.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(in crate::cli) struct MergeArguments {
    /// Working folders in which shards were asked, or folders of single shards.
    #[arg(required = true, value_name = "FOLDER")]
    pub(in crate::cli) folders: Vec<PathBuf>,
    /// Folder for outputs, instead of the working folder of the first shard.
    #[arg(short, long, value_name = "DIR")]
    pub(in crate::cli) work_dir: Option<PathBuf>,
    /// Wait at most so many minutes until all shards of a number have ended.
    #[arg(long, value_name = "MINUTES", value_parser = minutes)]
    pub(in crate::cli) wait: Option<u64>,
    /// Show every data set, also those of families of more than 20.
    #[arg(long, conflicts_with = "json")]
    pub(in crate::cli) all: bool,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

fn minutes(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected whole minutes, as 90".to_owned())
}
