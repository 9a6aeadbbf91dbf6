//! `surprisal fetch`: gets what the data sets of configs read and is not here, after saying what that is.

use std::{
    io::{self, BufRead as _, IsTerminal as _},
    process::ExitCode,
};

use anyhow::bail;

use super::{
    ERROR,
    args::FetchArguments,
    chosen_datasets::chosen,
    interrupt::on_interrupt,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    shipped,
    table::{Column, Table},
};
use crate::{
    fetch::{self, FetchItem, FetchState},
    plan::DataEntry,
    report::memory,
};

/// Data sets of an item that are named; of more, how many there are.
const MOST_NAMED: usize = 3;

/// Lists what is needed, asks, and fetches.
pub(super) fn fetch(arguments: &FetchArguments) -> anyhow::Result<ExitCode> {
    let configs = shipped::configs(&arguments.configs)?;
    let entries = DataEntry::load(&configs, arguments.tasks.choice(None).as_ref())?;
    let entries = chosen(entries, &arguments.datasets, |entry| &entry.abbr)?;
    let progress = TerminalProgress::new();
    let mut items = fetch::survey(&entries, &arguments.models, &progress);
    let has_missing = items.iter().any(|item| item.state == FetchState::Missing);
    if !arguments.json {
        print(&table(&items).text(stdout_columns()))?;
        print(&format!("\n{}", footer(&items)))?;
    }
    if has_missing && !arguments.dry_run && (arguments.yes || is_wanted()?) {
        on_interrupt(|| {
            "stopped; what has arrived is kept; repeat the command to go on".to_owned()
        });
        get(&mut items, &progress);
    }
    if arguments.json {
        print_json(&items)?;
    }
    let mut told: Vec<&str> = Vec::new();
    for problem in items.iter().filter_map(|item| item.problem.as_deref()) {
        if !told.contains(&problem) {
            talk(&format!("error: {problem}"));
            told.push(problem);
        }
    }
    let is_refused =
        !arguments.dry_run && items.iter().any(|item| item.state == FetchState::Missing);
    if is_refused {
        talk("nothing was fetched");
    }
    let is_well = told.is_empty() && !is_refused;
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::from(ERROR) })
}

/// Asks whoever sits at the terminal. Where nobody does, nobody can have wanted it.
fn is_wanted() -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        bail!("nothing was fetched: there is no terminal to ask at; --yes fetches without asking");
    }
    talk("fetch what is missing? [y/N]");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

fn get(items: &mut [FetchItem], progress: &TerminalProgress) {
    for item in items.iter_mut().filter(|item| item.state == FetchState::Missing) {
        let note = fetch::fetch(item, progress);
        if item.state == FetchState::Fetched {
            let to = item.to.as_deref().unwrap_or_default();
            talk(&format!("fetched {} into {to}", item.name));
        }
        if let Some(note) = note {
            talk(&format!("note: {note}"));
        }
    }
}

fn table(items: &[FetchItem]) -> Table {
    let mut table = Table::new([
        Column::text("what").shortest(12),
        Column::text("state"),
        Column::number("size"),
        Column::text("for").folds(),
        Column::text("from").folds(),
        Column::text("to").folds(),
    ]);
    for item in items {
        let (state, size) = match item.state {
            FetchState::Here | FetchState::Fetched => ("here", String::new()),
            FetchState::Unavailable => ("cannot be had", String::new()),
            FetchState::Missing => ("to fetch", size(item.bytes)),
        };
        table.row([
            item.name.clone(),
            state.to_owned(),
            size,
            named(&item.datasets),
            item.from.clone().unwrap_or_default(),
            item.to.clone().unwrap_or_default(),
        ]);
    }
    table
}

fn size(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "unknown".to_owned(), |bytes| memory(bytes as usize))
}

fn named(datasets: &[String]) -> String {
    match datasets.split_at_checked(MOST_NAMED) {
        Some((first, others)) if !others.is_empty() => {
            format!("{} and {} more", first.join(", "), others.len())
        }
        _ => datasets.join(", "),
    }
}

/// How much there is to fetch.
fn footer(items: &[FetchItem]) -> String {
    let missing: Vec<&FetchItem> =
        items.iter().filter(|item| item.state == FetchState::Missing).collect();
    if missing.is_empty() {
        let is_lacking = items.iter().any(|item| item.state == FetchState::Unavailable);
        let said = if is_lacking { "what is missing cannot be had" } else { "nothing to fetch" };
        return said.to_owned();
    }
    let bytes: u64 = missing.iter().filter_map(|item| item.bytes).sum();
    let unknown = missing.iter().filter(|item| item.bytes.is_none()).count();
    let besides = match unknown {
        0 => String::new(),
        count => format!(", and {count} of unknown size"),
    };
    format!("to fetch: {} in all{besides}", memory(bytes as usize))
}
