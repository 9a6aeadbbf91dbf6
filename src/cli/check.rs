//! `surprisal check`: everything that can be known before weights are read.

use std::process::ExitCode;

use super::{ERROR, args::CheckArguments, print, progress::TerminalProgress, talk};
use crate::{
    plan::RunPlan,
    prepare::{self, CheckRow},
    report::{Align, aligned_table, memory},
    warn::{self, WarningCount},
};

/// Checks the configs and prints what a run would do.
pub(super) fn check(arguments: &CheckArguments) -> anyhow::Result<ExitCode> {
    let plan = RunPlan::load(&arguments.configs, &arguments.models)?;
    let rows = prepare::check(&plan, arguments.limit, super::now(), &TerminalProgress::new())?;
    if arguments.json {
        print(&serde_json::to_string_pretty(&rows)?)?;
    } else {
        print(&table(&rows))?;
        print(&footer(&rows))?;
    }
    let warnings: Vec<WarningCount> = rows.into_iter().flat_map(|row| row.warnings).collect();
    if !arguments.json && !warnings.is_empty() {
        print(&format!("\n{}", warn::lines(&warnings).join("\n")))?;
    }
    if arguments.strict && warn::has_warnings(&warnings) {
        talk("error: there are warnings, and --strict makes them errors");
        return Ok(ExitCode::from(ERROR));
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
        ("computed", Align::Right),
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
                row.computed_tokens,
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

/// The memory that each model needs for its largest data set.
fn footer(rows: &[CheckRow]) -> String {
    let mut models: Vec<&CheckRow> = Vec::new();
    for row in rows {
        match models.iter_mut().find(|known| known.model == row.model) {
            Some(known) if known.memory.bytes() < row.memory.bytes() => *known = row,
            Some(_) => (),
            None => models.push(row),
        }
    }
    let line = |row: &&CheckRow| {
        let (weights, working) = (row.memory.weight_bytes, row.memory.working);
        format!(
            "\n{}: about {} of memory: weights {}, keys and values {} ({} a token), activations {}, head {}",
            row.model,
            memory(row.memory.bytes()),
            memory(weights),
            memory(working.kv_bytes),
            memory(working.kv_bytes_per_token),
            memory(working.activation_bytes),
            memory(working.head_bytes),
        )
    };
    models.iter().map(line).collect()
}
