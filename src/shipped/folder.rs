//! The folder in the user's cache that shipped files are written to.
//!
//! A file is written under another name and renamed, so it is whole or not there, whenever the process is killed; one process
//! at a time writes. What is there is compared with what ships, byte by byte, each time: a file that somebody
//! changed is never run in the place of the shipped one.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files that ship are written where the user keeps caches"
)]

use std::{
    env,
    fs::{self, File},
    hash::Hasher as _,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use twox_hash::XxHash3_64;

use crate::{folder_sync, regular_file};

/// The variable that names the folder instead of the user's cache.
pub const CACHE: &str = "SURPRISAL_CACHE";

/// Names in the folder that are no shipped files.
const LOCK: &str = ".lock";
const PARTIAL: &str = ".partial";

/// Why shipped files are not where they can be read.
#[derive(Debug, thiserror::Error)]
pub enum ShippedError {
    /// Nobody says where caches are.
    #[error(
        "there is no home folder to write the files to that ship with the program; set {cache} to a folder", cache = CACHE
    )]
    NoHome,
    /// The folder cannot be written, or a file in it not read.
    #[error(
        "the files that ship with the program go to the cache, and it cannot {action} {path}: {source}; set {cache} to a \
         folder that can be written, as in {cache}=/tmp/surprisal", cache = CACHE
    )]
    Disk {
        /// What was tried.
        action: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file has other bytes than the one that ships.
    #[error(
        "{path} was changed: it is not the file that ships with the program. Move it away to keep it, or delete it; then it is \
         written anew"
    )]
    Changed {
        /// The file.
        path: PathBuf,
    },
}

impl ShippedError {
    fn disk(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Disk { action, path, source }
    }
}

/// The folder of this program in the user's cache; nothing where nobody says where caches are.
pub(crate) fn user_cache() -> Option<PathBuf> {
    let text = |name| env::var_os(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    if let Some(own) = text(CACHE) {
        return std::path::absolute(own).ok();
    }
    // A relative one is to be ignored, says the standard that defines it.
    let cache = text("XDG_CACHE_HOME").filter(|cache| cache.is_absolute());
    Some(cache.or_else(|| Some(env::home_dir()?.join(".cache")))?.join("surprisal"))
}

/// Files, and the folder that they belong in.
pub(super) struct ShippedFolder {
    root: PathBuf,
    files: &'static [(&'static str, &'static [u8])],
}

impl ShippedFolder {
    /// The folder of these files in the user's cache.
    pub(super) fn from_env(
        files: &'static [(&'static str, &'static [u8])],
    ) -> Result<Self, ShippedError> {
        Ok(Self::in_cache(&user_cache().ok_or(ShippedError::NoHome)?, files))
    }

    /// The folder of these files in a cache.
    pub(super) fn in_cache(cache: &Path, files: &'static [(&'static str, &'static [u8])]) -> Self {
        let mut hash = XxHash3_64::new();
        for (name, bytes) in files {
            for part in [name.as_bytes(), bytes] {
                hash.write(&part.len().to_le_bytes());
                hash.write(part);
            }
        }
        let version = env!("CARGO_PKG_VERSION");
        Self { root: cache.join(format!("{version}-{:016x}", hash.finish())), files }
    }

    /// The folder itself.
    pub(super) fn into_root(self) -> PathBuf {
        self.root
    }

    /// Writes the files that are not there.
    pub(super) fn unpack(&self) -> Result<(), ShippedError> {
        if self.missing()?.is_empty() {
            return Ok(());
        }
        let create = ShippedError::disk("create the folder", &self.root);
        folder_sync::create_folder(&self.root).map_err(create)?;
        let lock = self.root.join(LOCK);
        let held = File::create(&lock).and_then(|file| file.lock().map(|()| file));
        let held = held.map_err(ShippedError::disk("lock", &lock))?;
        // Others may have written them meanwhile.
        for (name, bytes) in self.missing()? {
            self.write(&self.root.join(name), bytes)?;
        }
        drop(held);
        Ok(())
    }

    /// The files that are not there; a file that is another is an error.
    fn missing(&self) -> Result<Vec<(&'static str, &'static [u8])>, ShippedError> {
        let mut missing = Vec::new();
        for (name, bytes) in self.files {
            let path = self.root.join(name);
            match regular_file::read(&path, bytes.len() as u64) {
                Ok(found) if found == *bytes => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    missing.push((*name, *bytes));
                }
                Err(error) if error.kind() != io::ErrorKind::FileTooLarge => {
                    return Err(ShippedError::Disk { action: "read", path, source: error });
                }
                Ok(_) | Err(_) => return Err(ShippedError::Changed { path }),
            }
        }
        Ok(missing)
    }

    /// Only under the lock: what an earlier process left of a file is written over.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), ShippedError> {
        let folder = path.parent().unwrap_or(&self.root);
        folder_sync::create_folder(folder)
            .map_err(ShippedError::disk("create the folder", folder))?;
        let partial = self.root.join(PARTIAL);
        let written = File::create(&partial).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        written.map_err(ShippedError::disk("write", &partial))?;
        fs::rename(&partial, path)
            .and_then(|()| folder_sync::sync_name(path))
            .map_err(ShippedError::disk("write", path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FILES: &[(&str, &[u8])] = &[("configs/a.py", b"a = 1\n"), ("models/m/b", b"\0\x01")];

    fn folder() -> (tempfile::TempDir, ShippedFolder) {
        let cache = tempfile::tempdir().unwrap();
        let folder = ShippedFolder::in_cache(&cache.path().join("deep/cache"), FILES);
        (cache, folder)
    }

    #[test]
    fn files_are_written_once_and_what_is_missing_is_filled_in() {
        let (_cache, folder) = folder();
        folder.unpack().unwrap();
        let (a, b) = (folder.root.join("configs/a.py"), folder.root.join("models/m/b"));
        let written = fs::metadata(&b).unwrap().modified().unwrap();
        // As a process leaves it that is killed.
        fs::remove_file(&a).unwrap();
        fs::write(folder.root.join(PARTIAL), "half of a longer text").unwrap();
        folder.unpack().unwrap();
        assert_eq!(fs::read(&a).unwrap(), b"a = 1\n");
        assert_eq!(fs::metadata(&b).unwrap().modified().unwrap(), written);
        assert!(!folder.root.join(PARTIAL).exists());
    }

    #[test]
    fn a_file_that_was_changed_is_named_and_left_alone() {
        let (_cache, folder) = folder();
        folder.unpack().unwrap();
        for (name, text) in [("configs/a.py", "a = 2\n"), ("models/m/b", "longer")] {
            let path = folder.root.join(name);
            let shipped = fs::read(&path).unwrap();
            fs::write(&path, text).unwrap();
            let error = folder.unpack().unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("was changed"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            fs::write(&path, shipped).unwrap();
        }
        folder.unpack().unwrap();
    }

    #[test]
    fn many_processes_may_write_at_once() {
        let (_cache, folder) = folder();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| folder.unpack().unwrap());
            }
        });
        assert!(folder.missing().unwrap().is_empty());
    }

    #[test]
    fn a_place_that_cannot_be_written_is_told_with_what_to_do() {
        let (cache, _) = folder();
        let file = cache.path().join("file");
        fs::write(&file, "").unwrap();
        let folder = ShippedFolder::in_cache(&file, FILES);
        let error = folder.unpack().unwrap_err().to_string();
        assert!(error.contains(CACHE) && error.contains("file"), "{error}");
    }

    #[test]
    fn other_files_have_another_folder() {
        static CHANGED: &[(&str, &[u8])] =
            &[("configs/a.py", b"a = 2\n"), ("models/m/b", b"\0\x01")];
        static RENAMED: &[(&str, &[u8])] =
            &[("configs/a.py", b"a = 1\n"), ("models/m/c", b"\0\x01")];
        let name = |files| ShippedFolder::in_cache(Path::new(""), files).into_root();
        assert_ne!(name(FILES), name(CHANGED));
        assert_ne!(name(FILES), name(RENAMED));
    }
}
