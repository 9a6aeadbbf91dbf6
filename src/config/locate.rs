//! Finding the files that a config names.

use std::path::{Path, PathBuf};

/// The file or folder that a config means by a relative path: seen from the current folder, as
/// OpenCompass does, or else from the config's own folder and those above it, so that a config in a
/// repository works from anywhere.
pub(crate) fn locate(path: &Path, config: &Path) -> Option<PathBuf> {
    if path.exists() {
        return Some(path.to_owned());
    }
    let config = std::path::absolute(config).ok()?;
    config.ancestors().skip(1).map(|folder| folder.join(path)).find(|candidate| candidate.exists())
}

/// Another file or folder of that name by the config, which is passed over for the one in the current folder.
pub(crate) fn passed_over(path: &Path, config: &Path) -> Option<PathBuf> {
    let taken = path.canonicalize().ok()?;
    let config = std::path::absolute(config).ok()?;
    let mut others = config.ancestors().skip(1).map(|folder| folder.join(path));
    others
        .find(|candidate| candidate.exists())
        .filter(|other| other.canonicalize().is_ok_and(|other| other != taken))
}
