//! `surprisal demo`: the shipped configs on the shipped model.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;

use super::{
    args::{CompareArguments, RunArguments, RunOptions},
    compare,
    output::talk,
    run,
};
use crate::statistics::Resampling;

/// One data set of each kind.
const CONFIG: &str = "configs/demo.py";

/// Six wordings of one data set.
const VARIANTS: &str = "configs/variants/choices.py";

/// Runs the demo, and ends with the comparison of wordings unless JSON or some data sets are wanted.
pub(super) fn demo(options: RunOptions) -> anyhow::Result<ExitCode> {
    let is_whole = !options.json && options.asking.datasets.is_empty();
    let arguments = RunArguments { configs: vec![find(CONFIG)?], options, models: Vec::new() };
    let progress = run::start(&arguments.options.asking)?;
    let code = run::run_with(&arguments, &progress)?;
    if !is_whole || code != ExitCode::SUCCESS {
        return Ok(code);
    }
    let config = find(VARIANTS)?;
    talk(&format!("\nwhich wording is better: {}", config.display()));
    let Resampling { resamples, seed } = Resampling::default();
    let arguments = CompareArguments {
        names: vec![config.display().to_string()],
        by: None,
        metric: None,
        cluster: None,
        flips: None,
        resamples,
        seed,
        json: false,
        asking: arguments.options.asking,
        models: Vec::new(),
    };
    compare::compare_with(&arguments, &progress)
}

/// A config in the current folder, or in the source tree that holds the program.
fn find(config: &str) -> anyhow::Result<PathBuf> {
    let here = Path::new(config);
    if here.exists() {
        return Ok(here.to_owned());
    }
    let program = std::env::current_exe().ok();
    let mut places = program.iter().flat_map(|program| program.ancestors());
    places.find_map(|folder| Some(folder.join(config)).filter(|path| path.exists())).with_context(|| {
        format!(
            "{config} is neither here nor beside the program; run the demo in the project's folder"
        )
    })
}
