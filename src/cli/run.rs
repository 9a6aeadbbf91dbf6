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
        is_fresh: arguments.options.fresh,
        strict: arguments.options.strict,
        now: super::now(),
        clock: super::now,
        command_line: std::env::args().collect(),
        machine: machine(),
    };
    let plan = RunPlan::load(&arguments.configs, &arguments.models)?;
    let outcome = run::execute(&plan, &options, &TerminalProgress::new())?;
    if arguments.options.json {
        print(&serde_json::to_string_pretty(&outcome)?)?;
    } else {
        print(&report::console_table(&outcome.results))?;
        talk("");
    }
    if outcome.is_from_store {
        talk(&format!(
            "0 tokens computed: the same run is finished and kept in {}; --fresh computes anew",
            options.work_dir.display()
        ));
    } else if outcome.work.reused_questions > 0 {
        talk(&report::reuse_line(
            outcome.work.questions,
            outcome.work.reused_questions,
            outcome.work.computed_tokens,
        ));
    }
    if !arguments.options.json {
        talk(&format!("outputs: {}", outcome.folder.display()));
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

/// The machine, to be kept with the run.
fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{system} {processor}, {threads} threads, {}", crate::ops::instruction_set())
}
