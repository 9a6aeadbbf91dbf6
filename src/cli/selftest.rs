//! `surprisal selftest`: whether a device computes what the CPU computes.

use std::{fs, process::ExitCode};

use anyhow::Context as _;

use super::{
    SOME_FAILED,
    args::SelftestArguments,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    table::{Column, Table},
};
use crate::selftest::{self, CheckpointBounds, SelftestOptions, SelftestRow};

/// What lies with checkpoints and says how far each may be off in 16 bits.
const BOUNDS_FILE: &str = "bounds.json";

/// Compares and prints; the exit code is 1 if anything is too far off.
pub(super) fn selftest(arguments: &SelftestArguments) -> anyhow::Result<ExitCode> {
    let options = SelftestOptions {
        device: arguments.device,
        dtypes: arguments.dtypes.iter().map(|dtype| dtype.0).collect(),
        seed: arguments.seed,
        checkpoints: arguments.checkpoints.clone(),
        bounds: bounds(arguments)?,
    };
    let rows = selftest::selftest(&options, &TerminalProgress::new())?;
    if arguments.json {
        print_json(&rows)?;
    } else {
        print(&table(&rows).text(stdout_columns()))?;
    }
    let failed = rows.iter().filter(|row| !row.passed()).count();
    talk(&format!("{} of {} agree with the CPU", rows.len() - failed, rows.len()));
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(SOME_FAILED) })
}

/// The bounds that were named, or else those that lie with the checkpoints.
fn bounds(arguments: &SelftestArguments) -> anyhow::Result<CheckpointBounds> {
    let beside = arguments.checkpoints.as_deref().map(|folder| folder.join(BOUNDS_FILE));
    let path = match (&arguments.bounds, beside) {
        (Some(named), _) => named.clone(),
        (None, Some(beside)) if beside.is_file() => beside,
        (None, _) => return Ok(CheckpointBounds::new()),
    };
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| {
        format!(
            "{} does not say `max_nats` and `mean_nats` by checkpoint and type, as benches/device/bounds.py does",
            path.display()
        )
    })
}

fn table(rows: &[SelftestRow]) -> Table {
    let mut table = Table::new([
        Column::text("subject").shortest(16),
        Column::text("type"),
        Column::number("cases").optional(0),
        Column::number("furthest"),
        Column::number("mean").optional(1),
        Column::number("allowed"),
        Column::text("verdict").folds(),
    ]);
    for row in rows {
        let verdict = match (&row.problem, row.passed(), row.bound) {
            (Some(problem), ..) => problem.clone(),
            (None, false, _) => "TOO FAR".to_owned(),
            (None, true, Some(_)) => "ok".to_owned(),
            (None, true, None) => "not judged".to_owned(),
        };
        table.row([
            row.subject.clone(),
            row.dtype.to_owned(),
            row.cases.to_string(),
            format!("{:.1e}", row.furthest),
            row.mean_nats
                .or(row.mean_of_size)
                .map_or_else(|| "-".to_owned(), |mean| format!("{mean:.1e}")),
            row.bound.map_or_else(|| "-".to_owned(), |bound| format!("{bound:.1e}")),
            verdict,
        ]);
    }
    table
}
