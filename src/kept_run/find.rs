//! Finding a run of a working folder by its name, and reading it although something is damaged.

use std::path::Path;

use serde::Deserialize;

use super::{RunError, RunFacts, facts::AnswerSource};
use crate::{
    prepare::Progress,
    store::{RunRow, RunState, Store, StoreError},
};

/// Opens a store to read it.
pub(crate) fn open(work_dir: &Path, progress: &dyn Progress) -> Result<Store, RunError> {
    let (store, note) = Store::open_existing(work_dir)?;
    if let Some(note) = note {
        progress.note(&note);
    }
    Ok(store)
}

/// The number of a run that is asked for now. A repeated one gets it too: `latest` is then what was just printed.
pub(crate) fn next_asked(store: &Store) -> Result<u64, RunError> {
    let runs = store.runs()?;
    let facts = runs.iter().filter_map(|run| serde_json::from_str::<Asked>(&run.facts).ok());
    Ok(facts.map(|facts| facts.asked).max().unwrap_or(0) + 1)
}

/// The one field of [`RunFacts`] that is read of every run.
#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    asked: u64,
}

/// The run of this name, or `latest`: the last one that was asked for and asks by itself.
pub(crate) fn find(store: &Store, name: &str) -> Result<(RunRow, RunFacts), RunError> {
    let mut known = Vec::new();
    let wanted = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    let runs = store.runs()?.into_iter().filter(|run| run.state != RunState::Replaced);
    let mut found: Option<(RunRow, RunFacts)> = None;
    for run in runs {
        let Ok(facts) = serde_json::from_str::<RunFacts>(&run.facts) else { continue };
        let own = self::name(&run, &facts);
        let is_it = match wanted {
            "latest" => facts.answers_of.is_none(),
            _ => own == wanted,
        };
        known.push(own);
        // Of runs that no number tells apart, because an older version wrote them, the newest.
        if is_it && found.as_ref().is_none_or(|(_, last)| last.asked <= facts.asked) {
            found = Some((run, facts));
        }
    }
    found.ok_or_else(|| {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let folder = store.folder().to_owned();
        StoreError::NoSuchRun { name: name.to_owned(), folder, known }.into()
    })
}

/// The own name of a run that may be called `latest`, which is another one as soon as the next run is asked.
pub fn own_name(work_dir: &Path, name: &str, progress: &dyn Progress) -> Result<String, RunError> {
    mended(work_dir, progress, || {
        let (run, facts) = find(&open(work_dir, progress)?, name)?;
        Ok(self::name(&run, &facts))
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
