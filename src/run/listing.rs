//! What lies in a working folder, and finding a run by its name.

use std::path::Path;

use serde::Serialize;

use super::{RunError, RunFacts, UnitFacts, facts::AnswerSource};
use crate::{
    prepare::Progress,
    report::ResultRow,
    store::{RunRow, RunState, Store, StoreError},
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

/// Opens a store to read it.
pub(crate) fn open(work_dir: &Path, progress: &dyn Progress) -> Result<Store, RunError> {
    let (store, note) = Store::open_existing(work_dir)?;
    if let Some(note) = note {
        progress.note(&note);
    }
    Ok(store)
}

/// The run of this name, number, or `latest`.
pub(crate) fn find(store: &Store, name: &str) -> Result<(RunRow, RunFacts), RunError> {
    let mut known = Vec::new();
    let wanted = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    let runs = store.runs()?.into_iter().filter(|run| run.state != RunState::Replaced);
    let mut found = None;
    for run in runs {
        let Ok(facts) = serde_json::from_str::<RunFacts>(&run.facts) else { continue };
        let own = self::name(&run, &facts);
        let is_it = match wanted {
            "latest" => facts.answers_of.is_none(),
            _ => own == wanted || run.id.to_string() == wanted,
        };
        known.push(own);
        if is_it {
            found = Some((run, facts));
        }
    }
    found.ok_or_else(|| {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let folder = store.folder().to_owned();
        StoreError::NoSuchRun { name: name.to_owned(), folder, known }.into()
    })
}

/// The run of this name with its figures; an error while it has none.
pub(crate) fn find_finished(store: &Store, name: &str) -> Result<(RunRow, RunFacts), RunError> {
    let (run, facts) = find(store, name)?;
    if run.state == RunState::Unfinished {
        let (name, command) = (self::name(&run, &facts), facts.command_line.join(" "));
        return Err(StoreError::Unfinished { name, command }.into());
    }
    Ok((run, facts))
}

/// The run that an evaluation scores; an error if it is not what it was then.
pub(crate) fn find_source(
    store: &Store,
    source: &AnswerSource,
) -> Result<(RunRow, RunFacts), RunError> {
    // Also one that a fresh run has replaced: its answers to these samples are still there.
    for run in store.runs()?.into_iter().filter(|run| run.id == source.run) {
        let facts = serde_json::from_str::<RunFacts>(&run.facts);
        if let Ok(facts) = facts
            && AnswerSource::of(&run, &facts) == *source
        {
            return Ok((run, facts));
        }
    }
    Err(StoreError::OtherSource.into())
}

/// Does something with a store; if the database turns out to be damaged, once more with what is readable.
pub(crate) fn mended<T>(
    work_dir: &Path,
    progress: &dyn Progress,
    attempt: impl Fn() -> Result<T, RunError>,
) -> Result<T, RunError> {
    match attempt() {
        Err(RunError::Store(error @ StoreError::Damaged { .. })) => {
            progress.note(&Store::mend(work_dir, &error)?);
            attempt()
        }
        other => other,
    }
}

/// Passes an outcome on. If something of the run cannot be read, its command is to ask for that again
/// instead of showing its table.
pub(crate) fn reopened_if_incomplete<T>(
    store: &Store,
    run: &RunRow,
    outcome: Result<T, RunError>,
) -> Result<T, RunError> {
    // The command of a run that was replaced belongs to the one in its place.
    if let Err(RunError::Store(StoreError::Incomplete { .. })) = &outcome
        && run.state != RunState::Replaced
    {
        let mut reopened = run.clone();
        reopened.state = RunState::Unfinished;
        store.update(&reopened)?;
    }
    outcome
}

/// How a run is called.
pub(crate) fn name(run: &RunRow, facts: &RunFacts) -> String {
    facts.folder.clone().unwrap_or_else(|| format!("evaluation-{}", run.id))
}

fn listed(store: &Store, run: &RunRow, runs: &[RunRow]) -> Result<Option<ListedRun>, RunError> {
    let Ok(facts) = serde_json::from_str::<RunFacts>(&run.facts) else { return Ok(None) };
    let (mut models, mut datasets): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut samples = 0;
    for unit in store.units(run)? {
        samples += unit.samples;
        let Ok(own) = serde_json::from_str::<UnitFacts>(&unit.facts) else { continue };
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
