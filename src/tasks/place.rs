//! Where task files lie.

use std::{
    env,
    path::{Path, PathBuf},
};

use super::TaskError;
use crate::hub::files_below;

/// The variable that names the folder of tasks.
const TASKS: &str = "SURPRISAL_TASKS";

/// Where lm-eval keeps its tasks in a virtual environment, below `lib/python3.11` and the like.
const INSTALLED: &str = "site-packages/lm_eval/tasks";

/// The folder of tasks: the one that is given, else that of `SURPRISAL_TASKS`, else the `lm_eval` of the active virtual
/// environment.
///
/// # Errors
///
/// Where there is none: what to do.
pub fn tasks_folder(given: Option<&Path>) -> Result<PathBuf, TaskError> {
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty());
    if let Some(folder) = named(TASKS) {
        return Ok(PathBuf::from(folder));
    }
    let library = named("VIRTUAL_ENV").map(|folder| PathBuf::from(folder).join("lib"));
    let versions = library.iter().filter_map(|library| library.read_dir().ok()).flatten();
    let mut installed = versions.filter_map(|version| Some(version.ok()?.path().join(INSTALLED)));
    installed.find(|folder| folder.is_dir()).ok_or(TaskError::NoFolder)
}

/// The `.yaml` files below a folder, sorted, but for those of folders that hold no tasks.
pub(super) fn task_files(folder: &Path) -> Vec<PathBuf> {
    const IGNORED: [&str; 2] = ["__pycache__", ".ipynb_checkpoints"];
    let is_task = |file: &String| {
        let mut folders = file.split('/');
        let ending = folders.next_back().and_then(|name| name.rsplit_once('.'));
        ending.is_some_and(|(_, ending)| ending == "yaml")
            && !folders.any(|folder| IGNORED.contains(&folder))
    };
    let mut files: Vec<String> = files_below(folder).into_iter().filter(is_task).collect();
    files.sort_unstable();
    files.into_iter().map(|file| folder.join(file)).collect()
}
