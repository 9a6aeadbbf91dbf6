//! `surprisal check`: everything that can be known before weights are read.

use std::process::ExitCode;

use super::{
    ERROR,
    args::CheckArguments,
    chosen_datasets,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    table::{Column, Table},
    width::folded,
};
use crate::{
    plan::RunPlan,
    prepare::{self, CheckRow, MemoryCost},
    report::memory,
    warn::{self, WarningCount},
};

/// Checks the configs and prints what a run would do.
pub(super) fn check(arguments: &CheckArguments) -> anyhow::Result<ExitCode> {
    let mut plan = RunPlan::load_with(&arguments.sources()?)?;
    chosen_datasets::keep(&mut plan, &arguments.datasets)?;
    let (limit, folder) = (arguments.limit, &arguments.work_dir);
    let rows = prepare::check(&plan, limit, folder, super::now(), &TerminalProgress::new())?;
    if arguments.json {
        print_json(&rows)?;
    } else {
        let columns = stdout_columns();
        print(&table(&rows).text(columns))?;
        print(&format!("\n{}", footer(&rows, columns)))?;
    }
    let warnings: Vec<WarningCount> = rows.into_iter().flat_map(|row| row.warnings).collect();
    if !arguments.json && !warnings.is_empty() {
        let lines = warn::lines(&warnings);
        let folded: Vec<String> =
            lines.iter().flat_map(|line| folded(line, stdout_columns(), 2)).collect();
        print(&format!("\n{}", folded.join("\n")))?;
    }
    if arguments.strict && warn::has_warnings(&warnings) {
        talk("error: there are warnings, and --strict makes them errors");
        return Ok(ExitCode::from(ERROR));
    }
    Ok(ExitCode::SUCCESS)
}

fn table(rows: &[CheckRow]) -> Table {
    let mut table = Table::new([
        Column::text("dataset").shortest(12),
        Column::text("model").shortest(8).optional(4).only_if_same(),
        Column::number("n"),
        Column::number("prompts").optional(1),
        Column::number("tokens").optional(3),
        Column::number("computed"),
        Column::number("longest").optional(2),
        Column::number("lost examples").optional(0).only_if_same(),
        Column::number("cut").optional(0).only_if_same(),
    ]);
    for row in rows {
        let counts = [
            Some(row.samples),
            Some(row.prompts),
            row.prompt_tokens,
            row.computed_tokens,
            row.longest_tokens,
            Some(row.samples_with_dropped_examples),
            Some(row.samples_cut),
        ];
        let names = [row.dataset.clone(), row.model.clone()];
        let count = |count: Option<usize>| count.map_or("-".to_owned(), |own| own.to_string());
        table.row(names.into_iter().chain(counts.map(count)));
    }
    table
}

/// The memory that each model needs for its largest data set.
fn footer(rows: &[CheckRow], columns: usize) -> String {
    let mut models: Vec<(&str, MemoryCost)> = Vec::new();
    for row in rows {
        let Some(cost) = row.memory else { continue };
        match models.iter_mut().find(|(model, _)| *model == row.model) {
            Some((_, known)) if known.bytes() < cost.bytes() => *known = cost,
            Some(_) => (),
            None => models.push((&row.model, cost)),
        }
    }
    let line = |(model, cost): &(&str, MemoryCost)| {
        let (weights, working, sight) = (cost.weight_bytes, cost.working, cost.sight);
        let images = match sight.tower_bytes {
            0 => String::new(),
            tower => format!(", towers {}, their rows {}", memory(tower), memory(sight.row_bytes)),
        };
        format!(
            "{model}: about {} of memory: weights {}{images}, keys and values {} ({} a token), activations {}, head {}",
            memory(cost.bytes()),
            memory(weights),
            memory(working.kv_bytes),
            memory(working.kv_bytes_per_token),
            memory(working.activation_bytes),
            memory(working.head_bytes),
        )
    };
    models.iter().flat_map(|row| folded(&line(row), columns, 2)).collect::<Vec<_>>().join("\n")
}
