//! Where NLTK looks for its data, and so for WordNet.

#![expect(
    clippy::disallowed_methods,
    reason = "WordNet lies where the environment and NLTK's habits say"
)]

use std::{env, path::PathBuf};

/// The folders of data that NLTK takes for granted.
const SHARED: [&str; 4] = [
    "/usr/share/nltk_data",
    "/usr/local/share/nltk_data",
    "/usr/lib/nltk_data",
    "/usr/local/lib/nltk_data",
];

/// Where a folder of data may lie below an installed Python.
const BELOW_PYTHON: [&str; 3] = ["nltk_data", "share/nltk_data", "lib/nltk_data"];

/// The first copy that NLTK would read: a folder if there is one, else an archive as its downloader leaves it.
pub(super) fn find() -> Option<PathBuf> {
    let folders = folders();
    let named = |name: &str| folders.iter().map(|folder| folder.join(name)).collect::<Vec<_>>();
    let unpacked = named("corpora/wordnet").into_iter().find(|path| path.is_dir());
    unpacked.or_else(|| named("corpora/wordnet.zip").into_iter().find(|path| path.is_file()))
}

fn folders() -> Vec<PathBuf> {
    let named = env::var_os("NLTK_DATA");
    let mut folders: Vec<PathBuf> = named.iter().flat_map(env::split_paths).collect();
    folders.retain(|folder| !folder.as_os_str().is_empty());
    folders.extend(env::home_dir().map(|home| home.join("nltk_data")));
    // Those of the Python that is active, if one says so.
    for python in ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os) {
        folders.extend(BELOW_PYTHON.map(|own| PathBuf::from(&python).join(own)));
    }
    folders.extend(SHARED.map(PathBuf::from));
    folders
}
