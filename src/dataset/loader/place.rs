//! Where the files of a loader lie: where OpenCompass looks for them, and where relative paths of a config are
//! looked for anyway.

use std::{
    env,
    path::{Path, PathBuf},
};

use super::known_places::place_of;
use crate::config::locate;

/// The variable that names the folder with everybody's `data/`.
const CACHE: &str = "COMPASS_DATA_CACHE";

/// The same folder where nothing is said, below the home folder.
const DEFAULT_CACHE: &str = ".cache/opencompass";

/// What was looked for in vain.
#[derive(Debug)]
pub(crate) struct NotFound {
    /// The path, as it was looked for.
    pub(crate) path: String,
    /// The folders it was looked for in, in words.
    pub(crate) looked_in: String,
}

/// The file or folder that a config means. `is_named` tells whether names such as `opencompass/mmlu` stand
/// for places; to loaders that take a path as it stands they do not.
pub(crate) fn find(written: &str, is_named: bool, config: &Path) -> Result<PathBuf, NotFound> {
    let path = if is_named { place_of(written).unwrap_or(written) } else { written };
    let below = |folder: &Path| Some(folder.join(path)).filter(|place| place.exists());
    let cache = env::var_os(CACHE).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let default = env::home_dir().map(|home| home.join(DEFAULT_CACHE));
    let found = cache
        .as_deref()
        .and_then(below)
        .or_else(|| locate(Path::new(path), config))
        .or_else(|| default.as_deref().and_then(below));
    found.ok_or_else(|| {
        let cache = cache.as_ref().map_or_else(
            || format!("{CACHE} (not set)"),
            |folder| format!("{CACHE} ({})", folder.display()),
        );
        let default = default.map_or_else(String::new, |folder| format!(", {}", folder.display()));
        NotFound {
            path: path.to_owned(),
            looked_in: format!(
                "{cache}, the current folder, the config's folder and above{default}"
            ),
        }
    })
}
