//! `surprisal runs`: what lies in a working folder.

use std::process::ExitCode;

use super::{
    args::RunsArguments,
    output::{print, print_json, stdout_columns},
    progress::TerminalProgress,
    table::{Column, Table},
};
use crate::{
    kept_run::{self, ListedRun},
    report::grouped,
};

/// Lists the runs.
pub(super) fn runs(arguments: &RunsArguments) -> anyhow::Result<ExitCode> {
    let listed = kept_run::list(&arguments.work_dir, &TerminalProgress::new())?;
    if arguments.json {
        print_json(&listed)?;
    } else {
        print(&table(&listed).text(stdout_columns()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table(listed: &[ListedRun]) -> Table {
    let mut table = Table::new([
        Column::text("run"),
        Column::text("state"),
        Column::text("models").shortest(8),
        Column::text("data sets").shortest(8),
        Column::number("samples"),
        Column::number("computed"),
        Column::number("reused").optional(1),
    ]);
    for own in listed {
        table.row([
            own.name.clone(),
            own.evaluates.as_ref().map_or(own.state.to_owned(), |of| format!("of {of}")),
            counted(&own.models),
            counted(&own.datasets),
            grouped(own.samples),
            grouped(own.computed_tokens),
            grouped(own.reused_tokens),
        ]);
    }
    table
}

/// The first of some names, and how many more there are.
fn counted(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
    }
}
