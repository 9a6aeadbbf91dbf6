//! `surprisal run --shard`: a share of a run on this machine.

use std::process::ExitCode;

use super::{
    SOME_FAILED, TRY_AGAIN,
    args::RunArguments,
    chosen_datasets,
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
        command: without_shard(std::env::args()),
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
            "{} samples have no answer; the shard has ended all the same, and repeating the command tries them again",
            grouped(*failed_samples)
        ));
        return SOME_FAILED;
    }
    0
}

/// A command line without the choice of a shard.
fn without_shard(arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut is_value = false;
    let mut may_be_option = true;
    for argument in arguments {
        if std::mem::take(&mut is_value) {
            continue;
        }
        if may_be_option && argument == OPTION {
            is_value = true;
        } else if !(may_be_option
            && argument.strip_prefix(OPTION).is_some_and(|rest| rest.starts_with('=')))
        {
            may_be_option &= argument != "--";
            kept.push(argument);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::without_shard;

    #[test]
    fn a_command_is_kept_without_its_shard() {
        for typed in [
            "surprisal run --shard 3/16 a.py -w out",
            "surprisal run a.py --shard=auto/16 -w out",
            "surprisal run a.py -w out",
        ] {
            let kept = without_shard(typed.split(' ').map(str::to_owned)).join(" ");
            assert_eq!(kept, "surprisal run a.py -w out");
        }
        let literal = without_shard("surprisal run -- --shard".split(' ').map(str::to_owned));
        assert_eq!(literal.len(), 4);
    }
}
