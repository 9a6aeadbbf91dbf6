//! `surprisal submit`: the shards of a run as jobs of a scheduler, and the merge behind them.
//!
//! Everything that a scheduler knows is in the templates in `deploy/`, which people edit by hand, too. Nothing here schedules,
//! watches or retries: a job that is lost is made again by its scheduler, or by the same command.

mod job;
mod kubernetes;
mod slurm;

use std::{
    io::{ErrorKind, Write as _},
    process::{Command, ExitCode, Stdio},
};

use anyhow::Context as _;

use super::{
    args::{JobArguments, SchedulerArguments, SubmitArguments},
    chosen_datasets,
    output::print,
    run,
};
use crate::{plan::RunPlan, run::refuse_shards};
use job::Job;

/// Submits, or prints what would be submitted.
pub(super) fn submit(arguments: &SubmitArguments) -> anyhow::Result<ExitCode> {
    let typed = std::env::args();
    let (own, text, taker) = match &arguments.scheduler {
        SchedulerArguments::Slurm(arguments) => {
            let job = Job::new("slurm", &arguments.job, typed)?;
            let program = std::env::current_exe().context("the program does not find itself")?;
            let program = program.to_str().context("the program's path is not UTF-8")?;
            (&arguments.job, slurm::script(&job, arguments, program)?, Taker::SLURM)
        }
        SchedulerArguments::Kubernetes(arguments) => {
            let job = Job::new("kubernetes", &arguments.job, typed)?;
            (&arguments.job, kubernetes::manifest(&job, arguments), Taker::KUBERNETES)
        }
    };
    // Before it waits in a queue.
    check(own)?;
    if own.print {
        print(&text)?;
    } else {
        taker.take(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// An error if no shard could be asked.
fn check(arguments: &JobArguments) -> anyhow::Result<()> {
    let asking = &arguments.run.options.asking;
    let mut plan = RunPlan::load_with(&arguments.run.sources()?)?;
    run::choose_judge(&mut plan, asking)?;
    chosen_datasets::keep(&mut plan, &asking.datasets)?;
    Ok(refuse_shards(&plan, &run::options(asking))?)
}

/// A command that takes jobs from its input.
struct Taker {
    /// What it belongs to.
    scheduler: &'static str,
    /// What has to be there.
    needed: &'static str,
    /// The command.
    command: &'static [&'static str],
}

impl Taker {
    const SLURM: Self = Self { scheduler: "Slurm", needed: "sbatch", command: &["sh", "-s"] };
    const KUBERNETES: Self = Self {
        scheduler: "Kubernetes",
        needed: "kubectl",
        command: &["kubectl", "create", "-f", "-"],
    };

    fn take(&self, text: &str) -> anyhow::Result<()> {
        let Self { scheduler, needed, command } = self;
        let found = Command::new(needed)
            .arg("--help")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if found.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            anyhow::bail!(
                "there is no {needed} here, which {scheduler} takes jobs with; --print writes them, for a machine that has it"
            );
        }
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} could not be started", command[0]))?;
        if let Some(mut input) = child.stdin.take() {
            // A taker that ends early says why itself.
            let _ = input.write_all(text.as_bytes());
        }
        let ended = child.wait().with_context(|| format!("{needed} was lost"))?;
        anyhow::ensure!(
            ended.success(),
            "{needed} did not take all; what it said stands above, and --print writes what it was given"
        );
        Ok(())
    }
}
