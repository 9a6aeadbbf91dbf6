//! The files of a task's functions, as they are when it is asked: scored again later, they have to be the same.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{TaskError, TaskPlan, scoring::hash_of};
use crate::{
    config::functions::{FunctionFiles, imported_files},
    regular_file::{self, MOST_SETTINGS_BYTES},
};

impl TaskPlan {
    /// The files whose functions the task names, each once.
    pub fn function_files(&self) -> Vec<PathBuf> {
        let files = FunctionFiles::new("".as_ref());
        let mut paths: Vec<PathBuf> = Vec::new();
        for (_, reference) in &self.functions {
            let path = files.function(reference).path().to_owned();
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// The SHA-256 of each of them that can be read, and of those that they import of `folder`, that of the tasks, in hexadecimal
    /// digits; a function of another is refused where it is needed.
    pub fn function_digests(&self, folder: &Path) -> BTreeMap<String, String> {
        let digest = |path: PathBuf| {
            let bytes = regular_file::read(&path, MOST_SETTINGS_BYTES).ok()?;
            Some((path.to_string_lossy().into_owned(), hash_of(&bytes)))
        };
        let files = self.function_files();
        let all = files.iter().flat_map(|path| imported_files(path, folder));
        all.filter_map(digest).collect()
    }

    /// Whether the files of its functions are still what they were; `folder` is that of the tasks.
    ///
    /// # Errors
    ///
    /// Where one is not: which.
    pub fn check_functions(
        &self,
        folder: &Path,
        known: &BTreeMap<String, String>,
    ) -> Result<(), TaskError> {
        let now = self.function_digests(folder);
        match now.iter().find(|(path, digest)| known.get(*path).is_some_and(|own| own != *digest)) {
            None => Ok(()),
            Some((path, _)) => {
                let what = "it is not what it was when the task was asked; run the task again";
                Err(TaskError::file(path.as_ref(), what))
            }
        }
    }
}
