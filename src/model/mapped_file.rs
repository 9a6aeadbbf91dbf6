//! Files of a checkpoint, mapped into memory.

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

use super::error::ModelError;

/// Maps the file at `path`.
///
/// Reading through a map keeps a checkpoint's bytes in the page cache instead of in the process.
#[expect(unsafe_code, reason = "mapping a file has no safe interface")]
pub(super) fn map(path: &Path) -> Result<Mmap, ModelError> {
    let failed = |source| ModelError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    // SAFETY: the map is only read. Another process that truncates or rewrites the file meanwhile
    // would break this; checkpoints are not edited in place, and every loader that maps them relies
    // on that.
    unsafe { Mmap::map(&file) }.map_err(failed)
}
