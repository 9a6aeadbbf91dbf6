//! `surprisal evaluate`: scores of a run under another metric, post-processor or rule.

use std::process::ExitCode;

use super::{SOME_FAILED, args::EvaluateArguments, print, progress::TerminalProgress, talk};
use crate::{
    report,
    run::{self, ReevaluationOptions},
};

/// Scores a run again and prints the results.
pub(super) fn evaluate(arguments: &EvaluateArguments) -> anyhow::Result<ExitCode> {
    let options = ReevaluationOptions {
        work_dir: arguments.work_dir.clone(),
        run: arguments.run.clone(),
        config: arguments.config.clone(),
        now: super::now(),
        command_line: std::env::args().collect(),
    };
    let outcome = run::reevaluate(&options, &TerminalProgress::new())?;
    if arguments.json {
        print(&serde_json::to_string_pretty(&outcome)?)?;
    } else {
        print(&report::console_table(&outcome.results))?;
        talk("\n0 tokens computed: everything comes from the store");
    }
    if outcome.failed_samples > 0 {
        talk(&format!("{} samples have no answer", outcome.failed_samples));
        return Ok(ExitCode::from(SOME_FAILED));
    }
    Ok(ExitCode::SUCCESS)
}
