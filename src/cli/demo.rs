//! `surprisal demo`: the shipped config on the shipped model.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;

use super::{
    args::{RunArguments, RunOptions},
    run,
};

const CONFIG: &str = "configs/demo.py";

/// Runs the demo.
pub(super) fn demo(options: RunOptions) -> anyhow::Result<ExitCode> {
    let config = find().with_context(|| {
        format!(
            "{CONFIG} is neither here nor beside the program; run the demo in the project's folder"
        )
    })?;
    run::run(&RunArguments { configs: vec![config], options, models: Vec::new() })
}

/// The config in the current folder, or in the source tree that holds the program.
fn find() -> Option<PathBuf> {
    let here = Path::new(CONFIG);
    if here.exists() {
        return Some(here.to_owned());
    }
    let program = std::env::current_exe().ok()?;
    program.ancestors().map(|folder| folder.join(CONFIG)).find(|config| config.exists())
}
