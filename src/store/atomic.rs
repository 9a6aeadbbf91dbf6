//! Files that are either whole or not there.

use std::{fs, io::Write as _, path::Path};

use super::StoreError;
use crate::folder_sync;

/// Writes a file under another name beside it and renames it, so that a reader never sees half of it
/// and a loss of power takes back neither its bytes nor its name. What cannot be written leaves nothing behind.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    if let Some(folder) = path.parent() {
        folder_sync::create_folder(folder).map_err(StoreError::io("create the folder", folder))?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let written = fs::File::create(&partial).map_err(StoreError::io("create", &partial)).and_then(
        |mut file| {
            file.write_all(bytes)
                .and_then(|()| file.sync_all())
                .map_err(StoreError::io("write", &partial))?;
            fs::rename(&partial, path).map_err(StoreError::io("rename a file to", path))
        },
    );
    if let Err(error) = written {
        // It may not be there, and there is nothing else to be done about it.
        let _ = fs::remove_file(&partial);
        return Err(error);
    }
    folder_sync::sync_name(path).map_err(StoreError::io("sync the name of", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        // A folder in its place cannot be replaced.
        let path = folder.path().join("page.html");
        fs::create_dir_all(path.join("inside")).unwrap();
        write_atomically(&path, b"page").unwrap_err();
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
        assert_eq!(names, ["page.html"]);
        let other = folder.path().join("other.html");
        write_atomically(&other, b"page").unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"page");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
