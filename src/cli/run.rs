//! `surprisal run`: from configs to a table of scores.

use std::process::ExitCode;

use super::{ERROR, SOME_FAILED, args::RunArguments, print, progress::TerminalProgress, talk};
use crate::{
    plan::RunPlan,
    report,
    run::{self, RunOptions},
    warn,
};

/// Runs the configs and prints the results.
pub(super) fn run(arguments: &RunArguments) -> anyhow::Result<ExitCode> {
    let options = RunOptions {
        work_dir: arguments.options.work_dir.clone(),
        limit: arguments.options.limit,
        devices: arguments.options.devices.iter().map(|device| device.settle()).collect(),
        dtype: arguments.options.dtype.map(|dtype| dtype.0),
        strict: arguments.options.strict,
        now: super::now(),
    };
    let plan = RunPlan::load(&arguments.configs, &arguments.models)?;
    let outcome = run::execute(&plan, &options, &TerminalProgress::new())?;
    if arguments.options.json {
        print(&serde_json::to_string_pretty(&outcome)?)?;
    } else {
        print(&report::console_table(&outcome.results))?;
        talk(&format!("\noutputs: {}", outcome.folder.display()));
    }
    for line in warn::lines(&outcome.warnings) {
        talk(&line);
    }
    if arguments.options.strict && !outcome.warnings.is_empty() {
        talk("error: there are warnings about the answers, and --strict makes them errors");
        return Ok(ExitCode::from(ERROR));
    }
    if outcome.failed_samples > 0 {
        talk(&format!("{} samples have no answer; their records say why", outcome.failed_samples));
        return Ok(ExitCode::from(SOME_FAILED));
    }
    Ok(ExitCode::SUCCESS)
}
