//! Runs: what was asked for, when, by which program, and what came of it.

use std::fmt;

use rusqlite::{Connection, Row, Transaction, TransactionBehavior};

use super::{
    StoreError,
    checksum::{checksum, readable_rows},
};

/// What a run is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunKey(pub [u8; 32]);

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// It is under way, or was stopped.
    Unfinished,
    /// Everything is answered and evaluated.
    Finished,
    /// Everything was tried, and some samples have no answer; repeating the command tries those again.
    Incomplete,
    /// A later run with `--fresh` took its place.
    Replaced,
}

impl RunState {
    const ALL: [Self; 4] = [Self::Unfinished, Self::Finished, Self::Incomplete, Self::Replaced];

    fn number(self) -> i64 {
        Self::ALL.iter().position(|state| *state == self).map_or(0, |index| index as i64)
    }

    fn of(number: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// Which runs of the same work do not count any more when it is begun again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// A finished one has done it, one that is not is gone on with.
    Nothing,
    /// It is done once more beside those that are finished; one that is not is gone on with.
    Finished,
    /// It is done once more in the place of all.
    Everything,
}

/// A run as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// Its number in the database.
    pub id: i64,
    /// Configs, options and the bytes of every input file: the same command finds the run by it.
    pub command: RunKey,
    /// Everything that was asked and expected: the same work finds it by that, whatever the command.
    pub work: RunKey,
    /// How far it is.
    pub state: RunState,
    /// What the run says of itself, as JSON.
    pub facts: String,
    pub(super) owner: i64,
}

impl RunRow {
    /// What stands for a run where only a part of it is asked: it is written nowhere, and units and answers are its.
    pub(crate) fn of_shard(work: RunKey) -> Self {
        let state = RunState::Unfinished;
        Self { id: 1, command: work, work, state, facts: String::new(), owner: 0 }
    }

    fn checksum(&self) -> i64 {
        let numbers = [self.id, self.owner, self.state.number()].map(i64::to_le_bytes);
        let parts = numbers.iter().map(<[u8; 8]>::as_slice);
        checksum(
            "run",
            parts.chain([self.command.0.as_slice(), self.work.0.as_slice(), self.facts.as_bytes()]),
        )
    }
}

/// All runs that are as they were written, the oldest first.
pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<RunRow>> {
    let query = "SELECT id, command, work, owner, state, facts, checksum FROM run ORDER BY id";
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map([], read)?;
    readable_rows(rows)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Option<RunRow>> {
    let (command, work): (Vec<u8>, Vec<u8>) = (row.get(1)?, row.get(2)?);
    let sum: i64 = row.get(6)?;
    let (Ok(command), Ok(work), Some(state)) =
        (command.try_into(), work.try_into(), RunState::of(row.get(4)?))
    else {
        return Ok(None);
    };
    let found = RunRow {
        id: row.get(0)?,
        command: RunKey(command),
        work: RunKey(work),
        owner: row.get(3)?,
        state,
        facts: row.get(5)?,
    };
    Ok(Some(found).filter(|run| run.checksum() == sum))
}

/// Writes a new run; gives it with its number, which nothing in the database ever had.
pub(super) fn insert(connection: &Connection, mut run: RunRow) -> rusqlite::Result<RunRow> {
    run.id = connection.query_row(
        "SELECT 1 + max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'run'), 0), \
         coalesce((SELECT max(id) FROM run), 0), coalesce((SELECT max(run) FROM unit), 0))",
        [],
        |row| row.get(0),
    )?;
    write(connection, &run)?;
    Ok(run)
}

/// Writes a run over what is there of it.
pub(super) fn write(connection: &Connection, run: &RunRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?)")?
        .execute((
            run.id,
            run.command.0,
            run.work.0,
            run.owner,
            run.state.number(),
            &run.facts,
            run.checksum(),
        ))
        .map(drop)
}

/// A transaction that no other writer can come between.
pub(super) fn immediate<'c>(
    connection: &'c Connection,
    action: &'static str,
    path: &std::path::Path,
) -> Result<Transaction<'c>, StoreError> {
    Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
        .map_err(StoreError::database(action, path))
}
