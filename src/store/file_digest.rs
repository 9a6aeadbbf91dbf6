//! Knowing a file by every byte of it.
//!
//! Hashing tens of gigabytes takes as long as reading them, so a digest is remembered together with all that
//! tells whether a file is still the same (`file_state`). Where nothing tells, it is not remembered.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
    time::UNIX_EPOCH,
};

use rayon::prelude::*;
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::{
    StoreError,
    checksum::{checksum, readable},
    file_state::{settled_stamp, stamp},
};

/// Pieces are hashed side by side, and the hashes hashed again.
const PIECE_BYTES: u64 = 64 << 20;

/// What is read at once.
const BUFFER_BYTES: usize = 1 << 20;

/// SHA-256 of the SHA-256 of each 64 MiB of a file, after its length.
pub type FileDigest = [u8; 32];

/// The digest of a file, remembered in the database if it is safe to.
pub(super) fn of_file(connection: &Connection, path: &Path) -> Result<FileDigest, StoreError> {
    let failed = || StoreError::io("read", path);
    let path = path.canonicalize().map_err(failed())?;
    let name = path.to_string_lossy();
    let before = stamp(&path.metadata().map_err(failed())?);
    let looked_up = |connection: &Connection| -> rusqlite::Result<Option<(String, Vec<u8>, i64)>> {
        readable(
            connection
                .prepare_cached("SELECT stamp, digest, checksum FROM file WHERE path = ?")?
                .query_row([&*name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))),
        )
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
    if stamp(&metadata) != before {
        return Err(StoreError::Changed { path });
    }
    if let Some(stamp) = settled_stamp(&metadata) {
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

/// The digest of a file, read now.
///
/// # Errors
/// The file cannot be read.
pub fn digest(path: &Path) -> Result<FileDigest, StoreError> {
    hashed(path).map_err(StoreError::io("read", path))
}

/// The bytes of a file, and when it was written, in nanoseconds since 1970; 0 where that is not known.
///
/// # Errors
/// There is no such file.
pub fn size_and_time(path: &Path) -> Result<(u64, u64), StoreError> {
    let metadata = path.metadata().map_err(StoreError::io("look at", path))?;
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanos = since.and_then(|since| u64::try_from(since.as_nanos()).ok());
    Ok((metadata.len(), nanos.unwrap_or(0)))
}

/// Reads and hashes a file.
pub(super) fn hashed(path: &Path) -> std::io::Result<FileDigest> {
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
