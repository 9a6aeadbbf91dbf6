//! What can be wrong with tasks, said to the person who uses them.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why tasks cannot be read or asked.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A task file is not one.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no folder of tasks.
    #[error(
        "there is no folder of lm-eval's tasks: name it with --tasks-path DIR or SURPRISAL_TASKS, or run this where a virtual environment with lm_eval is active"
    )]
    NoFolder,
    /// No task, group or tag has this name.
    #[error("there is no task, group or tag '{name}'{}{}", near.as_ref().map_or_else(String::new, |near| format!(" (did you mean '{near}'?)")), unread.iter().flat_map(|own| ["\n", own.as_str()]).collect::<String>())]
    Unknown {
        /// The name.
        name: String,
        /// The name that is most like it.
        near: Option<String>,
        /// Why files were passed over that may be meant.
        unread: Vec<String>,
    },
    /// A task cannot be asked as it is written.
    #[error("task {task}: {problem}")]
    Task {
        /// Its name.
        task: String,
        /// What stands against it.
        problem: String,
    },
}

impl TaskError {
    /// Something that is wrong with a file.
    pub(super) fn file(path: &Path, problem: impl Into<String>) -> Self {
        Self::File { path: path.to_owned(), problem: problem.into() }
    }

    /// Something that is wrong with a task.
    pub(super) fn task(task: &str, problem: impl Into<String>) -> Self {
        Self::Task { task: task.to_owned(), problem: problem.into() }
    }
}
