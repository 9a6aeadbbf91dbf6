//! Who computes what at the moment.
//!
//! A process that computes is an owner: a row, and a file that the process keeps locked. The lock is the
//! kernel's and goes with the process however it ends, so what a dead owner had claimed is free at once.
//! Questions are claimed before they are asked; who finds a question claimed by somebody who lives waits
//! for the answer instead of computing it again.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, TransactionBehavior};

use super::{StoreError, checksum::readable};
use crate::answer::QuestionKey;

/// The folder of the lock files, beside the database. It is there while somebody computes.
pub(super) const FOLDER: &str = "surprisal.claims";

/// This process as one that computes.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) id: i64,
    lock: Option<File>,
    place: PathBuf,
    database: PathBuf,
}

/// What became of questions that were to be claimed, by their indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claimed {
    /// To be asked by this process.
    pub own: Vec<usize>,
    /// Being asked by another, or answered meanwhile.
    pub others: Vec<usize>,
}

impl Owner {
    /// Registers this process.
    pub(super) fn register(
        connection: &mut Connection,
        folder: &Path,
        database: &Path,
    ) -> Result<Self, StoreError> {
        let failed = || StoreError::database("register this process in", database);
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed())?;
        transaction
            .execute("INSERT INTO owner(process) VALUES (?)", [std::process::id()])
            .map_err(failed())?;
        let id = transaction.last_insert_rowid();
        let locks = folder.join(FOLDER);
        let place = lock_file(folder, id);
        let io = |action| StoreError::io(action, place.clone());
        // Another process may take the folder away in between, when its last lock goes.
        let lock = loop {
            fs::create_dir_all(&locks).map_err(StoreError::io("create the folder", &locks))?;
            match File::create(&place) {
                Ok(file) => break file,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => (),
                Err(error) => return Err(io("create")(error)),
            }
        };
        lock.lock().map_err(io("lock"))?;
        // From here on others see the row, and the file is locked already.
        transaction.commit().map_err(failed())?;
        Ok(Self { id, lock: Some(lock), place, database: database.to_owned() })
    }

    /// Claims the questions that nobody else has claimed. Those with an answer count as another's, unless
    /// `again` says that they are to be asked all the same.
    pub(super) fn claim(
        &self,
        connection: &mut Connection,
        folder: &Path,
        questions: &[(QuestionKey, bool)],
    ) -> rusqlite::Result<Claimed> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut claimed = Claimed::default();
        let mut alive: Vec<(i64, bool)> = vec![(self.id, false)];
        for (index, (key, again)) in questions.iter().enumerate() {
            let is_answered = !again
                && transaction
                    .prepare_cached("SELECT 1 FROM answer WHERE question = ?")?
                    .exists([key.as_bytes()])?;
            let owner: Option<i64> = readable(
                transaction
                    .prepare_cached("SELECT owner FROM claim WHERE question = ?")?
                    .query_row([key.as_bytes()], |row| row.get(0)),
            )?;
            let is_anothers = owner.is_some_and(|owner| {
                if let Some((_, lives)) = alive.iter().find(|(known, _)| *known == owner) {
                    return *lives;
                }
                let lives = is_alive(folder, owner);
                alive.push((owner, lives));
                lives
            });
            if is_answered || is_anothers {
                claimed.others.push(index);
                continue;
            }
            transaction
                .prepare_cached("INSERT OR REPLACE INTO claim VALUES (?, ?)")?
                .execute((key.as_bytes(), self.id))?;
            claimed.own.push(index);
        }
        transaction.commit()?;
        Ok(claimed)
    }
}

/// The process that has claimed a question and lives, if one has; not this one.
pub(super) fn claimant(
    connection: &Connection,
    folder: &Path,
    own: i64,
    key: &QuestionKey,
) -> rusqlite::Result<Option<u32>> {
    let found: Option<(i64, u32)> = readable(connection
        .prepare_cached(
            "SELECT owner.id, process FROM claim JOIN owner ON owner.id = claim.owner WHERE question = ?",
        )?
        .query_row([key.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?))))?;
    Ok(found.filter(|(id, _)| *id != own && is_alive(folder, *id)).map(|(_, process)| process))
}

/// The number of a process by its owner's row.
pub(super) fn process(connection: &Connection, owner: i64) -> rusqlite::Result<Option<u32>> {
    readable(
        connection
            .prepare_cached("SELECT process FROM owner WHERE id = ?")?
            .query_row([owner], |row| row.get(0)),
    )
}

/// Whether the process behind an owner still lives.
pub(super) fn is_alive(folder: &Path, owner: i64) -> bool {
    let Ok(file) = File::open(lock_file(folder, owner)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn lock_file(folder: &Path, owner: i64) -> PathBuf {
    folder.join(FOLDER).join(format!("{owner}.lock"))
}

impl Drop for Owner {
    fn drop(&mut self) {
        if let Ok(connection) = super::database::connect(&self.database) {
            let _ = connection.execute("DELETE FROM claim WHERE owner = ?", [self.id]);
            let _ = connection.execute("DELETE FROM owner WHERE id = ?", [self.id]);
        }
        self.lock = None;
        let _ = fs::remove_file(&self.place);
        if let Some(folder) = self.place.parent() {
            // Succeeds when the last one goes.
            let _ = fs::remove_dir(folder);
        }
    }
}
