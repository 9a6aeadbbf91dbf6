//! The folder of a repository in the cache that `huggingface_hub` keeps, and other programs read.
//!
//! `blobs/` has the contents under their checksums, `snapshots/<commit>/` the files of a commit as
//! links to them, `refs/` the commit of each branch. `<cache>/.locks/` has a lock for each content, in
//! the way of the Python library, so that both may download into one cache at a time.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicUsize, Ordering},
};

use hf_hub::CacheRepo;

use super::{error::HubError, file_lock, progress::DownloadProgress, repository::Repository};
use crate::folder_sync;

/// The folder of one repository.
pub(super) struct CacheFolder {
    layout: CacheRepo,
    folder: PathBuf,
    locks: PathBuf,
    revision: String,
}

impl CacheFolder {
    /// The folder of `repository` in the cache at `cache`, which need not exist.
    pub(super) fn new(cache: &Path, repository: &Repository) -> Self {
        let name = repository.in_cache().folder_name();
        Self {
            layout: hf_hub::Cache::new(cache.to_owned()).repo(repository.in_cache()),
            folder: cache.join(&name),
            locks: cache.join(".locks").join(&name),
            revision: repository.name.revision.clone(),
        }
    }

    /// The commit that the revision meant when it was fetched.
    pub(super) fn commit(&self) -> Option<String> {
        if is_commit(&self.revision) {
            return Some(self.revision.clone());
        }
        let written = fs::read_to_string(self.reference()).ok()?;
        Some(written.trim().to_owned()).filter(|commit| is_key(commit))
    }

    /// Notes that the revision means this commit.
    pub(super) fn set_commit(&self, commit: &str) -> Result<(), HubError> {
        static WRITTEN: AtomicUsize = AtomicUsize::new(0);
        let reference = self.reference();
        if is_commit(&self.revision) || self.commit().as_deref() == Some(commit) {
            return Ok(());
        }
        make_parent(&reference)?;
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let partial = self.folder.join(format!("refs/.{}.{number}.partial", process::id()));
        File::create(&partial)
            .and_then(|mut file| {
                file.write_all(commit.as_bytes())?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&partial, &reference))
            .and_then(|()| folder_sync::sync_name(&reference))
            .map_err(HubError::cache("write", &reference))
    }

    /// The folder with the files of a commit.
    pub(super) fn snapshot(&self, commit: &str) -> PathBuf {
        self.layout.pointer_path(commit)
    }

    /// The place of a content.
    pub(super) fn blob(&self, etag: &str) -> PathBuf {
        self.folder.join("blobs").join(etag)
    }

    /// Keeps other processes away from a content until the result is dropped.
    pub(super) fn lock(
        &self,
        etag: &str,
        progress: &dyn DownloadProgress,
    ) -> Result<File, HubError> {
        let path = self.locks.join(format!("{etag}.lock"));
        make_parent(&path)?;
        file_lock::lock(&path, progress).map_err(HubError::cache("lock", &path))
    }

    /// Gives a content its name in a commit.
    pub(super) fn link(&self, etag: &str, commit: &str, file: &str) -> Result<(), HubError> {
        let pointer = self.snapshot(commit).join(file);
        if pointer.exists() {
            return Ok(());
        }
        make_parent(&pointer)?;
        let up = "../".repeat(2 + file.matches('/').count());
        let target = PathBuf::from(format!("{up}blobs/{etag}"));
        // A link to a content that is gone.
        match fs::remove_file(&pointer) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(HubError::Cache { action: "replace", path: pointer, source: error });
            }
            _ => {}
        }
        match link(&target, &self.blob(etag), &pointer) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(HubError::Cache { action: "link", path: pointer, source: error })
            }
            _ => folder_sync::sync_name(&pointer).map_err(HubError::cache("link", &pointer)),
        }
    }

    fn reference(&self) -> PathBuf {
        self.folder.join("refs").join(&self.revision)
    }
}

/// The paths of all files below a folder, sorted, as the hub writes them: with slashes, from there on.
pub(crate) fn files_below(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(folder.join(&inner)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = entry.path();
            if path.is_file() {
                files.push(format!("{inner}{name}"));
            } else if path.is_dir() && !path.is_symlink() {
                folders.push(format!("{inner}{name}/"));
            }
        }
    }
    files.sort_unstable();
    files
}

/// Makes the folder that a file is going to lie in.
pub(super) fn make_parent(path: &Path) -> Result<(), HubError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    folder_sync::create_folder(folder).map_err(HubError::cache("create the folder", folder))
}

/// Whether the text may be the name of a commit or a content: it comes from the network and becomes
/// the name of a file.
pub(super) fn is_key(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_commit(revision: &str) -> bool {
    revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(unix)]
fn link(target: &Path, _blob: &Path, pointer: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, pointer)
}

/// Links need a privilege there; as the Python library does, the content takes the name itself.
#[cfg(not(unix))]
fn link(_target: &Path, blob: &Path, pointer: &Path) -> io::Result<()> {
    fs::rename(blob, pointer)
}
