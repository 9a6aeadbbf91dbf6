//! `surprisal check`: everything that can be known before weights are read.

use std::process::ExitCode;

use super::{args::CheckArguments, print, progress::TerminalProgress};
use crate::{
    report::{Align, aligned_table},
    run::{self, CheckRow, RunPlan},
};

/// Checks the configs and prints what a run would do.
pub(super) fn check(arguments: &CheckArguments) -> anyhow::Result<ExitCode> {
    let plan = RunPlan::load(&arguments.configs, &arguments.models)?;
    let rows = run::check(&plan, arguments.limit, super::now(), &TerminalProgress::new())?;
    if arguments.json {
        print(&serde_json::to_string_pretty(&rows)?)?;
    } else {
        print(&table(&rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table(rows: &[CheckRow]) -> String {
    let columns = [
        ("dataset", Align::Left),
        ("model", Align::Left),
        ("n", Align::Right),
        ("prompts", Align::Right),
        ("tokens", Align::Right),
        ("longest", Align::Right),
        ("lost examples", Align::Right),
        ("cut", Align::Right),
    ];
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let counts = [
                row.samples,
                row.prompts,
                row.prompt_tokens,
                row.longest_tokens,
                row.samples_with_dropped_examples,
                row.samples_cut,
            ];
            let names = [row.dataset.clone(), row.model.clone()];
            names.into_iter().chain(counts.map(|count| count.to_string())).collect()
        })
        .collect();
    aligned_table(&columns.map(|(name, _)| name.to_owned()), &cells, &columns.map(|(_, side)| side))
}
