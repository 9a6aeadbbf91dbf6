//! `surprisal diff`: where a kept run and another account of the same samples part, and why.

mod text;

use std::process::ExitCode;

use super::{
    args::DiffArguments,
    output::{print, print_json, stdout_columns},
    progress::TerminalProgress,
};
use crate::diff::{self, DiffOptions};

/// Exit code where the two sides differ.
const THEY_DIFFER: u8 = 1;

/// Compares, and says what differs.
pub(super) fn diff(arguments: &DiffArguments) -> anyhow::Result<ExitCode> {
    let options = DiffOptions {
        is_wanted: &arguments.is_wanted(),
        model: arguments.model_name.as_deref(),
        filter: arguments.filter.as_deref(),
        tolerance: arguments.tolerance,
    };
    let progress = TerminalProgress::new();
    let DiffArguments { work_dir, run, other, .. } = arguments;
    let found = diff::diff(work_dir, run, other, options, &progress)?;
    if arguments.json {
        print_json(&found)?;
    } else {
        print(&text::text(&found, stdout_columns()))?;
    }
    Ok(if found.agree { ExitCode::SUCCESS } else { ExitCode::from(THEY_DIFFER) })
}
