//! Files that are either whole or not there.

use std::{fs, io::Write as _, path::Path};

use super::StoreError;

/// Writes a file under another name beside it and renames it, so that a reader never sees half of it.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(StoreError::io("create the folder", folder))?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let mut file = fs::File::create(&partial).map_err(StoreError::io("create", &partial))?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(StoreError::io("write", &partial))?;
    fs::rename(&partial, path).map_err(StoreError::io("rename a file to", path))
}
