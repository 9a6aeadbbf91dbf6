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
