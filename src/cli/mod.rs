//! The command line: arguments in, tables out.
//!
//! `args` only says what was typed; each command is one file that calls the library and prints what
//! it gives. All printing lives here, and goes through `output`: data to stdout, talk to stderr, and
//! nothing in either that a terminal would obey. The exit code is 0 when all went well, 1 when some samples
//! failed or `diff` found differences, 2 when there was an error, 75 when a shard or a merge of shards was not brought to
//! its end and the same command may do it later, 130 when the run was interrupted.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "people name files, and where colours go is said in the environment"
)]

mod answer;
mod args;
mod baseline;
mod bench;
mod bench_served;
mod benchmarks;
mod chat_batch;
mod chat_template;
mod check;
mod chosen_datasets;
mod command_line;
mod compare;
mod compare_models;
mod comparison;
mod completions;
mod config;
mod demo;
mod device;
mod diff;
mod evaluate;
mod export;
mod facts;
mod fetch;
mod formats;
mod found_passages;
mod highlight;
mod init;
mod inspect;
mod interrupt;
mod kernels;
mod list;
mod man;
mod merge;
mod milvus;
mod models;
mod output;
mod progress;
mod report;
mod results;
mod rules;
mod run;
mod runs;
mod search;
mod selftest;
mod serve;
mod shard;
mod shard_choice;
mod shipped;
mod submit;
mod table;
mod tasks;
mod threads;
mod vary;
mod view;
mod visible;
mod width;

use std::{io, process::ExitCode};

use clap::Parser as _;

use args::{Arguments, Command};
use output::talk;

use crate::{
    hub::{self, HubSettings},
    ops,
};

/// Exit code of a run that finished although some samples have no answer.
const SOME_FAILED: u8 = 1;

/// Exit code of everything that could not be done.
const ERROR: u8 = 2;

/// Exit code of a shard that was told to end, and of a merge whose shards are not all there: sysexits' `EX_TEMPFAIL`.
const TRY_AGAIN: u8 = 75;

/// The variable that holds the CPU to vector instructions.
const INSTRUCTIONS: &str = "SURPRISAL_INSTRUCTIONS";

/// Runs the command that was typed.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(asked) if !asked.use_stderr() => asked.exit(),
        Err(error) => {
            // Not through clap: what was typed, or what a shell made of it, may steer the terminal.
            talk(error.to_string().trim_end());
            return ExitCode::from(ERROR);
        }
    };
    let held = std::env::var_os(INSTRUCTIONS).filter(|name| !name.is_empty());
    if let Some(Err(error)) = held.map(|name| ops::use_instructions(&name.to_string_lossy())) {
        talk(&format!("error: {INSTRUCTIONS}: {error}"));
        return ExitCode::from(ERROR);
    }
    if arguments.allow_unverified {
        HubSettings::allow_unverified_from_now_on();
    }
    if arguments.allow_download {
        hub::allow_web_files_from_now_on();
    }
    let outcome = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Merge(arguments) => merge::merge_shards(&arguments),
        Command::Submit(arguments) => submit::submit(&arguments),
        Command::Answer(arguments) => answer::answer(&arguments),
        Command::Serve(arguments) => serve::serve(&arguments),
        Command::Runs(arguments) => runs::runs(&arguments),
        Command::Export(arguments) => export::export(&arguments),
        Command::Report(arguments) => report::report(&arguments),
        Command::Evaluate(arguments) => evaluate::evaluate(&arguments),
        Command::Compare(arguments) => compare::compare(&arguments),
        Command::Diff(arguments) => diff::diff(&arguments),
        Command::Search(arguments) => search::search(&arguments),
        Command::Vary(arguments) => vary::vary(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::CompareModels(arguments) => compare_models::compare_models(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Fetch(arguments) => fetch::fetch(&arguments),
        Command::View(arguments) => view::view(&arguments),
        Command::ChatTemplate(arguments) => chat_template::chat_template(&arguments),
        Command::Config(arguments) => config::config(&arguments),
        Command::Models(arguments) => models::models(&arguments),
        Command::List(arguments) => list::list(&arguments),
        Command::Inspect(arguments) => inspect::inspect(&arguments),
        Command::Selftest(arguments) => selftest::selftest(&arguments),
        Command::Init(arguments) => init::init(&arguments),
        Command::Demo(arguments) => demo::demo(arguments),
        Command::Completions(arguments) => completions::completions(&arguments),
        Command::Man(arguments) => man::man(&arguments),
    };
    match outcome {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            talk(&format!("error: {}", with_causes(&error)));
            ExitCode::from(ERROR)
        }
    }
}

/// An error's message, and those of its causes that it does not repeat.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let own = cause.to_string();
        if !text.contains(&own) {
            text.push_str(": ");
            text.push_str(&own);
        }
    }
    text
}

/// Whoever reads our output may stop early; that is no failure of ours.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The time, in the user's zone.
fn now() -> jiff::civil::DateTime {
    jiff::Zoned::now().datetime()
}
