//! Knowing a file by every byte of it.
//!
//! Hashing tens of gigabytes takes as long as reading them, so a digest is remembered together with all that
//! tells whether a file is still the same: size, inode, and the times of its last modification and change to
//! the nanosecond. The time of change cannot be set back by a program. A file that was changed less than two
//! seconds before it was hashed may change again within the same tick of a coarse clock; its digest is not
//! remembered.

use std::{
    fs::{File, Metadata},
    io::{Read, Seek, SeekFrom},
    path::Path,
    time::{Duration, SystemTime},
};

use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest, Sha256};

use super::{StoreError, checksum::checksum};

/// Pieces are hashed side by side, and the hashes hashed again.
const PIECE_BYTES: u64 = 64 << 20;

/// What is read at once.
const BUFFER_BYTES: usize = 1 << 20;

/// A younger file may still change unseen.
const SETTLED: Duration = Duration::from_secs(2);

/// SHA-256 of the SHA-256 of each 64 MiB of a file, after its length.
pub type FileDigest = [u8; 32];

/// The digest of a file, remembered in the database if it is safe to.
pub(super) fn of_file(connection: &Connection, path: &Path) -> Result<FileDigest, StoreError> {
    let failed = || StoreError::io("read", path);
    let path = path.canonicalize().map_err(failed())?;
    let name = path.to_string_lossy();
    let before = stamp(&path.metadata().map_err(failed())?);
    let looked_up = |connection: &Connection| -> rusqlite::Result<Option<(String, Vec<u8>, i64)>> {
        connection
            .prepare_cached("SELECT stamp, digest, checksum FROM file WHERE path = ?")?
            .query_row([&*name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()
    };
    let known = looked_up(connection).map_err(StoreError::database("read", &path))?;
    if let Some((stamp, digest, found)) = known
        && Some(&stamp) == before.as_ref()
        && found == sum(&name, &stamp, &digest)
        && let Ok(digest) = FileDigest::try_from(digest)
    {
        return Ok(digest);
    }
    let digest = hashed(&path).map_err(failed())?;
    let metadata = path.metadata().map_err(failed())?;
    let after = stamp(&metadata);
    if after != before {
        return Err(failed()(std::io::Error::other("the file changed while it was read")));
    }
    if let Some(stamp) = after.filter(|_| is_settled(&metadata)) {
        connection
            .execute(
                "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?)",
                (&*name, &stamp, &digest, sum(&name, &stamp, &digest)),
            )
            .map_err(StoreError::database("remember the digest of", &path))?;
    }
    Ok(digest)
}

fn sum(name: &str, stamp: &str, digest: &[u8]) -> i64 {
    checksum("file", [name.as_bytes(), stamp.as_bytes(), digest])
}

/// Reads and hashes a file.
fn hashed(path: &Path) -> std::io::Result<FileDigest> {
    let length = path.metadata()?.len();
    let pieces = length.div_ceil(PIECE_BYTES);
    let hashes: Vec<[u8; 32]> = (0..pieces)
        .into_par_iter()
        .map(|piece| {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(piece * PIECE_BYTES))?;
            let mut digest = Sha256::new();
            let mut piece = file.take(PIECE_BYTES);
            let mut buffer = vec![0; BUFFER_BYTES];
            loop {
                match piece.read(&mut buffer)? {
                    0 => break,
                    count => digest.update(&buffer[..count]),
                }
            }
            Ok(digest.finalize().into())
        })
        .collect::<std::io::Result<_>>()?;
    let mut digest = Sha256::new();
    digest.update(length.to_le_bytes());
    for hash in hashes {
        digest.update(hash);
    }
    Ok(digest.finalize().into())
}

/// What tells whether a file is still the same; nothing where the system does not tell enough.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is nothing to tell")]
fn stamp(metadata: &Metadata) -> Option<String> {
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
fn stamp(_: &Metadata) -> Option<String> {
    None
}

/// Whether the last change is old enough that a later one would show.
#[cfg(unix)]
fn is_settled(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    let nanos = u32::try_from(metadata.ctime_nsec()).unwrap_or(0);
    let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
    SystemTime::now().duration_since(changed).is_ok_and(|age| age >= SETTLED)
}

#[cfg(not(unix))]
fn is_settled(_: &Metadata) -> bool {
    false
}
