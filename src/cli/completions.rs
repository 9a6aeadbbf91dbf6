//! `surprisal completions`: scripts for shells.

use std::process::ExitCode;

use clap::CommandFactory as _;

use super::{
    args::{Arguments, CompletionsArguments},
    output::print,
};

/// Prints the script.
pub(super) fn completions(arguments: &CompletionsArguments) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "surprisal", &mut script);
    print(&String::from_utf8(script)?)?;
    Ok(ExitCode::SUCCESS)
}
