//! `surprisal export`: flat tables of a run.

use std::{
    fs::File,
    io::{self, IsTerminal as _},
    process::ExitCode,
};

use anyhow::Context as _;

use super::{
    args::ExportArguments,
    output::{print, talk},
    progress::TerminalProgress,
};
use crate::{
    folder_sync,
    kept_run::{self, ExportOptions},
    report::{ExportFormat, grouped},
};

/// Writes the table.
pub(super) fn export(arguments: &ExportArguments) -> anyhow::Result<ExitCode> {
    let by_name = match (arguments.format, &arguments.output) {
        (Some(format), _) => format,
        (None, None) => ExportFormat::Jsonl,
        (None, Some(path)) => kept_run::format_of(path).with_context(|| {
            let path = path.display();
            format!("{path}: its name tells no format; end it in .jsonl, .csv or .parquet, or give --format")
        })?,
    };
    let options = ExportOptions {
        work_dir: arguments.work_dir.clone(),
        run: arguments.run.clone(),
        table: arguments.table,
        format: by_name,
    };
    let progress = TerminalProgress::new();
    let Some(path) = &arguments.output else {
        if !io::stdout().is_terminal() {
            kept_run::export(&options, Box::new(io::stdout()), &progress)?;
            return Ok(ExitCode::SUCCESS);
        }
        // What a terminal would obey must not reach it, so the table is looked through first.
        anyhow::ensure!(
            options.format != ExportFormat::Parquet,
            "a terminal cannot show parquet; name a file with -o"
        );
        let mut table = Vec::new();
        kept_run::export(&options, Box::new(&mut table), &progress)?;
        print(&String::from_utf8_lossy(&table))?;
        return Ok(ExitCode::SUCCESS);
    };
    // Whole or not there: a table that was cut off would be read as a shorter run.
    let mut partial = path.clone().into_os_string();
    partial.push(".partial");
    let file =
        File::create(&partial).with_context(|| format!("cannot create {}", path.display()))?;
    let written = kept_run::export(&options, Box::new(file), &progress);
    match written {
        Ok(lines) => {
            std::fs::rename(&partial, path)
                .and_then(|()| folder_sync::sync_name(path))
                .with_context(|| format!("cannot write {}", path.display()))?;
            talk(&format!("{} lines in {}", grouped(lines), path.display()));
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            let _ = std::fs::remove_file(&partial);
            Err(error.into())
        }
    }
}
