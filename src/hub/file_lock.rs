//! A file that one process at a time holds.

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
};

use super::progress::DownloadProgress;

/// Keeps other processes away until the result is dropped, or the process ends.
pub(super) fn lock(path: &Path, progress: &dyn DownloadProgress) -> io::Result<File> {
    let file = File::create(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            progress.waiting("another process downloads the same file; waiting for it");
            file.lock()?;
        }
        Err(TryLockError::Error(source)) => return Err(source),
    }
    Ok(file)
}
