//! What a shard says of itself: what it has read, what it asks, and once it has ended, what it has written.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Shard;
use crate::{
    engine::NUMERICS,
    kept_run::RunError,
    store::{FileDigest, ShardFolder, StoreError, file_digest, file_size_and_time},
};

/// Raised when a record's fields change so that an older program would misread them.
const FORMAT: u32 = 1;

/// The record of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardRecord {
    /// How the record is written.
    pub format: u32,
    /// The version of the program.
    pub version: String,
    /// The engine's bits: two numbers, two kinds of bits.
    pub numerics: u32,
    /// Which shard, from 1.
    pub number: usize,
    /// Of how many.
    pub count: usize,
    /// What was typed, without the choice of a shard.
    pub command: Vec<String>,
    /// In which folder.
    pub directory: PathBuf,
    /// The machine, in words.
    pub machine: String,
    /// The kinds of devices that answers belong to.
    pub device_kinds: String,
    /// The devices.
    pub devices: Vec<String>,
    /// SHA-256 of the resolved config and the options of the run, in hexadecimal digits.
    pub config: String,
    /// SHA-256 of all rows and of the passages that are searched.
    pub rows: String,
    /// SHA-256 of all that is asked: token ids, and what is counted.
    pub questions: String,
    /// The models, in the order of the plan.
    pub models: Vec<RecordedModel>,
    /// How many samples it asks.
    pub samples: usize,
    /// When it was begun.
    pub begun: String,
    /// What has come of it, once everything was asked.
    pub end: Option<ShardEnd>,
    /// SHA-256 of all fields but this one.
    pub checksum: String,
}

/// A model as a shard has asked it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedModel {
    /// Short name.
    pub abbr: String,
    /// What decides its answers, in hexadecimal digits.
    pub key: String,
    /// The type it is computed in.
    pub dtype: String,
    /// Its files.
    pub files: Vec<RecordedFile>,
}

/// A file of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFile {
    /// Its name, without folders.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// When it was changed last, in nanoseconds since 1970; 0 where that is not told.
    pub modified_nanos: u64,
    /// Its digest, as the store has it, in hexadecimal digits.
    pub digest: String,
}

/// What has come of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardEnd {
    /// When it ended.
    pub finished: String,
    /// Distinct questions that it has an answer or a failure for.
    pub questions: usize,
    /// Tokens that went through a model for them, in all tries.
    pub computed_tokens: usize,
    /// SHA-256 of the database, in hexadecimal digits.
    pub database: String,
    /// Samples without an answer.
    pub failed_samples: usize,
    /// Questions without an answer.
    pub failed: Vec<FailedQuestion>,
}

/// A question that has failed: an answer of that kind is never kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedQuestion {
    /// Its key, in hexadecimal digits.
    pub question: String,
    /// Why.
    pub error: String,
}

impl RecordedFile {
    /// A file as it is now, with its digest if that is known.
    pub(super) fn of(path: &Path, digest: Option<&FileDigest>) -> Result<Self, StoreError> {
        let (bytes, modified_nanos) = file_size_and_time(path)?;
        Ok(Self {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            bytes,
            modified_nanos,
            digest: digest.map(|digest| hex(digest)).unwrap_or_default(),
        })
    }

    /// The same with every byte of it read.
    pub(super) fn hashed(path: &Path) -> Result<Self, StoreError> {
        let digest = file_digest(path)?;
        Self::of(path, Some(&digest))
    }
}

impl ShardRecord {
    /// The format and the program that this process writes.
    pub(super) fn program() -> (u32, String, u32) {
        (FORMAT, env!("CARGO_PKG_VERSION").to_owned(), NUMERICS)
    }

    /// Which shard it is of; nothing if the record says what cannot be.
    pub fn shard(&self) -> Option<Shard> {
        Shard::new(self.number, self.count)
    }

    /// Reads the record of a folder; nothing if there is none.
    ///
    /// # Errors
    /// It cannot be read, or is not as it was written; the message says which.
    pub(super) fn read(folder: &ShardFolder) -> Result<Option<Self>, RecordError> {
        let Some(text) = folder.record()? else { return Ok(None) };
        let Ok(record) = serde_json::from_str::<Self>(&text) else {
            // Records of other programs may have other fields.
            let found = serde_json::from_str::<Format>(&text).ok();
            return Err(found
                .filter(|found| found.format != FORMAT)
                .map_or(RecordError::Changed, |found| {
                    RecordError::Program(found.version.unwrap_or_else(|| "another".to_owned()))
                }));
        };
        if record.format != FORMAT {
            return Err(RecordError::Program(record.version));
        }
        if record.checksum != record.own_checksum() || record.shard().is_none() {
            return Err(RecordError::Changed);
        }
        Ok(Some(record))
    }

    /// Writes it into the folder, with its checksum.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&mut self, folder: &ShardFolder) -> Result<(), RunError> {
        self.checksum = self.own_checksum();
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        Ok(folder.write_record(&(text + "\n"))?)
    }

    fn own_checksum(&self) -> String {
        let bare = Self { checksum: String::new(), ..self.clone() };
        hex(&Sha256::digest(serde_json::to_vec(&bare).unwrap_or_default()))
    }

    /// Why two shards are not of the same run, as what differs; nothing if they are.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        let pairs = [
            (
                "another version of surprisal",
                (&self.version, self.numerics) == (&other.version, other.numerics),
            ),
            ("another config or other options", self.config == other.config),
            ("another kind of device", self.device_kinds == other.device_kinds),
            ("another model", keys(self) == keys(other)),
            ("other rows", self.rows == other.rows),
            ("other prompts", self.questions == other.questions),
        ];
        pairs.into_iter().find(|(_, is_same)| !is_same).map(|(what, _)| what)
    }
}

fn keys(record: &ShardRecord) -> Vec<(&str, &str, &str)> {
    record
        .models
        .iter()
        .map(|own| (own.abbr.as_str(), own.key.as_str(), own.dtype.as_str()))
        .collect()
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// Hexadecimal digits as bytes; nothing if they are none, or another number of them.
pub(super) fn bytes<const COUNT: usize>(digits: &str) -> Option<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    if digits.len() != 2 * COUNT || !digits.is_ascii() {
        return None;
    }
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// What records of all programs have.
#[derive(Deserialize)]
struct Format {
    format: u32,
    version: Option<String>,
}

/// Why a record cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordError {
    /// It is not as it was written.
    #[error("its record is not as it was written")]
    Changed,
    /// Another program has written it.
    #[error("its record was written by surprisal {0}, which this one does not read")]
    Program(String),
    /// It cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
