//! `surprisal runs`: what lies in a working folder.

use std::process::ExitCode;

use super::{args::RunsArguments, print, progress::TerminalProgress};
use crate::{
    report::{Align, aligned_table, grouped},
    run::{self, ListedRun},
};

/// Lists the runs.
pub(super) fn runs(arguments: &RunsArguments) -> anyhow::Result<ExitCode> {
    let listed = run::list(&arguments.work_dir, &TerminalProgress::new())?;
    if arguments.json {
        print(&serde_json::to_string_pretty(&listed)?)?;
    } else {
        print(&table(&listed))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table(listed: &[ListedRun]) -> String {
    let columns = [
        ("run", Align::Left),
        ("state", Align::Left),
        ("models", Align::Left),
        ("data sets", Align::Left),
        ("samples", Align::Right),
        ("computed", Align::Right),
        ("reused", Align::Right),
    ];
    let rows: Vec<Vec<String>> = listed
        .iter()
        .map(|own| {
            vec![
                own.name.clone(),
                own.evaluates.as_ref().map_or(own.state.to_owned(), |of| format!("of {of}")),
                counted(&own.models),
                counted(&own.datasets),
                grouped(own.samples),
                grouped(own.computed_tokens),
                grouped(own.reused_tokens),
            ]
        })
        .collect();
    aligned_table(&columns.map(|(name, _)| name.to_owned()), &rows, &columns.map(|(_, side)| side))
}

/// The first of some names, and how many more there are.
fn counted(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
    }
}
