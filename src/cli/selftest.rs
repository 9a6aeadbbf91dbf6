//! `surprisal selftest`: whether a device computes what the CPU computes.

use std::{collections::BTreeMap, fs, path::Path, process::ExitCode};

use anyhow::Context as _;

use super::{
    SOME_FAILED,
    args::SelftestArguments,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    table::{Column, Table},
};
use crate::selftest::{self, SelftestOptions, SelftestRow};

/// Compares and prints; the exit code is 1 if anything is too far off.
pub(super) fn selftest(arguments: &SelftestArguments) -> anyhow::Result<ExitCode> {
    let options = SelftestOptions {
        device: arguments.device,
        dtypes: arguments.dtypes.iter().map(|dtype| dtype.0).collect(),
        seed: arguments.seed,
        checkpoints: arguments.checkpoints.clone(),
        bounds_nats: arguments.bounds.as_deref().map(bounds).transpose()?.unwrap_or_default(),
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

/// Nats by checkpoint.
fn bounds(path: &Path) -> anyhow::Result<BTreeMap<String, f64>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not an object of numbers by checkpoint", path.display()))
}

fn table(rows: &[SelftestRow]) -> Table {
    let mut table = Table::new([
        Column::text("subject").shortest(16),
        Column::text("type"),
        Column::number("cases").optional(0),
        Column::number("furthest"),
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
            row.bound.map_or_else(|| "-".to_owned(), |bound| format!("{bound:.1e}")),
            verdict,
        ]);
    }
    table
}
