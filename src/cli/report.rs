//! `surprisal report`: the page of runs.

use std::process::ExitCode;

use super::{args::ReportArguments, output::talk, progress::TerminalProgress};
use crate::{
    report::{grouped, memory},
    run_page::{self, Report, ReportOptions},
};

/// Writes the page.
pub(super) fn report(arguments: &ReportArguments) -> anyhow::Result<ExitCode> {
    let options = ReportOptions {
        work_dir: arguments.work_dir.clone(),
        runs: arguments.runs.clone(),
        output: arguments.output.clone(),
    };
    let Report { path, bytes, samples } = run_page::report(&options, &TerminalProgress::new())?;
    talk(&format!("{} samples in {}, {}", grouped(samples), path.display(), memory(bytes)));
    Ok(ExitCode::SUCCESS)
}
