//! Arguments of `init`.

use std::path::PathBuf;

use clap::Args;

use super::file::FileArguments;

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(in crate::cli) struct InitArguments {
    /// A file of rows (.jsonl, .json, .csv, .tsv, .parquet) to write a config for; or the folder that an example is written
    /// into, a file and its config. Without it, the current folder.
    #[arg(value_name = "FILE|FOLDER")]
    pub(in crate::cli) place: Option<PathBuf>,
    /// Where the config goes; without it, into the current folder, by the file's name.
    #[arg(short, long, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// The checkpoint that it names: a folder, a GGUF file, or org/name[@revision] on the hub; without it, the small one that
    /// ships with the program.
    #[arg(long, value_name = "MODEL")]
    pub(in crate::cli) model: Option<PathBuf>,
    /// What a file of rows is.
    #[command(flatten)]
    pub(in crate::cli) file: FileArguments,
}
