//! The files that a run is going to read, as they are before it does.
//!
//! A run's rows, prompts and weights are read at different times, and what it keeps is found again by the
//! bytes of its files. So whatever changed in between is told, and nothing of that run is kept.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use crate::{
    evaluate::Evaluator,
    infer::Unasked,
    model::LocalFiles,
    passages::Corpus,
    plan::{ModelPlan, RunPlan},
    store::{FileState, Store, StoreError},
};

/// What a chat template calls to write a date.
const TIME_FUNCTION: &str = "strftime_now";

/// Every local file of a plan.
pub(super) struct Inputs {
    files: Vec<FileState>,
    /// Whether a prompt may hold today's date.
    pub(super) tells_time: bool,
}

impl Inputs {
    /// The files of a plan, found without reading rows or building prompts. Nothing where they cannot be told
    /// that easily, as for names on the hub, or where one cannot be read: preparation says why.
    pub(super) fn of(plan: &RunPlan) -> Option<Self> {
        let (paths, tells_time) = listed(plan)?;
        let files = paths.iter().map(|path| FileState::of(path)).collect::<Result<_, _>>().ok()?;
        Some(Self { files, tells_time })
    }

    /// Their paths, in their order.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(FileState::path)
    }

    /// An error if a file changed, went or came since.
    pub(super) fn check(&self, plan: &RunPlan) -> Result<(), StoreError> {
        self.files.iter().try_for_each(FileState::check)?;
        let now = listed(plan).map(|(paths, _)| paths).unwrap_or_default();
        let before: HashSet<&Path> = self.paths().collect();
        match now.into_iter().find(|path| !before.contains(path.as_path())) {
            Some(path) => Err(StoreError::Changed { path }),
            None => Ok(()),
        }
    }
}

/// Paths of all files, and whether a chat template among them may ask for the date.
fn listed(plan: &RunPlan) -> Option<(Vec<PathBuf>, bool)> {
    let mut files = Vec::new();
    for dataset in &plan.datasets {
        files.extend(dataset.location.files()?);
        files.extend(dataset.task.iter().flat_map(|task| task.function_files()));
        let encoder = dataset.evaluation.evaluator.as_deref().and_then(Evaluator::encoder);
        if let Some(Unasked::Passages(search)) = dataset.inferencer.unasked() {
            files.extend(Corpus::files(&search.corpus)?);
            if let Some(encoder) = &search.encoder {
                files.extend_from_slice(LocalFiles::of(Path::new(&encoder.name))?.paths());
            }
        }
        let bases = dataset.comparison.iter().flat_map(|comparison| &comparison.bases);
        files.extend(bases.filter_map(|base| base.file(&dataset.abbr)));
        for name in dataset.retriever.models().into_iter().chain(encoder) {
            files.extend_from_slice(LocalFiles::of(Path::new(name))?.paths());
        }
    }
    // A working folder may lie among the data.
    files.retain(|file| !Store::is_own_file(file));
    let mut tells_time = false;
    let here = |model: &&ModelPlan| model.served.is_none();
    for model in plan.models.iter().chain(plan.judges()).filter(here) {
        let own = LocalFiles::of(&model.path);
        let adapter = model.adapter.as_deref().map(LocalFiles::of_adapter);
        for found in std::iter::once(own).chain(adapter) {
            let found = found?;
            tells_time |= found.may_mention(TIME_FUNCTION);
            files.extend_from_slice(found.paths());
        }
        // A chat template of one's own was read when the plan was made.
        tells_time |= format!("{:?}", model.chat).contains(TIME_FUNCTION);
    }
    Some((files, tells_time))
}
