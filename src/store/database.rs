//! Opening the database of a working folder.
//!
//! Every commit is on disk when it returns (`synchronous=FULL`), any number of processes may have the
//! database open (write-ahead log; writers wait for each other), and opening is done by one process at a
//! time, under a lock of the kernel's, because making the tables and turning the log on are not.
//!
//! The log is not safe on a file system over the network. There, and wherever a shard's record lies in the folder, one
//! process at a time has the database, with a rollback journal: SQLite's `unix-excl` locks it for the process, and its
//! connections share it.

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, TransactionBehavior};

use super::{
    SHARD_RECORD, StoreError,
    checksum::checksum,
    file_system,
    salvage::{self, MOST_NUMBER},
    schema::{FORMAT, TABLES},
};
use crate::folder_sync;

/// The database's name in a working folder.
pub(super) const FILE: &str = "surprisal.db";

/// The file whose lock lets one process at a time open the database.
const OPENING_LOCK: &str = "surprisal.lock";

/// How long a writer waits for other processes' commits. Each takes milliseconds, so this is never
/// reached but by a process that was stopped while it wrote.
const BUSY: Duration = Duration::from_mins(10);

/// How long it is waited for a process that has a database alone. One that only looks answers up is faster.
const HELD: Duration = Duration::from_secs(5);

/// Who may have a database open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Any number of processes of this machine.
    Shared,
    /// One process.
    Alone,
}

impl Access {
    /// Who may have the database of a folder open.
    pub(super) fn of(folder: &Path) -> Self {
        let is_shard = folder.join(SHARD_RECORD).is_file();
        if is_shard || file_system::is_network(folder) { Self::Alone } else { Self::Shared }
    }

    /// The journal that goes with it, as SQLite calls it.
    fn journal(self) -> &'static str {
        match self {
            Self::Shared => "wal",
            Self::Alone => "delete",
        }
    }
}

/// Opens the database of `folder`, making folder and database where there are none. A damaged database
/// is set aside and what is readable of it kept; then the second value says so.
pub(super) fn open(folder: &Path) -> Result<(Connection, Option<String>), StoreError> {
    folder_sync::create_folder(folder).map_err(StoreError::io("create the folder", folder))?;
    let _opening = opening_lock(folder)?;
    let path = folder.join(FILE);
    let resumed = salvage::resume(&path)?;
    let error = match prepared(&path) {
        Err(error @ StoreError::Damaged { .. }) => error,
        other => return other.map(|connection| (connection, resumed)),
    };
    let note = salvage::salvage(&path, &error)?;
    prepared(&path).map(|connection| (connection, Some(note)))
}

/// Sets a database aside that turned out to be damaged while it was used, and keeps what is readable.
pub(super) fn mend(folder: &Path, error: &StoreError) -> Result<String, StoreError> {
    let _opening = opening_lock(folder)?;
    salvage::salvage(&folder.join(FILE), error)
}

/// Another connection to a database that is open.
pub(super) fn connect(path: &Path) -> Result<Connection, StoreError> {
    let failed = StoreError::database("open", path);
    let access = path.parent().map_or(Access::Shared, Access::of);
    let connect = || {
        let connection = match access {
            #[cfg(unix)]
            Access::Alone => {
                Connection::open_with_flags_and_vfs(path, OpenFlags::default(), "unix-excl")?
            }
            _ => Connection::open(path)?,
        };
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        // Pages that cannot be right are errors instead of odd rows.
        connection.pragma_update(None, "cell_size_check", true)?;
        Ok(connection)
    };
    connect().map_err(failed)
}

/// Held while a database is opened or mended.
fn opening_lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(OPENING_LOCK);
    let file = File::create(&path).map_err(StoreError::io("create", &path))?;
    file.lock().map_err(StoreError::io("lock", &path))?;
    Ok(file)
}

/// A connection to a database with all its tables.
fn prepared(path: &Path) -> Result<Connection, StoreError> {
    let access = path.parent().map_or(Access::Shared, Access::of);
    let mut connection = connect(path)?;
    let damaged = |what: String| StoreError::Damaged { path: path.to_owned(), what };
    let failed = || StoreError::database("open", path);
    if access == Access::Alone {
        connection.busy_timeout(HELD).map_err(failed())?;
    }
    let mode = connection
        .pragma_update_and_check(None, "journal_mode", access.journal(), |row| {
            row.get::<_, String>(0)
        })
        .and_then(|mode| Ok((mode, tables(&connection)?)));
    let (mode, found) = match mode {
        Err(error) if access == Access::Alone && is_held(&error) => {
            return Err(StoreError::Held { path: path.to_owned() });
        }
        other => other.map_err(failed())?,
    };
    if mode != access.journal() {
        return Err(damaged(format!("its journal mode is {mode}")));
    }
    connection.busy_timeout(BUSY).map_err(failed())?;
    if found.is_empty() {
        create(&mut connection).map_err(StoreError::database("make the tables of", path))?;
        return Ok(connection);
    }
    let is_format = |(name, _): &(String, String)| name == "format";
    if found.iter().any(is_format) {
        let row: Option<(i64, i64)> = connection
            .query_row("SELECT version, checksum FROM format", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(failed())?;
        match row {
            Some((found, sum)) if sum == format_checksum(found) && found != FORMAT => {
                return Err(StoreError::OtherFormat { path: path.to_owned(), found });
            }
            Some((found, sum)) if sum == format_checksum(found) => (),
            _ => return Err(damaged("its format is not readable".to_owned())),
        }
    }
    let expected = TABLES.iter().map(|(name, sql)| ((*name).to_owned(), (*sql).to_owned()));
    if !found.iter().cloned().eq(expected) {
        return Err(damaged("its tables are not those that were made".to_owned()));
    }
    // A sequence beyond all numbers leaves none for the next row.
    let last: Option<i64> = connection
        .query_row("SELECT max(seq) FROM sqlite_sequence", [], |row| row.get(0))
        .map_err(failed())?;
    if last.is_some_and(|last| last >= MOST_NUMBER) {
        return Err(damaged(format!("its last row has the number {last:?}")));
    }
    Ok(connection)
}

/// Whether an error says that another process has the database.
pub(super) fn is_held(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Names and statements of all tables, by name.
fn tables(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    connection
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL ORDER BY name")?
        .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?
        .filter(|row| row.as_ref().map_or(true, |(name, _)| !name.starts_with("sqlite_")))
        .collect()
}

/// Makes all tables at once.
fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (_, statement) in TABLES {
        transaction.execute(statement, [])?;
    }
    transaction.execute("INSERT INTO format VALUES (?, ?)", format_row())?;
    transaction.commit()
}

/// The only row of `format`.
pub(super) fn format_row() -> (i64, i64) {
    (FORMAT, format_checksum(FORMAT))
}

fn format_checksum(version: i64) -> i64 {
    checksum("format", [version.to_le_bytes().as_slice()])
}

/// The files that SQLite keeps a database in.
pub(super) fn files(path: &Path) -> [PathBuf; 4] {
    ["", "-wal", "-shm", "-journal"].map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    })
}
