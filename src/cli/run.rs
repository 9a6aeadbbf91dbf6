//! `surprisal run`: from configs to a table of scores.

use std::process::ExitCode;

use super::{
    ERROR, SOME_FAILED,
    args::RunArguments,
    interrupt::on_interrupt,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    results, threads,
};
use crate::{
    plan::{PlanError, RunPlan},
    report,
    run::{self, RunOptions},
    view::Pattern,
    warn,
};

/// Runs the configs and prints the results.
pub(super) fn run(arguments: &RunArguments) -> anyhow::Result<ExitCode> {
    let typed = &arguments.options;
    threads::start(typed.engine.threads)?;
    let options = RunOptions {
        work_dir: typed.work_dir.clone(),
        limit: typed.limit,
        devices: typed.devices.iter().map(|device| device.settle()).collect(),
        dtype: typed.dtype.map(|dtype| dtype.0),
        batch_tokens: typed.engine.batch_tokens,
        kv_bytes: typed.engine.kv_bytes,
        is_fresh: typed.fresh,
        strict: typed.strict,
        now: super::now(),
        clock: super::now,
        command_line: std::env::args().collect(),
        machine: machine(),
    };
    let mut plan = RunPlan::load(&arguments.configs, &arguments.models)?;
    keep_datasets(&mut plan, &typed.datasets)?;
    let progress = TerminalProgress::new();
    let stopped = progress.clone();
    on_interrupt(move || stopped.stopped());
    let outcome = run::execute(&plan, &options, &progress)?;
    if typed.json {
        print_json(&outcome)?;
    } else {
        print(&results::text(&outcome, stdout_columns(), typed.all))?;
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
    if !typed.json {
        talk(&format!("outputs: {}", outcome.folder.display()));
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
    if typed.strict && !outcome.warnings.is_empty() {
        talk("error: there are warnings about the answers, and --strict makes them errors");
        return Ok(ExitCode::from(ERROR));
    }
    if outcome.failed_samples > 0 {
        talk(&format!(
            "{} samples have no answer; `surprisal export latest -w {}` says why in the column error",
            outcome.failed_samples,
            options.work_dir.display()
        ));
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

/// Drops the data sets that no pattern means. A pattern that means none is a mistake.
fn keep_datasets(plan: &mut RunPlan, patterns: &[String]) -> Result<(), PlanError> {
    if patterns.is_empty() {
        return Ok(());
    }
    let patterns: Vec<Pattern> = patterns.iter().map(|written| Pattern::new(written)).collect();
    let means_none =
        |pattern: &&Pattern| !plan.datasets.iter().any(|dataset| pattern.matches(&dataset.abbr));
    if let Some(pattern) = patterns.iter().find(means_none) {
        let names: Vec<&str> = plan.datasets.iter().map(|dataset| dataset.abbr.as_str()).collect();
        return Err(PlanError::NoSuch {
            what: "data set",
            pattern: pattern.written().to_owned(),
            names: names.join(", "),
        });
    }
    plan.datasets.retain(|dataset| patterns.iter().any(|pattern| pattern.matches(&dataset.abbr)));
    Ok(())
}
