//! `surprisal run --shard`: a share of a run on this machine.

use std::process::ExitCode;

use super::{
    SOME_FAILED, TRY_AGAIN,
    args::RunArguments,
    chosen_datasets,
    command_line::without,
    interrupt::INTERRUPTED,
    output::{print_json, talk},
    progress::TerminalProgress,
    run,
    shard_choice::ShardChoice,
    threads,
};
use crate::{
    kept_run::RunError,
    plan::RunPlan,
    report::{self, grouped},
    run::{ShardOptions, ShardOutcome, StopSign, ask_shard},
};

/// The option that says which shard.
const OPTION: &str = "--shard";

/// Asks the shard and says what came of it.
pub(super) fn run_shard(arguments: &RunArguments, choice: ShardChoice) -> anyhow::Result<ExitCode> {
    let shard = choice.settle(&|name| std::env::var(name).ok())?;
    let asking = &arguments.options.asking;
    let stop = StopSign::default();
    #[cfg(unix)]
    {
        use signal_hook::{
            consts::{SIGINT, SIGTERM, SIGUSR1},
            flag,
        };
        // Who presses Ctrl-C twice does not wait for a batch.
        flag::register_conditional_shutdown(SIGINT, INTERRUPTED, stop.flag())?;
        for signal in [SIGINT, SIGTERM, SIGUSR1] {
            flag::register(signal, stop.flag())?;
        }
    }
    threads::start(asking.engine.threads)?;
    let progress = TerminalProgress::new();
    let mut plan = RunPlan::load_with(&arguments.sources()?)?;
    let options = run::options(asking);
    run::choose_judge(&mut plan, asking)?;
    chosen_datasets::keep(&mut plan, &asking.datasets)?;
    let options_of_shard = ShardOptions {
        shard,
        command: without(std::env::args(), &[OPTION], &[]),
        directory: std::env::current_dir()?,
        stop,
    };
    let outcome = match ask_shard(&plan, &options, &options_of_shard, &progress) {
        Ok(outcome) => outcome,
        Err(error) => return ended(error),
    };
    if arguments.options.json {
        print_json(&outcome)?;
    }
    Ok(ExitCode::from(tell(&outcome)))
}

/// The exit code of an error that says whether the same command may succeed later.
pub(super) fn ended(error: RunError) -> anyhow::Result<ExitCode> {
    if !error.is_temporary() {
        return Err(error.into());
    }
    talk(&format!("error: {error}"));
    Ok(ExitCode::from(TRY_AGAIN))
}

fn tell(outcome: &ShardOutcome) -> u8 {
    let ShardOutcome { number, count, folder, samples, failed_samples, is_from_store, work } =
        outcome;
    let name = format!("shard {number}/{count}");
    if *is_from_store {
        talk(&format!("{name} has ended before and is as it was; nothing was asked"));
    } else if work.reused_questions > 0 {
        let line = report::reuse_line(work.questions, work.reused_questions, work.computed_tokens);
        talk(&line);
    }
    talk(&format!("{name}: {} samples in {}", grouped(*samples), folder.display()));
    if *failed_samples > 0 {
        talk(&format!(
            "samples without an answer: {}; the shard has ended all the same, and repeating the command tries them again",
            grouped(*failed_samples)
        ));
        return SOME_FAILED;
    }
    0
}
