//! Arguments of the commands that write files for a shell.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(in crate::cli) struct CompletionsArguments {
    /// Which shell.
    #[arg(value_name = "SHELL")]
    pub(in crate::cli) shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ManArguments {
    /// Where the pages go; the folder is made if it is not there.
    #[arg(value_name = "FOLDER")]
    pub(in crate::cli) folder: PathBuf,
}
