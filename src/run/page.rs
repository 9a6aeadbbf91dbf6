//! The page of a run that is finished.

use super::RunOptions;
use crate::{
    kept_run::RunOutcome,
    prepare::Progress,
    run_page,
    store::{RunFolder, Store},
};

/// The outcome with the page of its run, which is written unless it is there: a run may have been stopped between its
/// last figure and its page. Without one nothing of the run is lost, so that is told and no error.
pub(super) fn with_page(
    outcome: RunOutcome,
    options: &RunOptions,
    store: &Store,
    progress: &dyn Progress,
) -> RunOutcome {
    if outcome.page.is_some() || !options.has_page {
        return outcome;
    }
    let folder = RunFolder::of(store.folder(), &outcome.name);
    match run_page::write_into_folder(&folder, store.folder(), progress) {
        Ok(page) => RunOutcome { page: Some(page.path), ..outcome },
        Err(error) => {
            progress.note(&format!(
                "the page of the run was not written: {error}; `surprisal report {}` tries again",
                outcome.name
            ));
            outcome
        }
    }
}
