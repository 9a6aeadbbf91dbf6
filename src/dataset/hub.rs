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

/// A table of a repository, as far as a reader wants it, or files of it.
#[derive(Clone, Debug)]
pub struct HubTable {
    /// The repository.
    pub name: HubName,
    wanted: Wanted,
}

/// What is read of a repository.
#[derive(Clone, Debug)]
enum Wanted {
    /// Splits of a table.
    Table { choice: TableChoice, splits: Vec<String> },
    /// Files, whatever they hold.
    Files(Vec<String>),
}

/// A file of a repository that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HubFile {
    /// Its path in the repository.
    pub path: String,
    /// Its length, as far as the hub tells it.
    pub bytes: Option<u64>,
    /// Whether it is in the cache.
    pub is_here: bool,
}

impl HubTable {
    pub(super) fn new(name: &HubName, choice: &TableChoice, splits: &[&str]) -> Self {
        let splits = splits.iter().map(|split| (*split).to_owned()).collect();
        Self { name: name.clone(), wanted: Wanted::Table { choice: choice.clone(), splits } }
    }

    /// Files by their paths in the repository.
    pub(super) fn of_files(name: &HubName, files: &[&str]) -> Self {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        Self { name: name.clone(), wanted: Wanted::Files(files) }
    }

    /// The files that tables of one repository come from. The hub is asked for its list unless all are in the cache;
    /// the card, which tells what the files are, is fetched for that.
    pub fn files(
        tables: &[&Self],
        progress: &dyn DownloadProgress,
    ) -> Result<Vec<HubFile>, DatasetError> {
        let Some(first) = tables.first() else { return Ok(Vec::new()) };
        let (name, hub) = (&first.name, Hub::from_env(progress));
        let repository = hub.repository(RepositoryKind::Dataset, name);
        let cached = repository.cached();
        let mut files: Vec<HubFile> = Vec::new();
        let mut missing = Vec::new();
        for table in tables {
            let cached = cached.as_ref();
            match cached.and_then(|it| table.wanted.cached(it, &hub)) {
                Some(found) => files.extend(found.into_iter().map(|path| HubFile {
                    path,
                    bytes: None,
                    is_here: true,
                })),
                None => missing.push(table),
            }
        }
        if !missing.is_empty() {
            let failed =
                |source| DatasetError::Hub { name: name.to_string(), source: Box::new(source) };
            let odd = |problem| DatasetError::Layout { place: name.to_string(), problem };
            let listed = repository.listed("a list of its files").map_err(failed)?;
            let card = listed.has(CARD).then(|| listed.fetch(CARD)).transpose().map_err(failed)?;
            let card = card.and_then(|path| read_card(&path));
            let layout = Layout::new(&listed.files, card.as_deref()).map_err(odd)?;
            for table in missing {
                let found = table.wanted.listed(&listed, &layout).map_err(odd)?;
                files.extend(found.into_iter().map(|path| HubFile {
                    bytes: listed.promised_bytes(&path),
                    is_here: listed.folder().join(&path).is_file(),
                    path,
                }));
            }
        }
        files.sort_unstable();
        files.dedup_by(|one, other| one.path == other.path);
        Ok(files)
    }

    /// Fetches what is not in the cache.
    pub fn fetch(&self, progress: &dyn DownloadProgress) -> Result<(), DatasetError> {
        match &self.wanted {
            Wanted::Table { choice, splits } => {
                fetch(&self.name, choice, &texts(splits), progress).map(drop)
            }
            Wanted::Files(files) => fetch_files(&self.name, &texts(files), progress).map(drop),
        }
    }
}

fn texts(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

impl Wanted {
    /// The files in the cache, if they are certain to be all.
    fn cached(&self, cached: &Snapshot<'_>, hub: &Hub<'_>) -> Option<Vec<String>> {
        match self {
            Self::Table { choice, splits } => {
                let found = certain(cached, hub, choice, &texts(splits))?;
                Some(found.into_values().flatten().collect())
            }
            Self::Files(files) => files.iter().all(|file| cached.has(file)).then(|| files.clone()),
        }
    }

    /// The files in a repository that has told all that it has; what is missing otherwise.
    fn listed(&self, listed: &Snapshot<'_>, layout: &Layout<'_>) -> Result<Vec<String>, String> {
        match self {
            Self::Table { choice, splits } => {
                let splits = texts(splits);
                let found = layout.splits(choice, &splits)?;
                if found.is_empty() {
                    return Err(no_split(&listed.files, &splits));
                }
                Ok(found.into_values().flatten().collect())
            }
            Self::Files(files) => match files.iter().find(|file| !listed.has(file)) {
                Some(missing) => Err(format!("there is no file {missing}")),
                None => Ok(files.clone()),
            },
        }
    }
}

/// The files of splits, if those in the cache are certain to be all of them.
fn certain(
    cached: &Snapshot<'_>,
    hub: &Hub<'_>,
    choice: &TableChoice,
    wanted: &[&str],
) -> Option<SplitFiles> {
    let card = read_card(&cached.folder().join(CARD));
    let layout = Layout::new(&cached.files, card.as_deref()).ok()?;
    let found = layout.splits(choice, wanted).ok()?;
    let is_whole = wanted.iter().all(|split| found.contains_key(*split))
        && (hub.is_offline() || layout.is_certain(choice, &found));
    is_whole.then_some(found)
}

/// That no file holds a split.
fn no_split(files: &[String], wanted: &[&str]) -> String {
    let first: Vec<&str> = files.iter().take(8).map(String::as_str).collect();
    format!(
        "no file holds the split {}; there are {}{}",
        wanted.join(" or "),
        first.join(", "),
        if files.len() > first.len() { ", …" } else { "" }
    )
}

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
    if let Some(cached) = repository.cached()
        && let Some(found) = certain(&cached, &hub, choice, wanted)
    {
        return Ok(places(&cached, found));
    }
    let listed =
        repository.listed(&format!("a file of split {}", wanted.join(" or "))).map_err(failed)?;
    let card = listed.has(CARD).then(|| listed.fetch(CARD)).transpose().map_err(failed)?;
    let card = card.and_then(|path| read_card(&path));
    let layout = Layout::new(&listed.files, card.as_deref()).map_err(odd)?;
    let found = layout.splits(choice, wanted).map_err(odd)?;
    if found.is_empty() {
        return Err(odd(no_split(&listed.files, wanted)));
    }
    let files = found.values().flatten().map(String::as_str);
    listed.fetch_all(files).and_then(|()| listed.keep()).map_err(failed)?;
    Ok(places(&listed, found))
}

/// Where files of a repository lie, fetched unless they are in the cache.
pub(super) fn fetch_files(
    name: &HubName,
    files: &[&str],
    progress: &dyn DownloadProgress,
) -> Result<Vec<PathBuf>, DatasetError> {
    let failed = |source| DatasetError::Hub { name: name.to_string(), source: Box::new(source) };
    let hub = Hub::from_env(progress);
    let repository = hub.repository(RepositoryKind::Dataset, name);
    let below = |folder: PathBuf| files.iter().map(|file| folder.join(file)).collect();
    if let Some(cached) = repository.cached()
        && files.iter().all(|file| cached.has(file))
    {
        return Ok(below(cached.folder()));
    }
    let listed = repository.listed(&files.join(" or ")).map_err(failed)?;
    if let Some(missing) = files.iter().find(|file| !listed.has(file)) {
        let problem = format!("there is no file {missing}");
        return Err(DatasetError::Layout { place: name.to_string(), problem });
    }
    listed.fetch_all(files.iter().copied()).and_then(|()| listed.keep()).map_err(failed)?;
    Ok(below(listed.folder()))
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
