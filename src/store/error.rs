//! Why something cannot be kept or found again.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// An error of the store.
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
    /// The database refused something.
    #[error("cannot {action} {}: {source}{}", path.display(), remedy(source))]
    Database {
        /// What was tried.
        action: &'static str,
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The database is not what was written.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// How that shows.
        what: String,
    },
    /// The database was made by another version of the program.
    #[error(
        "{} was written by another version of surprisal (format {found}, this one writes {}); \
         give another folder with -w", path.display(), super::schema::FORMAT
    )]
    OtherFormat {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// A database that one process at a time may have open is open.
    #[error(
        "{} is open in another process; it is a shard's, or lies on a file system over the network, so that only one \
         process at a time may have it open; repeat the command once that one has ended", path.display()
    )]
    Held {
        /// The database, or the lock beside it.
        path: PathBuf,
    },
    /// There is no database.
    #[error("{}: there are no runs here; give the folder of `surprisal run -w` with -w", folder.display())]
    NoRuns {
        /// The folder.
        folder: PathBuf,
    },
    /// There is a database where there should be none.
    #[error("{} holds runs; give a folder without a database", folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// No run is called so.
    #[error("no run {name:?} in {}; there are: {known}", folder.display())]
    NoSuchRun {
        /// What was asked for.
        name: String,
        /// The folder.
        folder: PathBuf,
        /// The names that there are.
        known: String,
    },
    /// Rows of a run are missing or not as they were written.
    #[error(
        "{missing} of {samples} {what} of {unit} cannot be read back; repeat the run's command, which asks \
         for what is missing again"
    )]
    Incomplete {
        /// Data set and model.
        unit: String,
        /// How many are missing.
        missing: usize,
        /// How many there should be.
        samples: usize,
        /// What they are: samples or data sets.
        what: &'static str,
    },
    /// A database that was damaged when it was read, and is whole again without what could not be read.
    #[error("the database in {} was damaged and is mended; repeat the command", folder.display())]
    Mended {
        /// Its folder.
        folder: PathBuf,
    },
    /// A run that another one was to score has changed since.
    #[error(
        "the run that this evaluation scores is gone or has gone on since; `surprisal runs` lists those that \
         can be evaluated"
    )]
    OtherSource,
    /// A run that has no figures yet.
    #[error("run {name} is not finished; repeat its command, which goes on: {command}")]
    Unfinished {
        /// The run.
        name: String,
        /// What was typed.
        command: String,
    },
    /// A file that a run reads was written meanwhile.
    #[error("{} changed while it was read; repeat the command once it is as it should be", path.display())]
    Changed {
        /// The file, or the folder whose files are others.
        path: PathBuf,
    },
    /// The thread that writes has ended.
    #[error("answers can no longer be written to {}; the first error was told before", path.display())]
    WriterGone {
        /// The database.
        path: PathBuf,
    },
}

impl StoreError {
    /// What cannot be read back right after it was written is damage, such as rows that are out of order.
    pub(crate) fn into_damage(self, folder: &Path) -> Self {
        match self {
            Self::Incomplete { unit, missing, samples, what } => Self::Damaged {
                path: folder.join(super::database::FILE),
                what: format!("{missing} of {samples} {what} of {unit} cannot be read back"),
            },
            other => other,
        }
    }

    /// Turns the error of an operation on `path` into one that says so.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    /// The same for an operation of the database.
    pub(super) fn database(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(rusqlite::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| {
            if is_damage(&source) {
                Self::Damaged { path, what: source.to_string() }
            } else {
                Self::Database { action, path, source }
            }
        }
    }
}

/// Whether an error can only come from bytes that are not what was written.
fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, message) => match failure.code {
            // Numbers are chosen so that none is there twice: a row in the way was not written as it is.
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::SchemaChanged
            | ErrorCode::ConstraintViolation => true,
            // Our own statements are right: a table or column that they miss was lost.
            ErrorCode::Unknown => {
                let lost = ["no such table", "no such column", "malformed"];
                message.as_ref().is_some_and(|text| lost.iter().any(|sign| text.contains(sign)))
            }
            _ => false,
        },
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => true,
        _ => false,
    }
}

/// What to do about a refusal.
fn remedy(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "; free some space and repeat the command, which goes on",
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            "; is the folder writable? -w names another"
        }
        _ => "",
    }
}
