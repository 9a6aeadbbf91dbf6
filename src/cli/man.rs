//! `surprisal man`: manual pages.

use std::{fs, process::ExitCode};

use anyhow::Context as _;
use clap::CommandFactory as _;

use super::{
    args::{Arguments, ManArguments},
    output::talk,
};

/// Writes the pages.
pub(super) fn man(arguments: &ManArguments) -> anyhow::Result<ExitCode> {
    let folder = &arguments.folder;
    let named = || format!("cannot write manual pages into {}", folder.display());
    fs::create_dir_all(folder).with_context(named)?;
    clap_mangen::generate_to(Arguments::command(), folder).with_context(named)?;
    talk(&format!(
        "manual pages: {}; `man -l {}` shows the first",
        folder.display(),
        folder.join("surprisal.1").display()
    ));
    Ok(ExitCode::SUCCESS)
}
