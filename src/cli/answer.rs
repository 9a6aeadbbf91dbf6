//! `surprisal answer`: requests of other programs, answered together.

use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
    path::Path,
    process::ExitCode,
};

use anyhow::Context as _;
use serde_json::Value;

use super::{args::AnswerArguments, output::print, run};
use crate::{
    folder_sync,
    kept_run::given_answers,
    plan::{PlanSources, RunPlan},
    run::{RunOptions, execute},
};

/// Answers the requests of a file, a line for each, in their order.
pub(super) fn answer(arguments: &AnswerArguments) -> anyhow::Result<ExitCode> {
    let plan = RunPlan::load_with(&PlanSources {
        models: vec![arguments.model.clone()],
        requests: Some(arguments.requests.clone()),
        ..PlanSources::default()
    })?;
    let progress = run::start(&arguments.asking)?;
    let options = RunOptions { has_page: false, ..run::options(&arguments.asking) };
    let outcome = execute(&plan, &options, &progress)?;
    let lines = given_answers(&arguments.asking.work_dir, &outcome.name, &progress)?;
    match &arguments.output {
        Some(path) => write(path, &lines)?,
        None => {
            for line in &lines {
                print(&line.to_string())?;
            }
        }
    }
    Ok(ExitCode::from(run::tell(&outcome, &arguments.asking, false)))
}

/// Whole or not there: a file that was cut off would be read as fewer answers.
fn write(path: &Path, lines: &[Value]) -> anyhow::Result<()> {
    let mut partial = path.to_owned().into_os_string();
    partial.push(".partial");
    let written = || -> io::Result<()> {
        let mut out = BufWriter::new(File::create(&partial)?);
        for line in lines {
            writeln!(out, "{line}")?;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?;
        std::fs::rename(&partial, path)?;
        folder_sync::sync_name(path)
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}
