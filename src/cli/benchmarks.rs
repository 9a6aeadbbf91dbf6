//! `surprisal list benchmarks`: the ready configs, by their cards.

use std::{path::Path, process::ExitCode};

use serde_json::json;

use super::{
    output::{print, print_json, stdout_columns, talk},
    table::{Column, Table},
};
use crate::{
    benchmark::{self, Benchmark, FOLDER},
    report::grouped,
};

/// Prints those of the current folder, or else those that ship with the program.
pub(super) fn list(json: bool) -> anyhow::Result<ExitCode> {
    let is_here = Path::new(FOLDER).is_dir();
    let benchmarks =
        if is_here { benchmark::read_folder(Path::new(FOLDER))? } else { benchmark::shipped()? };
    if json {
        print_json(&json!({ "benchmarks": benchmarks }))?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&table(&benchmarks).text(stdout_columns()))?;
    let name = if is_here { format!("{FOLDER}/NAME.py") } else { "NAME".to_owned() };
    talk(&format!(
        "\nsurprisal run {name} --model MODEL runs one; its card says where the rows come from and how the figure differs from \
         other programs' (--json prints all cards)"
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
