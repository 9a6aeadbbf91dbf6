//! The folder of a shard: a database that one process at a time has, and a record of what it is.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use super::{
    FileDigest, StoreError,
    database::{FILE, files},
    file_digest::hashed,
    write_atomically,
};
use crate::folder_sync;

/// The name of a shard's record. A database beside it is opened by one process at a time.
pub const SHARD_RECORD: &str = "shard.json";

/// The folder in a working folder in which the folders of shards lie.
const SHARDS: &str = "shards";

/// The file whose lock says that the shard is being asked.
const LOCK: &str = "shard.lock";

/// `<work_dir>/shards/3-of-16/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardFolder(PathBuf);

impl ShardFolder {
    /// The folder of a shard of a run; it may not be there.
    pub fn new(work_dir: &Path, number: usize, count: usize) -> Self {
        Self(work_dir.join(SHARDS).join(format!("{number}-of-{count}")))
    }

    /// The folders of shards that a path means: itself, or those of a working folder, by name.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn found_in(folder: &Path) -> Result<Vec<Self>, StoreError> {
        if folder.join(SHARD_RECORD).is_file() {
            return Ok(vec![Self(folder.to_owned())]);
        }
        let shards = folder.join(SHARDS);
        if !shards.is_dir() {
            return Ok(Vec::new());
        }
        let failed = || StoreError::io("read the folder", &shards);
        let mut found = Vec::new();
        for entry in fs::read_dir(&shards).map_err(failed())? {
            let path = entry.map_err(failed())?.path();
            if path.join(SHARD_RECORD).is_file() {
                found.push(Self(path));
            }
        }
        found.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(found)
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The working folder that it lies in, if it lies where shards do.
    pub fn work_dir(&self) -> Option<&Path> {
        let shards = self.0.parent()?;
        shards.parent().filter(|_| shards.file_name().is_some_and(|name| name == SHARDS))
    }

    /// The text of its record; nothing if there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn record(&self) -> Result<Option<String>, StoreError> {
        let path = self.0.join(SHARD_RECORD);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("read", path)(error)),
        }
    }

    /// Writes the record; it is whole and on disk when this returns.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_record(&self, text: &str) -> Result<(), StoreError> {
        write_atomically(&self.0.join(SHARD_RECORD), text.as_bytes())
    }

    /// Says that this process asks the shard, until the lock is dropped.
    ///
    /// # Errors
    /// Another process does.
    pub fn lock(&self) -> Result<File, StoreError> {
        folder_sync::create_folder(&self.0)
            .map_err(StoreError::io("create the folder", &self.0))?;
        let path = self.0.join(LOCK);
        let file = File::create(&path).map_err(StoreError::io("create", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(StoreError::Held { path }),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", path)(error)),
        }
    }

    /// The digest of every byte of the database, which nobody in this process may have open: the system takes the locks of
    /// a file back as soon as a process closes it once. Nothing if there is no database, or one with a journal: something
    /// was not brought to its end.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn digest(&self) -> Result<Option<FileDigest>, StoreError> {
        let path = self.0.join(FILE);
        let [database, others @ ..] = files(&path);
        if !database.is_file() || others.iter().any(|file| file.exists()) {
            return Ok(None);
        }
        hashed(&path).map(Some).map_err(StoreError::io("read", &path))
    }

    /// Takes a database out of the way that is not what its record says; gives its new name.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub fn set_aside(&self) -> Result<PathBuf, StoreError> {
        let path = self.0.join(FILE);
        let aside = (1..=usize::from(u16::MAX))
            .map(|number| path.with_extension(format!("db-other-{number}")))
            .find(|aside| files(aside).iter().all(|file| !file.exists()))
            .unwrap_or_else(|| path.with_extension("db-other"));
        for (from, to) in files(&path).iter().zip(files(&aside)) {
            if from.exists() {
                fs::rename(from, to).map_err(StoreError::io("set aside", from))?;
            }
        }
        folder_sync::sync_name(&path).map_err(StoreError::io("sync the folder of", &path))?;
        Ok(aside)
    }
}
