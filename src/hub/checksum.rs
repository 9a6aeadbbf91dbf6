//! Checksums of files.

use std::{
    fmt::Write as _,
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use sha2::Digest;

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 128 * 1024;

/// The checksum of a file, in hexadecimal.
pub(super) fn checksum<D: Digest>(path: &Path) -> io::Result<String> {
    let mut hasher = D::new();
    let mut file = File::open(path)?;
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            count => hasher.update(chunk.get(..count).unwrap_or_default()),
        }
    }
    let mut hex = String::new();
    for byte in hasher.finalize() {
        let _ = write!(hex, "{byte:02x}");
    }
    Ok(hex)
}
