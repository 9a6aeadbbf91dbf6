//! `surprisal list benchmarks`: the ready configs, by their cards.

use std::process::ExitCode;

use serde_json::json;

use super::{
    output::{print, print_json, stdout_columns, talk},
    shipped::find,
    table::{Column, Table},
};
use crate::{
    benchmark::{self, Benchmark},
    report::grouped,
};

/// Where they are.
const FOLDER: &str = "configs/benchmarks";

/// Prints them.
pub(super) fn list(json: bool) -> anyhow::Result<ExitCode> {
    let folder = find(FOLDER)?;
    let benchmarks = benchmark::read_folder(&folder)?;
    if json {
        print_json(&json!({ "benchmarks": benchmarks }))?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&table(&benchmarks).text(stdout_columns()))?;
    talk(&format!(
        "\nsurprisal run {}/NAME.py --model MODEL runs one; its head says where the rows come from and how the figure \
         differs from other programs'",
        folder.display()
    ));
    Ok(ExitCode::SUCCESS)
}

fn table(benchmarks: &[Benchmark]) -> Table {
    let mut table = Table::new([
        Column::text("benchmark"),
        Column::text("what it is").folds(),
        Column::text("asked and scored").folds(),
        Column::number("samples"),
        Column::text("licence").folds(),
    ]);
    for Benchmark { name, card, .. } in benchmarks {
        table.row([
            name.clone(),
            card.title.clone(),
            format!("{}, {} shots; {}", card.mode, card.shot_count, card.metric),
            grouped(card.sample_count),
            card.licence.clone(),
        ]);
    }
    table
}
