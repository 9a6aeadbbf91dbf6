//! `surprisal demo`: the shipped configs on the shipped model.

use std::process::ExitCode;

use super::{
    args::{CompareArguments, FileArguments, RunArguments, RunOptions},
    compare,
    output::talk,
    run,
    shipped::find,
};
use crate::statistics::Resampling;

/// One data set of each kind.
const CONFIG: &str = "configs/demo.py";

/// Six wordings of one data set.
const VARIANTS: &str = "configs/variants/choices.py";

/// Runs the demo, and ends with the comparison of wordings unless JSON or some data sets are wanted.
pub(super) fn demo(options: RunOptions) -> anyhow::Result<ExitCode> {
    let is_whole = !options.json && options.asking.datasets.is_empty();
    let arguments = RunArguments {
        configs: vec![find(CONFIG)?],
        options,
        file: FileArguments::default(),
        print_config: false,
        models: Vec::new(),
    };
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
