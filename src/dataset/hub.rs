//! A data set on the hub: which of its files are needed, and where they lie once they are here.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::{
    DatasetError, TableChoice,
    layout::{Layout, SplitFiles},
};
use crate::{
    hub::{DownloadProgress, Hub, HubName, RepositoryKind, Snapshot},
    regular_file::{self, MOST_SETTINGS_BYTES},
};

/// The file in which a repository describes itself.
const CARD: &str = "README.md";

/// The files of the wanted splits, fetched unless they are in the cache. Splits that the repository
/// does not have are left out.
pub(super) fn fetch(
    name: &HubName,
    choice: &TableChoice,
    wanted: &[&str],
    progress: &dyn DownloadProgress,
) -> Result<IndexMap<String, Vec<PathBuf>>, DatasetError> {
    let failed = |source| DatasetError::Hub { name: name.to_string(), source: Box::new(source) };
    let odd = |problem| DatasetError::Layout { place: name.to_string(), problem };
    let hub = Hub::from_env(progress);
    let repository = hub.repository(RepositoryKind::Dataset, name);
    if let Some(cached) = repository.cached() {
        let card = read_card(&cached.folder().join(CARD));
        if let Ok(layout) = Layout::new(&cached.files, card.as_deref())
            && let Ok(found) = layout.splits(choice, wanted)
            && wanted.iter().all(|split| found.contains_key(*split))
            && (hub.is_offline() || layout.is_certain(choice, &found))
        {
            return Ok(places(&cached, found));
        }
    }
    let listed =
        repository.listed(&format!("a file of split {}", wanted.join(" or "))).map_err(failed)?;
    let card = listed.has(CARD).then(|| listed.fetch(CARD)).transpose().map_err(failed)?;
    let card = card.and_then(|path| read_card(&path));
    let layout = Layout::new(&listed.files, card.as_deref()).map_err(odd)?;
    let found = layout.splits(choice, wanted).map_err(odd)?;
    if found.is_empty() {
        let first: Vec<&str> = listed.files.iter().take(8).map(String::as_str).collect();
        return Err(odd(format!(
            "no file holds the split {}; there are {}{}",
            wanted.join(" or "),
            first.join(", "),
            if listed.files.len() > first.len() { ", …" } else { "" }
        )));
    }
    let files = found.values().flatten().map(String::as_str);
    listed.fetch_all(files).and_then(|()| listed.keep()).map_err(failed)?;
    Ok(places(&listed, found))
}

fn places(snapshot: &Snapshot<'_>, found: SplitFiles) -> IndexMap<String, Vec<PathBuf>> {
    let folder = snapshot.folder();
    let paths = |files: Vec<String>| files.iter().map(|file| folder.join(file)).collect();
    found.into_iter().map(|(split, files)| (split, paths(files))).collect()
}

/// The text of a card, if there is one that can be read.
pub(super) fn read_card(path: &Path) -> Option<String> {
    regular_file::read_text(path, MOST_SETTINGS_BYTES).ok()
}
