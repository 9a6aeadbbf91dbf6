//! Where the files of a loader lie: where OpenCompass looks for them, and where relative paths of a config are
//! looked for anyway.

use std::{
    env,
    path::{Path, PathBuf},
};

use super::{known_archives::archive_of, known_places::place_of};
use crate::{
    config::{locate, looked_in},
    hub::ArchiveAddress,
};

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
    /// What else can be done, ready to end a sentence.
    pub(crate) remedy: String,
}

/// A file or folder that rows come from.
#[derive(Clone, Debug)]
pub struct DataPlace {
    /// As it is looked for: below the folder of all data, or as it is written.
    pub path: String,
    /// Where it lies.
    pub found: Option<PathBuf>,
    /// What it comes in.
    pub archive: Option<ArchiveAddress>,
}

impl DataPlace {
    /// The place that a path means; an error where the file of more archives makes no sense.
    pub(crate) fn new(written: &str, is_named: bool, config: &Path) -> Result<Self, String> {
        let path = if is_named { place_of(written).unwrap_or(written) } else { written };
        let found = find(written, is_named, config).ok();
        Ok(Self { path: path.to_owned(), found, archive: archive_of(path)? })
    }

    /// That a folder lacks one of its files. An archive completes it only where archives are unpacked to.
    pub(super) fn lacks_a_file(&mut self) {
        let completed = data_folder();
        self.found.take_if(|found| completed.is_some_and(|folder| found.starts_with(folder)));
    }

    /// Whether it is missing and can be fetched.
    pub(crate) fn can_come(&self) -> bool {
        self.found.is_none() && self.archive.is_some()
    }
}

/// The folder that archives are unpacked into: `data` in the one with everybody's data, as OpenCompass has it.
pub fn data_folder() -> Option<PathBuf> {
    let default = || env::home_dir().map(|home| home.join(DEFAULT_CACHE));
    cache().or_else(default).map(|folder| folder.join("data"))
}

/// What gets a place that is not there, ready to end a sentence; nothing where that is not known.
pub(crate) fn remedy(path: &str, config: &Path) -> String {
    match archive_of(path) {
        Ok(Some(archive)) => format!(
            "; `surprisal fetch {}` gets it ({} from {})",
            config.display(),
            archive.name(),
            archive.url().trim_end_matches(archive.name()).trim_end_matches('/')
        ),
        Ok(None) => String::new(),
        Err(problem) => format!("; {problem}"),
    }
}

fn cache() -> Option<PathBuf> {
    env::var_os(CACHE).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// The file or folder that a config means. `is_named` tells whether names such as `opencompass/mmlu` stand
/// for places; to loaders that take a path as it stands they do not.
pub(crate) fn find(written: &str, is_named: bool, config: &Path) -> Result<PathBuf, NotFound> {
    let path = if is_named { place_of(written).unwrap_or(written) } else { written };
    let below = |folder: &Path| Some(folder.join(path)).filter(|place| place.exists());
    let cache = cache();
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
            looked_in: format!("{cache}, {}{default}", looked_in(config).replace(" and in", ",")),
            remedy: remedy(path, config),
        }
    })
}
