//! Names that survive a loss of power.
//!
//! A file's bytes are on the disk once the file is synced; its name is once its folder is. What is renamed
//! into place is followed by a call of this module.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "names are synced for the rooms that may write them"
)]

use std::{fs, io, path::Path};

/// Syncs the folder that `path` lies in, so that its name is there after a loss of power.
///
/// # Errors
/// As the system says; a file system that cannot sync folders is no error.
pub fn sync_name(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    sync(folder.unwrap_or(Path::new(".")))
}

/// Makes a folder and those above it that are missing, and syncs each of their names.
///
/// # Errors
/// As [`fs::create_dir_all`].
pub fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        create_folder(above)?;
    }
    match fs::create_dir(folder) {
        // Somebody else was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        made => made.and_then(|()| sync_name(folder)),
    }
}

#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    match fs::File::open(folder)?.sync_all() {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Folders cannot be opened there; the system orders its own metadata.
#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_and_synced() {
        let scratch = tempfile::tempdir().unwrap();
        let deep = scratch.path().join("a/b/c");
        create_folder(&deep).unwrap();
        create_folder(&deep).unwrap();
        assert!(deep.is_dir());
        sync_name(&deep.join("file")).unwrap();
        assert!(sync_name(&scratch.path().join("none/file")).is_err());
        fs::write(deep.join("file"), "").unwrap();
        assert!(create_folder(&deep.join("file/d")).is_err());
    }
}
