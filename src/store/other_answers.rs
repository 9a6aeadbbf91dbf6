//! Answers in databases of other folders: found by their questions, and read without a change to anything.
//!
//! Which questions a database answers is looked up once. What another process has alone at that moment, or what cannot be
//! read, is left out and told. A row that is not as it was written counts as missing, here as anywhere.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::{StoreError, answers, database, segment::SegmentReader};
use crate::answer::{Answer, QuestionKey};

/// Which databases answer which questions.
#[derive(Debug, Default)]
pub struct OtherAnswers {
    databases: Vec<PathBuf>,
    /// Each question with the place of a database that answers it, in order.
    places: Vec<(QuestionKey, usize)>,
}

impl OtherAnswers {
    /// Looks up what the databases in these folders answer. The notes tell which could not be looked into.
    pub fn look(folders: &[PathBuf]) -> (Self, Vec<String>) {
        let (mut found, mut notes) = (Self::default(), Vec::new());
        for folder in folders {
            let path = folder.join(database::FILE);
            if !path.is_file() {
                continue;
            }
            match questions(&path) {
                Ok(questions) => {
                    let place = found.databases.len();
                    found.places.extend(questions.into_iter().map(|question| (question, place)));
                    found.databases.push(path);
                }
                Err(error) => notes.push(format!("answers of another shard are left out: {error}")),
            }
        }
        found.places.sort_unstable();
        (found, notes)
    }

    /// Whether a database has a row for a question; it may turn out to be damaged.
    pub fn has(&self, question: &QuestionKey) -> bool {
        self.first(question).is_some()
    }

    /// Reads the answers to questions, database by database; `tell` is given the index of each that is found.
    ///
    /// # Errors
    /// A database that was there before cannot be read any more.
    pub fn read(
        &self,
        wanted: &[QuestionKey],
        tell: &mut dyn FnMut(usize, Answer),
    ) -> Result<(), StoreError> {
        // Index of a question, and where its places begin.
        let mut left: Vec<(usize, usize)> = Vec::new();
        for (index, question) in wanted.iter().enumerate() {
            left.extend(self.first(question).map(|first| (index, first)));
        }
        while !left.is_empty() {
            left.sort_by_key(|(index, at)| (self.places[*at].1, *index));
            let mut unreadable = Vec::new();
            for own in
                left.chunk_by(|(_, one), (_, other)| self.places[*one].1 == self.places[*other].1)
            {
                let path = &self.databases[self.places[own[0].1].1];
                let failed = || StoreError::database("read answers from", path);
                let connection = open(path)?;
                let mut segments = SegmentReader::default();
                for &(index, at) in own {
                    match answers::read(&connection, &mut segments, &wanted[index])
                        .map_err(failed())?
                    {
                        Some(found) => tell(index, found.answer),
                        None => unreadable.push((index, at + 1)),
                    }
                }
            }
            // The same question may be answered elsewhere, too.
            let is_its = |(index, at): &(usize, usize)| {
                self.places.get(*at).is_some_and(|(question, _)| *question == wanted[*index])
            };
            left = unreadable.into_iter().filter(is_its).collect();
        }
        Ok(())
    }

    fn first(&self, question: &QuestionKey) -> Option<usize> {
        let first = self.places.partition_point(|(known, _)| known < question);
        self.places.get(first).filter(|(known, _)| known == question).map(|_| first)
    }
}

/// Opens a database that is there. It may have to undo what a killed process left half done, so it is not opened for
/// reading alone.
fn open(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(std::time::Duration::ZERO)?;
        connection.pragma_update(None, "query_only", true)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        let format: (i64, i64) =
            connection.query_row("SELECT version, checksum FROM format", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        Ok((connection, format))
    };
    let failed = StoreError::database("open", path);
    let (connection, format) = match open() {
        Err(error) if database::is_held(&error) => {
            return Err(StoreError::Held { path: path.to_owned() });
        }
        other => other.map_err(failed)?,
    };
    if format != database::format_row() {
        return Err(StoreError::OtherFormat { path: path.to_owned(), found: format.0 });
    }
    Ok(connection)
}

/// Every question that a database has a row for.
fn questions(path: &Path) -> Result<Vec<QuestionKey>, StoreError> {
    let connection = open(path)?;
    let read = || -> rusqlite::Result<Vec<QuestionKey>> {
        let mut statement = connection.prepare("SELECT question FROM answer")?;
        let rows = statement.query_map([], |row| row.get::<_, [u8; QuestionKey::BYTES]>(0))?;
        // What is no key is no answer of ours.
        super::checksum::readable_rows(
            rows.map(|row| row.map(|key| Some(QuestionKey::from_bytes(key)))),
        )
    };
    read().map_err(StoreError::database("read answers from", path))
}
