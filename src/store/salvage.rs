//! What is readable of a damaged database.
//!
//! The database is set aside, never thrown away, and every row that can still be read goes into a new one.
//! Whether a row is as it was written is not asked here: its checksum is compared when it is used. What is
//! lost is asked again by the run that misses it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags, params_from_iter, types::Value};

use super::{StoreError, database::files, schema::TABLES};
use crate::folder_sync::sync_name;

/// Numbers of rows are below this; a larger one was not written, and leaves no room for the next.
pub(super) const MOST_NUMBER: i64 = 1 << 62;

/// Rows that are written between two commits.
const BATCH_ROWS: usize = 4096;

/// Moves the database at `path` aside and makes one of its readable rows; gives a note for the user.
pub(super) fn salvage(path: &Path, error: &StoreError) -> Result<String, StoreError> {
    let fresh = path.with_extension("db-salvaging");
    for file in files(&fresh) {
        let _ = fs::remove_file(file);
    }
    let rows = copy(path, &fresh).map_err(StoreError::database("write", &fresh))?;
    let whole = salvaged(path);
    fs::rename(&fresh, &whole)
        .and_then(|()| sync_name(path))
        .map_err(StoreError::io("rename a file to", &whole))?;
    let aside = finish(path)?;
    Ok(format!(
        "{error}. It is kept as {}; {rows} rows of it could be read and are used, what is missing is asked again",
        aside.display()
    ))
}

/// The name that a database has once all readable rows are in it, until it takes the damaged one's place.
fn salvaged(path: &Path) -> PathBuf {
    path.with_extension("db-salvaged")
}

/// Ends a salvage that was stopped after all rows were copied; a note if there was one.
pub(super) fn resume(path: &Path) -> Result<Option<String>, StoreError> {
    if !salvaged(path).exists() {
        return Ok(None);
    }
    let aside = finish(path)?;
    Ok(Some(format!(
        "{} was damaged. It is kept as {}; what could be read of it is used, the rest is asked again",
        path.display(),
        aside.display()
    )))
}

/// Puts the salvaged database in the damaged one's place; gives where that is kept. The damaged one's log goes,
/// too, before it could be taken for the other's.
fn finish(path: &Path) -> Result<PathBuf, StoreError> {
    let aside = free_name(path);
    for (from, to) in files(path).iter().zip(files(&aside)).rev() {
        if from.exists() {
            fs::rename(from, &to).map_err(StoreError::io("set aside", from))?;
        }
    }
    sync_name(path).map_err(StoreError::io("sync the folder of", path))?;
    fs::rename(salvaged(path), path)
        .and_then(|()| sync_name(path))
        .map_err(StoreError::io("rename a file to", path))?;
    Ok(aside)
}

/// A name beside the database that nothing has yet.
fn free_name(path: &Path) -> PathBuf {
    let mut number = 1;
    loop {
        let name = path.with_extension(format!("db-damaged-{number}"));
        if files(&name).iter().all(|file| !file.exists()) {
            return name;
        }
        number += 1;
    }
}

/// Copies every readable row; gives how many.
fn copy(from: &Path, to: &Path) -> rusqlite::Result<usize> {
    let target = Connection::open(to)?;
    for (_, statement) in TABLES {
        target.execute(statement, [])?;
    }
    let Ok(source) = Connection::open_with_flags(
        from,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    ) else {
        target.execute("INSERT INTO format VALUES (?, ?)", super::database::format_row())?;
        return Ok(0);
    };
    let mut copied = 0;
    for (table, statement) in TABLES {
        if matches!(*table, "claim" | "owner" | "format") {
            continue;
        }
        let key = key_columns(statement);
        // A page that cannot be read ends a scan: what lies behind it is reached from the other end.
        for order in ["ASC", "DESC"] {
            let key: Vec<String> = key.iter().map(|column| format!("{column} {order}")).collect();
            let query = format!("SELECT * FROM {table} ORDER BY {}", key.join(", "));
            let (rows, is_whole) = copy_table(&source, &target, table, &query)?;
            copied += rows;
            if is_whole {
                break;
            }
        }
    }
    target.execute("INSERT INTO format VALUES (?, ?)", super::database::format_row())?;
    target.close().map_err(|(_, error)| error)?;
    Ok(copied)
}

/// Copies the rows of a query until one cannot be read; how many were new, and whether that was all.
fn copy_table(
    source: &Connection,
    target: &Connection,
    table: &str,
    query: &str,
) -> rusqlite::Result<(usize, bool)> {
    let Ok(mut statement) = source.prepare(query) else { return Ok((0, false)) };
    let columns = statement.column_count();
    let marks = vec!["?"; columns].join(", ");
    let insert = format!("INSERT OR IGNORE INTO {table} VALUES ({marks})");
    let Ok(mut rows) = statement.query([]) else { return Ok((0, false)) };
    let mut copied = 0;
    let mut pending = 0;
    target.execute_batch("BEGIN")?;
    let is_whole = loop {
        match rows.next() {
            Ok(None) => break true,
            Err(_) => break false,
            Ok(Some(row)) => {
                let values: rusqlite::Result<Vec<Value>> =
                    (0..columns).map(|column| row.get(column)).collect();
                let Ok(values) = values else { continue };
                // The last column is the checksum.
                let too_large = |value: &Value| matches!(value, Value::Integer(number) if *number >= MOST_NUMBER);
                if values[..columns - 1].iter().any(too_large) {
                    continue;
                }
                // A row that breaks a rule of its table is not one that was written.
                copied +=
                    target.prepare_cached(&insert)?.execute(params_from_iter(values)).unwrap_or(0);
                pending += 1;
                if pending == BATCH_ROWS {
                    pending = 0;
                    target.execute_batch("COMMIT; BEGIN")?;
                }
            }
        }
    };
    target.execute_batch("COMMIT")?;
    Ok((copied, is_whole))
}

/// The columns of a table's primary key, read off its statement.
fn key_columns(statement: &str) -> Vec<&str> {
    if let Some((_, rest)) = statement.split_once("PRIMARY KEY(") {
        let columns = rest.split_once(')').map_or(rest, |(columns, _)| columns);
        return columns.split(", ").collect();
    }
    let body = statement.split_once('(').map_or("", |(_, body)| body);
    let column = body.split(", ").find(|column| column.contains("PRIMARY KEY"));
    vec![column.and_then(|column| column.split_whitespace().next()).unwrap_or("rowid")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_off_the_statements() {
        let key = |table: &str| {
            let (_, statement) = TABLES.iter().find(|(name, _)| *name == table).unwrap();
            key_columns(statement)
        };
        assert_eq!(key("answer"), ["question"]);
        assert_eq!(key("sample"), ["unit", "row"]);
        assert_eq!(key("segment"), ["id"]);
    }
}
