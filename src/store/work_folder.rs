//! The store of a working folder.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashSet},
    ffi::OsStr,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::Connection;

use super::{
    AnswerWriter, Claimed, FileDigest, Renewal, RunKey, RunRow, RunState, SampleRow, ScoreRow,
    StoreError, UnitRow, answers,
    database::{self, Access},
    file_digest,
    models::{self, KeptToken},
    owner::{self, Owner},
    runs, samples, scores,
    segment::SegmentReader,
    text::TextReader,
    vectors,
};
use crate::answer::{Answered, ModelKey, QuestionKey};

/// How often it is looked whether another process has finished.
const POLL: Duration = Duration::from_millis(200);

/// The database of a working folder, open in this process.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    path: PathBuf,
    connection: RefCell<Connection>,
    segments: RefCell<SegmentReader>,
    texts: RefCell<TextReader>,
    owner: Option<Owner>,
    access: Access,
}

/// How a run starts.
#[derive(Debug)]
pub enum Begun {
    /// A run of the same work is finished.
    Finished(RunRow),
    /// This process has it: a new one, or one that was stopped.
    Own {
        /// The run.
        run: RunRow,
        /// Whether it was there before.
        is_resumed: bool,
    },
    /// Another process is at it.
    Elsewhere {
        /// The run.
        run: RunRow,
        /// The process's number.
        process: u32,
    },
}

impl Store {
    /// Opens the store of a working folder, which is made if it is not there. The note tells of a damaged
    /// database that was set aside.
    pub fn open(folder: &Path) -> Result<(Self, Option<String>), StoreError> {
        let (connection, note) = database::open(folder)?;
        let store = Self {
            folder: folder.to_owned(),
            path: folder.join(database::FILE),
            connection: RefCell::new(connection),
            segments: RefCell::default(),
            texts: RefCell::default(),
            owner: None,
            access: Access::of(folder),
        };
        Ok((store, note))
    }

    /// Whether a folder has a store.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(database::FILE).is_file()
    }

    /// Whether a file is part of a store, wherever that lies.
    pub fn is_own_file(path: &Path) -> bool {
        let starts = |name: &OsStr| name.to_string_lossy().starts_with(database::FILE);
        path.file_name().is_some_and(starts)
            || path.components().any(|part| part.as_os_str() == owner::FOLDER)
    }

    /// Opens a store that is there, to read what it holds.
    pub fn open_existing(folder: &Path) -> Result<(Self, Option<String>), StoreError> {
        if !Self::is_in(folder) {
            return Err(StoreError::NoRuns { folder: folder.to_owned() });
        }
        Self::open(folder)
    }

    /// Sets the database of a folder aside after `error` showed that it is damaged, and keeps what is
    /// readable; gives a note. The next [`Self::open`] works on what is left.
    pub fn mend(folder: &Path, error: &StoreError) -> Result<String, StoreError> {
        database::mend(folder, error)
    }

    /// The working folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn failed(&self, action: &'static str) -> impl FnOnce(rusqlite::Error) -> StoreError + use<> {
        StoreError::database(action, &self.path)
    }

    /// Does something in a transaction that no other writer can come between.
    fn write<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let connection = self.connection.borrow();
        let transaction = runs::immediate(&connection, action, &self.path)?;
        let done = work(&transaction).map_err(self.failed(action))?;
        transaction.commit().map_err(self.failed(action))?;
        Ok(done)
    }

    /// The digest of a file, from memory if the file is certainly the same.
    pub fn digest(&self, file: &Path) -> Result<FileDigest, StoreError> {
        file_digest::of_file(&self.connection.borrow(), file)
    }

    /// The answer to a question, with the ids that were read; nothing if it is not known.
    pub fn answer(&self, question: &QuestionKey) -> Result<Option<Answered>, StoreError> {
        answers::read(&self.connection.borrow(), &mut self.segments.borrow_mut(), question)
            .map_err(self.failed("read answers from"))
    }

    /// The numbers that a model gave for a text before a run; nothing if they are not known.
    pub fn vector(&self, key: &QuestionKey) -> Result<Option<Vec<f32>>, StoreError> {
        vectors::read(&self.connection.borrow(), key).map_err(self.failed("read vectors from"))
    }

    /// Keeps numbers that a model gave before a run.
    pub fn write_vectors(&self, rows: &[(QuestionKey, &[f32])]) -> Result<(), StoreError> {
        self.write("write vectors to", |connection| vectors::write(connection, rows))
    }

    /// Starts the thread that writes the answers of a run.
    pub fn writer(&self, run: &RunRow) -> Result<AnswerWriter, StoreError> {
        AnswerWriter::start(&self.path, run.id)
    }

    /// Registers this process as one that computes, once.
    fn own(&mut self) -> Result<&Owner, StoreError> {
        let owner = match self.owner.take() {
            Some(owner) => owner,
            None => Owner::register(self.connection.get_mut(), &self.folder, &self.path)?,
        };
        Ok(self.owner.insert(owner))
    }

    /// Claims questions for this process. `again` says that a question is to be asked although there is an
    /// answer.
    pub fn claim(&mut self, questions: &[(QuestionKey, bool)]) -> Result<Claimed, StoreError> {
        if self.access == Access::Alone {
            return Ok(Claimed { own: (0..questions.len()).collect(), others: Vec::new() });
        }
        self.own()?;
        let failed = self.failed("claim questions in");
        let Self { connection, owner: Some(owner), folder, .. } = self else {
            return Ok(Claimed::default());
        };
        owner.claim(connection.get_mut(), folder, questions).map_err(failed)
    }

    /// The process that is about to answer a question, if another one is.
    pub fn claimant(&self, question: &QuestionKey) -> Result<Option<u32>, StoreError> {
        let own = self.owner.as_ref().map_or(0, |owner| owner.id);
        owner::claimant(&self.connection.borrow(), &self.folder, own, question)
            .map_err(self.failed("read claims from"))
    }

    /// Closes the database; its size in bytes.
    pub fn into_bytes(self) -> Result<u64, StoreError> {
        let path = self.path.clone();
        drop(self);
        path.metadata().map(|found| found.len()).map_err(StoreError::io("look at", path))
    }

    /// Waits a moment for another process.
    pub fn wait(&self) {
        std::thread::sleep(POLL);
    }

    /// Every run, the oldest first.
    pub fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        runs::all(&self.connection.borrow()).map_err(self.failed("read runs from"))
    }

    /// The newest finished run of a command.
    pub fn finished(&self, command: &RunKey) -> Result<Option<RunRow>, StoreError> {
        let is_it = |run: &RunRow| run.state == RunState::Finished && run.command == *command;
        Ok(self.runs()?.into_iter().rfind(is_it))
    }

    /// Takes up a run: a finished one of the same work, one that was stopped, or a new one with `facts`.
    /// `renewal` says which of these do not count.
    pub fn begin(
        &mut self,
        command: RunKey,
        work: RunKey,
        facts: &str,
        renewal: Renewal,
    ) -> Result<Begun, StoreError> {
        let owner = match self.access {
            Access::Shared => self.own()?.id,
            Access::Alone => 0,
        };
        let folder = self.folder.clone();
        self.write("begin a run in", |connection| {
            let same = runs::all(connection)?.into_iter().filter(|run| run.work == work);
            let mut same: Vec<RunRow> =
                same.filter(|run| run.state != RunState::Replaced).collect();
            if renewal == Renewal::Finished {
                same.retain(|run| run.state != RunState::Finished);
            }
            if renewal == Renewal::Everything {
                for mut run in same.drain(..) {
                    run.state = RunState::Replaced;
                    runs::write(connection, &run)?;
                }
            }
            if let Some(mut run) = same.pop() {
                if run.state == RunState::Finished {
                    if run.command != command {
                        // Files were touched or moved, and the work is the same: known at once next time.
                        run.command = command;
                        runs::write(connection, &run)?;
                    }
                    return Ok(Begun::Finished(run));
                }
                if run.owner != owner && owner::is_alive(&folder, run.owner) {
                    let process = owner::process(connection, run.owner)?.unwrap_or(0);
                    return Ok(Begun::Elsewhere { run, process });
                }
                run.owner = owner;
                run.command = command;
                runs::write(connection, &run)?;
                return Ok(Begun::Own { run, is_resumed: true });
            }
            let state = RunState::Unfinished;
            let run = RunRow { id: 0, command, work, owner, state, facts: facts.to_owned() };
            Ok(Begun::Own { run: runs::insert(connection, run)?, is_resumed: false })
        })
    }

    /// Writes how far a run is and what it says of itself.
    pub fn update(&self, run: &RunRow) -> Result<(), StoreError> {
        self.write("write a run to", |connection| runs::write(connection, run))
    }

    /// Writes what a run says of itself, unless another process has written the run since it was read.
    pub fn update_facts(&self, read: &RunRow, facts: String) -> Result<(), StoreError> {
        self.write("write a run to", |connection| {
            let now = runs::all(connection)?.into_iter().find(|run| run.id == read.id);
            match now {
                Some(now) if now == *read => runs::write(connection, &RunRow { facts, ..now }),
                _ => Ok(()),
            }
        })
    }

    /// The number of a model; `facts` are what people may want to know of it, as JSON.
    pub fn model(&self, key: &ModelKey, facts: &str) -> Result<i64, StoreError> {
        self.write("write a model to", |connection| models::write(connection, key, facts))
    }

    /// Keeps what a model's tokens spell.
    pub fn write_tokens(
        &self,
        model: i64,
        ids: &HashSet<u32>,
        token: &dyn Fn(u32) -> KeptToken,
    ) -> Result<(), StoreError> {
        self.write("write tokens to", |connection| {
            models::write_tokens(connection, model, ids, token)
        })?;
        let kept = self.tokens(model)?;
        self.read_back(ids.iter().all(|id| kept.contains_key(id)), "token texts")
    }

    /// What a model's tokens spell.
    pub fn tokens(&self, model: i64) -> Result<BTreeMap<u32, KeptToken>, StoreError> {
        models::tokens(&self.connection.borrow(), model).map_err(self.failed("read tokens from"))
    }

    /// Writes a unit with all its samples at once; gives its number.
    pub fn write_unit(
        &self,
        unit: &UnitRow,
        samples: &mut dyn Iterator<Item = SampleRow>,
    ) -> Result<i64, StoreError> {
        self.write("write samples to", |connection| samples::write_unit(connection, unit, samples))
    }

    /// The units of a run that can be read, in their order.
    pub fn units(&self, run: &RunRow) -> Result<Vec<UnitRow>, StoreError> {
        samples::units(&self.connection.borrow(), run.id).map_err(self.failed("read units from"))
    }

    /// All units of a run, of which there are `count`; an error if one cannot be read.
    pub fn all_units(&self, run: &RunRow, count: usize) -> Result<Vec<UnitRow>, StoreError> {
        let mut units = self.units(run)?;
        // What judges said of them stands behind.
        units.retain(|unit| unit.place < count);
        if units.len() == count && units.iter().enumerate().all(|(at, unit)| unit.place == at) {
            return Ok(units);
        }
        Err(StoreError::Incomplete {
            unit: format!("run {}", run.id),
            missing: count.saturating_sub(units.len()).max(1),
            samples: count,
            what: "data sets",
        })
    }

    /// The samples of a unit, in their order; an error if some cannot be read.
    pub fn samples(&self, unit: &UnitRow, name: &str) -> Result<Vec<SampleRow>, StoreError> {
        let found = samples::read(&self.connection.borrow(), &mut self.texts.borrow_mut(), unit.id)
            .map_err(self.failed("read samples from"))?;
        if found.len() == unit.samples && found.iter().enumerate().all(|(row, own)| own.row == row)
        {
            return Ok(found);
        }
        Err(StoreError::Incomplete {
            unit: name.to_owned(),
            missing: unit.samples.saturating_sub(found.len()).max(1),
            samples: unit.samples,
            what: "samples",
        })
    }

    /// Replaces the scores of a unit.
    pub fn write_scores(&self, unit: i64, rows: &[ScoreRow]) -> Result<(), StoreError> {
        self.write("write scores to", |connection| scores::write(connection, unit, rows))?;
        let kept = self.scores(unit)?;
        let names =
            |rows: &[ScoreRow]| rows.iter().map(|row| row.metric.clone()).collect::<Vec<_>>();
        self.read_back(names(&kept) == names(rows), "scores")
    }

    /// What cannot be read back right after it was written is damage, such as rows that are out of order: written
    /// again, it would be as unreadable.
    fn read_back(&self, is_there: bool, what: &str) -> Result<(), StoreError> {
        if is_there {
            return Ok(());
        }
        let what = format!("{what} cannot be read back");
        Err(StoreError::Damaged { path: self.path.clone(), what })
    }

    /// The scores of a unit, in the order of its metrics.
    pub fn scores(&self, unit: i64) -> Result<Vec<ScoreRow>, StoreError> {
        scores::read(&self.connection.borrow(), unit).map_err(self.failed("read scores from"))
    }
}
