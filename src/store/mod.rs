//! What a run leaves on disk, and how it goes on after it was stopped.
//!
//! A run lives in `<work_dir>/<time stamp>/`, laid out as OpenCompass does so that scripts made for it
//! keep working; `records/` and `run.json` beside them are ours. Records are appended batch by batch and
//! synced, so that killing the process at any byte loses at most the batch in flight. A run is known by
//! its fingerprint: the same command finds its unfinished folder by it and goes on there.
//!
//! Nothing here knows what a record means.

mod atomic;
mod fingerprint;
mod journal;
mod run_folder;

pub use atomic::write_atomically;
pub use fingerprint::Fingerprint;
pub use journal::Journal;
pub use run_folder::RunFolder;
pub(crate) use run_folder::file_name;

use std::path::PathBuf;

/// Why something could not be kept or found again.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A record file holds something that is not a record.
    #[error("{}:{line}: not a record of this run ({what}); move the file away to start over", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A value cannot be written as JSON.
    #[error("cannot write a record to {}: {what}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

impl StoreError {
    /// Turns the error of an operation on `path` into one that says so.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}
