//! What is too large for a row: files beside the database, each known by a key of all that decides it.
//!
//! A file is written whole or not at all and carries a checksum over its key and its bytes, so one that was damaged,
//! changed or given another name is known as such and made again.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{StoreError, checksum::checksum, write_atomically};

/// What every file begins with.
const MAGIC: &[u8] = b"surprisal kept 1\n";

/// What is known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptFile {
    /// Nothing is kept.
    Missing,
    /// The file is not as it was written.
    Damaged,
    /// What was written.
    Bytes(Vec<u8>),
}

impl KeptFile {
    /// The file of a key in a working folder; `kind` is the folder in it and the ending of names.
    pub fn path(folder: &Path, (kind_folder, ending): (&str, &str), key: &str) -> PathBuf {
        folder.join(kind_folder).join(format!("{key}.{ending}"))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Missing),
            Err(error) => return Err(StoreError::io("read", path)(error)),
        };
        let body = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk());
        Ok(match body {
            Some((sum, body)) if i64::from_le_bytes(*sum) == sum_of(path, body) => {
                Self::Bytes(body.to_vec())
            }
            _ => Self::Damaged,
        })
    }

    /// Writes a file, also over one that was damaged.
    pub fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let sum = sum_of(path, bytes).to_le_bytes();
        write_atomically(path, &[MAGIC, &sum, bytes].concat())
    }
}

fn sum_of(path: &Path, bytes: &[u8]) -> i64 {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    checksum("file", [name, bytes])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_under_this_name_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = KeptFile::path(folder.path(), ("things", "thing"), "a");
        let other = KeptFile::path(folder.path(), ("things", "thing"), "b");
        assert_eq!(KeptFile::read(&path).unwrap(), KeptFile::Missing);
        KeptFile::write(&path, b"whole").unwrap();
        assert_eq!(KeptFile::read(&path).unwrap(), KeptFile::Bytes(b"whole".to_vec()));
        fs::copy(&path, &other).unwrap();
        assert_eq!(KeptFile::read(&other).unwrap(), KeptFile::Damaged);
        let whole = fs::read(&path).unwrap();
        for place in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[place] ^= 1;
            fs::write(&path, flipped).unwrap();
            assert_eq!(KeptFile::read(&path).unwrap(), KeptFile::Damaged, "byte {place}");
        }
        fs::write(&path, b"").unwrap();
        assert_eq!(KeptFile::read(&path).unwrap(), KeptFile::Damaged);
    }
}
