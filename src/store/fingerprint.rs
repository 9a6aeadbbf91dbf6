//! Knowing a run, a data set or a checkpoint again.

use std::{
    fmt::{self, Write as _},
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::StoreError;

/// Bytes at either end of a file that stand for the whole. A checkpoint's header, with every tensor's
/// name, shape and place, is at the front; reading tens of gigabytes to learn that nothing changed
/// would cost more than the run.
const EDGE_BYTES: u64 = 1 << 20;

/// A digest of everything that decides a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Fingerprint {
    /// The digest of these parts in this order.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            // The length in front keeps ["ab", "c"] and ["a", "bc"] apart.
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        let mut hex = String::new();
        for byte in digest.finalize() {
            let _ = write!(hex, "{byte:02x}");
        }
        Self(hex)
    }

    /// The digest of a file: its length and the first and last mebibyte.
    pub fn of_file(path: &Path) -> Result<Self, StoreError> {
        let mut file = File::open(path).map_err(StoreError::io("open", path))?;
        let length = file.metadata().map_err(StoreError::io("read", path))?.len();
        let mut edges = Vec::new();
        (&mut file)
            .take(EDGE_BYTES)
            .read_to_end(&mut edges)
            .map_err(StoreError::io("read", path))?;
        if length > EDGE_BYTES {
            file.seek(SeekFrom::Start((length - EDGE_BYTES).max(EDGE_BYTES)))
                .map_err(StoreError::io("read", path))?;
            file.read_to_end(&mut edges).map_err(StoreError::io("read", path))?;
        }
        Ok(Self::of([length.to_le_bytes().as_slice(), &edges]))
    }

    /// As bytes, to be part of another fingerprint.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}
