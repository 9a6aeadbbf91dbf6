//! What lies in a working folder.

use std::path::Path;

use serde::Serialize;

use super::{
    RunError, RunFacts, UnitFacts,
    find::{mended, name, open},
};
use crate::{
    prepare::Progress,
    report::ResultRow,
    store::{RunRow, RunState, Store},
};

/// A run as it is listed.
#[derive(Clone, Debug, Serialize)]
pub struct ListedRun {
    /// Its name: that of its folder, or `evaluation-N`.
    pub name: String,
    /// `finished`, `unfinished` or `incomplete`.
    pub state: &'static str,
    /// When it was begun.
    pub started: String,
    /// When everything was done.
    pub finished: Option<String>,
    /// The command line.
    pub command_line: Vec<String>,
    /// What it ran on.
    pub machine: String,
    /// Its models.
    pub models: Vec<String>,
    /// Its data sets.
    pub datasets: Vec<String>,
    /// Samples of all data sets under all models.
    pub samples: usize,
    /// Tokens that went through a model.
    pub computed_tokens: usize,
    /// Tokens of questions whose answers were known.
    pub reused_tokens: usize,
    /// Samples without an answer.
    pub failed_samples: usize,
    /// The run whose answers it evaluates, if it asked nothing itself.
    pub evaluates: Option<String>,
    /// Its figures.
    pub results: Vec<ResultRow>,
}

/// Every run of a working folder, the oldest first.
pub fn list(work_dir: &Path, progress: &dyn Progress) -> Result<Vec<ListedRun>, RunError> {
    mended(work_dir, progress, || {
        let store = open(work_dir, progress)?;
        let runs: Vec<RunRow> =
            store.runs()?.into_iter().filter(|run| run.state != RunState::Replaced).collect();
        runs.iter().filter_map(|run| listed(&store, run, &runs).transpose()).collect()
    })
}

fn listed(store: &Store, run: &RunRow, runs: &[RunRow]) -> Result<Option<ListedRun>, RunError> {
    let Ok(facts) = serde_json::from_str::<RunFacts>(&run.facts) else { return Ok(None) };
    let (mut models, mut datasets): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut samples = 0;
    for unit in store.units(run)? {
        let own = serde_json::from_str::<UnitFacts>(&unit.facts);
        if own.as_ref().is_ok_and(|own| own.judged.is_some()) {
            continue;
        }
        samples += unit.samples;
        let Ok(own) = own else { continue };
        for (name, names) in [(own.model, &mut models), (own.dataset, &mut datasets)] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let evaluates = facts.answers_of.as_ref().and_then(|of| {
        let source = runs.iter().find(|run| run.id == of.run)?;
        Some(name(source, &serde_json::from_str(&source.facts).ok()?))
    });
    Ok(Some(ListedRun {
        name: name(run, &facts),
        state: match run.state {
            RunState::Finished => "finished",
            RunState::Incomplete => "incomplete",
            RunState::Unfinished | RunState::Replaced => "unfinished",
        },
        started: facts.started,
        finished: facts.finished,
        command_line: facts.command_line,
        machine: facts.machine,
        models,
        datasets,
        samples,
        computed_tokens: facts.work.computed_tokens,
        reused_tokens: facts.work.reused_tokens,
        failed_samples: facts.failed_samples,
        evaluates,
        results: facts.results,
    }))
}
