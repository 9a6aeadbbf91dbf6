//! `surprisal evaluate`: scores of a run under another metric, post-processor or rule.

use std::process::ExitCode;

use super::{
    ERROR, SOME_FAILED,
    args::EvaluateArguments,
    interrupt::on_interrupt,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    results, rules, shipped, threads,
};
use crate::{
    kept_run::{self, ReevaluationOptions, Unscored},
    model::Activations,
    report::grouped,
    run::{self, RunOptions},
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
        if arguments.judge.is_some() || arguments.allow_code {
            anyhow::bail!(
                "--rule {ALL_RULES} takes neither --judge nor --allow-code: it chooses among candidates"
            );
        }
        return rules::print_all(arguments);
    }
    let options = ReevaluationOptions {
        work_dir: arguments.work_dir.clone(),
        run: arguments.run.clone(),
        config: arguments.config.as_deref().map(shipped::config).transpose()?,
        rule: arguments.rule.clone(),
        judge: arguments.judge.clone(),
        allows_code: arguments.allow_code,
        now: super::now(),
        command_line: std::env::args().collect(),
    };
    let outcome = if arguments.judge.is_some() {
        threads::start(arguments.engine.threads)?;
        let progress = TerminalProgress::new();
        let stopped = progress.clone();
        on_interrupt(move || stopped.stopped());
        run::judge(&options, &asking(arguments), &progress)?
    } else {
        kept_run::reevaluate(&options, &TerminalProgress::new())?
    };
    if arguments.json {
        print_json(&outcome)?;
    } else {
        print(&results::text(&outcome, stdout_columns(), false, &|_| false))?;
        match outcome.work.computed_tokens {
            0 => talk("\n0 tokens computed: everything comes from the store"),
            tokens => talk(&format!("\n{} tokens computed by the judge", grouped(tokens))),
        }
        if outcome.name.is_empty() {
            talk("nothing new was scored, so nothing is kept");
        } else {
            talk(&format!("kept as {0}: `surprisal export {0}` exports it", outcome.name));
        }
    }
    for line in Unscored::lines(&outcome.unscored, &arguments.run) {
        talk(&line);
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
        talk(&format!("samples without an answer: {}", outcome.failed_samples));
        return Ok(ExitCode::from(SOME_FAILED));
    }
    Ok(ExitCode::SUCCESS)
}

/// How the judge is asked, as it was typed.
fn asking(arguments: &EvaluateArguments) -> RunOptions {
    RunOptions {
        work_dir: arguments.work_dir.clone(),
        limit: None,
        devices: arguments.devices.iter().map(|device| device.settle()).collect(),
        dtype: arguments.dtype.map(|dtype| dtype.0),
        activations: Activations::Exact,
        batch_tokens: arguments.engine.batch_tokens,
        kv_bytes: arguments.engine.kv_bytes,
        most_tokens: None,
        has_page: false,
        is_fresh: false,
        reuses_served: false,
        with_posix: false,
        keeps_image_rows: false,
        allows_code: arguments.allow_code,
        strict: false,
        now: super::now(),
        clock: super::now,
        command_line: std::env::args().collect(),
        machine: super::run::machine(),
    }
}
