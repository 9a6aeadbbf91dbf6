//! A file of weights, read at the places that are asked for.
//!
//! Not mapped: a process that touches a map of a file that another one has shortened is killed by the
//! system (`SIGBUS`), and mapping is unsafe for that reason. A read just comes up short, and that is said.
//! It costs no time, because every thread reads the few hundred kilobytes that it packs next.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::error::ModelError;
use crate::ops::linear::StoredBytes;
use crate::regular_file;

/// Bytes that are compared at once.
const COMPARED_BYTES: usize = 1 << 20;

/// An open file.
#[derive(Debug)]
pub(super) struct StoredFile {
    path: PathBuf,
    file: File,
    /// When it was opened.
    bytes: usize,
}

impl StoredFile {
    /// Opens a file.
    pub(super) fn open(path: &Path) -> Result<Self, ModelError> {
        let failed = |source| ModelError::Io { path: path.to_owned(), source };
        let file = regular_file::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len() as usize;
        Ok(Self { path: path.to_owned(), file, bytes })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// How many bytes it had when it was opened.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Fills `into` with the bytes from `start` on.
    pub(super) fn read(&self, start: usize, into: &mut [u8]) -> Result<(), ModelError> {
        read_exact_at(&self.file, into, start as u64).map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => ModelError::Weights {
                path: self.path.clone(),
                problem: format!(
                    "had {} bytes when it was opened and has fewer now; another program shortens or \
                     replaces it. Repeat the command once it is complete",
                    self.bytes
                ),
            },
            _ => ModelError::Io { path: self.path.clone(), source },
        })
    }

    /// The bytes of a range.
    pub(super) fn range(&self, range: Range<usize>) -> Result<Vec<u8>, ModelError> {
        let mut bytes = vec![0; range.len()];
        self.read(range.start, &mut bytes)?;
        Ok(bytes)
    }
}

/// A stretch of a file.
pub(super) struct StoredRange<'a> {
    pub(super) file: &'a StoredFile,
    pub(super) range: Range<usize>,
}

impl StoredRange<'_> {
    /// Whether any byte is another one than in `other`. No more is read than up to the first difference.
    pub(super) fn differs(&self, other: &Self) -> Result<bool, ModelError> {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for start in (0..self.range.len()).step_by(COMPARED_BYTES) {
            let count = COMPARED_BYTES.min(self.range.len() - start);
            own.resize(count, 0);
            others.resize(count, 0);
            self.file.read(self.range.start + start, &mut own)?;
            if start + count > other.range.len() {
                return Ok(true);
            }
            other.file.read(other.range.start + start, &mut others)?;
            if own != others {
                return Ok(true);
            }
        }
        Ok(self.range.len() != other.range.len())
    }
}

impl StoredBytes for StoredRange<'_> {
    fn count(&self) -> usize {
        self.range.len()
    }

    fn read(&self, start: usize, into: &mut [u8]) -> candle_core::Result<()> {
        let read = self.file.read(self.range.start + start, into);
        read.map_err(|error| candle_core::Error::Msg(error.to_string()))
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, into: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, start)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut into: &mut [u8], mut start: u64) -> io::Result<()> {
    while !into.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, into, start)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                into = &mut into[count..];
                start += count as u64;
            }
        }
    }
    Ok(())
}
