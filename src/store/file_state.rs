//! Whether a file is still what it was.
//!
//! Its size, its inode and the times of its last modification and change tell, to the nanosecond; a program
//! cannot set the time of change back. Clocks of file systems are coarse, though: a file that was changed
//! less than two seconds ago may change again without another time. Such a file is known by its content too: by the
//! content alone, one that was another for a moment would pass for the same.

use std::{
    fs::Metadata,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{
    StoreError,
    file_digest::{FileDigest, hashed},
};

/// A younger file may still change unseen.
const SETTLED: Duration = Duration::from_secs(2);

/// A file as it was at one moment.
#[derive(Clone, Debug)]
pub struct FileState {
    path: PathBuf,
    /// Size, inode and times, where the system tells them.
    stamp: Option<String>,
    /// The content, where that does not tell enough.
    digest: Option<FileDigest>,
}

impl FileState {
    /// The state of a file now; an error if it is none, or cannot be read.
    pub fn of(path: &Path) -> std::io::Result<Self> {
        let metadata = path.metadata()?;
        if !metadata.is_file() {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        let digest = match settled_stamp(&metadata) {
            Some(_) => None,
            None => Some(hashed(path)?),
        };
        Ok(Self { path: path.to_owned(), stamp: stamp(&metadata), digest })
    }

    /// Which file it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An error if the file is not what it was.
    pub fn check(&self) -> Result<(), StoreError> {
        let is_there = self.path.metadata().is_ok_and(|now| stamp(&now) == self.stamp);
        let has_content = |before: &FileDigest| hashed(&self.path).is_ok_and(|now| now == *before);
        if is_there && self.digest.as_ref().is_none_or(has_content) {
            Ok(())
        } else {
            Err(StoreError::Changed { path: self.path.clone() })
        }
    }
}

/// What tells whether a file is still the same; nothing where the system does not tell enough.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is nothing to tell")]
pub(super) fn stamp(metadata: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    Some(format!(
        "{} bytes, inode {}:{}, modified {}.{:09}, changed {}.{:09}",
        metadata.len(),
        metadata.dev(),
        metadata.ino(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec()
    ))
}

#[cfg(not(unix))]
pub(super) fn stamp(_: &Metadata) -> Option<String> {
    None
}

/// The same if the last change is old enough that a later one would show in it.
#[cfg(unix)]
pub(super) fn settled_stamp(metadata: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    let nanos = u32::try_from(metadata.ctime_nsec()).unwrap_or(0);
    let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
    let is_settled = SystemTime::now().duration_since(changed).is_ok_and(|age| age >= SETTLED);
    stamp(metadata).filter(|_| is_settled)
}

#[cfg(not(unix))]
pub(super) fn settled_stamp(_: &Metadata) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_change_shows_whatever_the_clock_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        std::fs::write(&path, "one").unwrap();
        let state = FileState::of(&path).unwrap();
        state.check().unwrap();
        let modified = path.metadata().unwrap().modified().unwrap();
        std::fs::write(&path, "two").unwrap();
        File::options().append(true).open(&path).unwrap().set_modified(modified).unwrap();
        assert!(matches!(state.check(), Err(StoreError::Changed { .. })));
        let state = FileState::of(&path).unwrap();
        // Another file for a moment: its content alone does not tell.
        std::fs::write(folder.path().join("other"), "two").unwrap();
        std::fs::rename(folder.path().join("other"), &path).unwrap();
        assert!(cfg!(not(unix)) || matches!(state.check(), Err(StoreError::Changed { .. })));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(state.check(), Err(StoreError::Changed { .. })));
        assert!(FileState::of(folder.path()).is_err());
    }
}
