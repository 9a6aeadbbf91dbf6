//! Files that are either whole or not there.

use std::{fs, io::Write as _, path::Path};

use super::StoreError;
use crate::folder_sync;

/// Writes a file under another name beside it and renames it, so that a reader never sees half of it
/// and a loss of power takes back neither its bytes nor its name.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    if let Some(folder) = path.parent() {
        folder_sync::create_folder(folder).map_err(StoreError::io("create the folder", folder))?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let mut file = fs::File::create(&partial).map_err(StoreError::io("create", &partial))?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(StoreError::io("write", &partial))?;
    fs::rename(&partial, path)
        .and_then(|()| folder_sync::sync_name(path))
        .map_err(StoreError::io("rename a file to", path))
}
