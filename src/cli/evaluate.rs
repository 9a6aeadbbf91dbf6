//! `surprisal evaluate`: scores of a run under another metric, post-processor or rule.

use std::process::ExitCode;

use super::{
    ERROR, SOME_FAILED,
    args::EvaluateArguments,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    results, rules,
};
use crate::{
    kept_run::{self, ReevaluationOptions},
    warn,
};

/// What `--rule` says for the figures under every rule.
const ALL_RULES: &str = "all";

/// Scores a run again and prints the results.
pub(super) fn evaluate(arguments: &EvaluateArguments) -> anyhow::Result<ExitCode> {
    if arguments.rule.as_deref() == Some(ALL_RULES) {
        if arguments.config.is_some() {
            anyhow::bail!(
                "--rule {ALL_RULES} takes no config: name one rule, or leave the config out"
            );
        }
        return rules::print_all(arguments);
    }
    let options = ReevaluationOptions {
        work_dir: arguments.work_dir.clone(),
        run: arguments.run.clone(),
        config: arguments.config.clone(),
        rule: arguments.rule.clone(),
        now: super::now(),
        command_line: std::env::args().collect(),
    };
    let outcome = kept_run::reevaluate(&options, &TerminalProgress::new())?;
    if arguments.json {
        print_json(&outcome)?;
    } else {
        print(&results::text(&outcome, stdout_columns(), false))?;
        talk("\n0 tokens computed: everything comes from the store");
        talk(&format!("kept as {0}: `surprisal export {0}` exports it", outcome.name));
    }
    for line in warn::lines(&outcome.warnings) {
        talk(&line);
    }
    for error in &outcome.errors {
        talk(&format!("error: {error}"));
    }
    if !outcome.errors.is_empty() {
        return Ok(ExitCode::from(ERROR));
    }
    if outcome.failed_samples > 0 {
        talk(&format!("{} samples have no answer", outcome.failed_samples));
        return Ok(ExitCode::from(SOME_FAILED));
    }
    Ok(ExitCode::SUCCESS)
}
