//! What is here and what is not: places, archives, repositories and checkpoints, each once.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::{
    NO_HOME,
    item::{FetchItem, FetchState, Source},
};
use crate::{
    dataset::{DataPlace, HubFile, HubTable, data_folder},
    hub::{ArchiveAddress, ArchiveError, Archives, DownloadProgress, Hub, HubName, HubSettings},
    plan::DataEntry,
    shipped,
};

/// What data sets read, by archive, repository and place.
#[derive(Default)]
struct Wanted {
    /// Where it lies, and who reads it.
    here: IndexMap<String, Vec<String>>,
    /// What must be there once it is unpacked, and who reads it.
    archives: IndexMap<ArchiveAddress, (Vec<String>, Vec<String>)>,
    tables: IndexMap<String, (Vec<HubTable>, Vec<String>)>,
    /// Places without address, and who reads them.
    nowhere: IndexMap<String, Vec<String>>,
    /// What cannot be told, and of which data set.
    unclear: IndexMap<String, Vec<String>>,
}

impl Wanted {
    fn new(entries: &[DataEntry], data: Option<&Path>) -> Self {
        let mut wanted = Self::default();
        for DataEntry { abbr, needs } in entries {
            let needs = match needs {
                Ok(needs) => needs,
                Err(error) => {
                    wanted.unclear.entry(error.to_string()).or_default().push(abbr.clone());
                    continue;
                }
            };
            needs.places.iter().for_each(|place| wanted.place(place, abbr, data));
            for table in &needs.tables {
                let of = wanted.tables.entry(table.name.to_string()).or_default();
                of.0.push(table.clone());
                add(&mut of.1, abbr);
            }
        }
        wanted
    }

    fn place(&mut self, place: &DataPlace, abbr: &str, data: Option<&Path>) {
        let is_settled = |archive: &ArchiveAddress| {
            data.is_none_or(|data| !Archives::is_half_moved(archive, data))
        };
        let archive = place.archive.as_ref();
        match (&place.found, archive) {
            (Some(found), _) if archive.is_none_or(is_settled) => {
                add(self.here.entry(found.display().to_string()).or_default(), abbr);
            }
            (_, Some(archive)) => {
                let of = self.archives.entry(archive.clone()).or_default();
                add(&mut of.0, &place.path);
                add(&mut of.1, abbr);
            }
            _ => add(self.nowhere.entry(place.path.clone()).or_default(), abbr),
        }
    }
}

fn add(list: &mut Vec<String>, one: &str) {
    if !list.iter().any(|known| known == one) {
        list.push(one.to_owned());
    }
}

/// What entries and checkpoints need, here or not, with sizes as far as servers tell them.
pub fn survey(
    entries: &[DataEntry],
    models: &[PathBuf],
    progress: &dyn DownloadProgress,
) -> Vec<FetchItem> {
    let data = data_folder();
    let wanted = Wanted::new(entries, data.as_deref());
    let mut items: Vec<FetchItem> = Vec::new();
    for (place, datasets) in wanted.here {
        let to = Some(place.clone());
        items.push(FetchItem { to, ..FetchItem::new(place, FetchState::Here, datasets) });
    }
    let mut archives = ArchiveSurvey {
        archives: Archives::from_env(progress),
        data: data.as_deref(),
        unreachable: Vec::new(),
    };
    for (archive, (paths, datasets)) in wanted.archives {
        items.push(archives.item(&archive, paths, datasets));
    }
    for (name, (tables, datasets)) in wanted.tables {
        items.push(of_tables(name, tables, datasets, progress));
    }
    items.extend(models.iter().map(|model| of_model(model, progress)));
    for (path, datasets) in wanted.nowhere {
        let problem = format!(
            "{path} is not here, and no archive of it is known; put it into the current folder or below COMPASS_DATA_CACHE \
             (the releases of OpenCompass on GitHub have older data sets together in one file)"
        );
        items.push(FetchItem::new(path, FetchState::Missing, datasets).unavailable(problem));
    }
    for (problem, datasets) in wanted.unclear {
        let name = datasets.join(", ");
        items.push(FetchItem::new(name, FetchState::Missing, datasets).unavailable(problem));
    }
    items
}

/// What asks servers for the sizes of archives.
struct ArchiveSurvey<'a> {
    archives: Archives<'a>,
    data: Option<&'a Path>,
    /// Servers that did not answer, and what to say of them: they are asked once.
    unreachable: Vec<(String, String)>,
}

impl ArchiveSurvey<'_> {
    fn item(
        &mut self,
        archive: &ArchiveAddress,
        paths: Vec<String>,
        datasets: Vec<String>,
    ) -> FetchItem {
        let name = archive.name().to_owned();
        let url = self.archives.url(archive);
        let mut item = FetchItem {
            from: Some(url.clone()),
            ..FetchItem::new(name, FetchState::Missing, datasets)
        };
        let Some(data) = self.data else { return item.unavailable(NO_HOME.to_owned()) };
        item.to = Some(data.display().to_string());
        let lies_here = Archives::whole_file(archive, data)
            .or_else(|| Archives::is_half_moved(archive, data).then(|| data.to_owned()));
        item.source = Source::Archive { archive: archive.clone(), paths };
        if let Some(place) = lies_here {
            (item.bytes, item.from) = (Some(0), Some(place.display().to_string()));
            return item;
        }
        let known = self.unreachable.iter().find(|(server, _)| url.starts_with(server.as_str()));
        if let Some((_, problem)) = known {
            let problem = problem.clone();
            return item.unavailable(problem);
        }
        match self.archives.bytes(archive) {
            Ok(bytes) => FetchItem { bytes, ..item },
            Err(error) => {
                let problem = error.to_string();
                if let ArchiveError::Unreachable { server, .. } = error {
                    self.unreachable.push((server, problem.clone()));
                }
                item.unavailable(problem)
            }
        }
    }
}

fn of_tables(
    name: String,
    tables: Vec<HubTable>,
    datasets: Vec<String>,
    progress: &dyn DownloadProgress,
) -> FetchItem {
    let settings = HubSettings::from_env();
    let item = FetchItem {
        from: Some(format!("{}/datasets/{name}", settings.endpoint)),
        to: Some(settings.cache.display().to_string()),
        ..FetchItem::new(name, FetchState::Missing, datasets)
    };
    match HubTable::files(&tables.iter().collect::<Vec<_>>(), progress) {
        Err(error) => item.unavailable(error.to_string()),
        Ok(files) => {
            let missing: Vec<HubFile> = files.into_iter().filter(|file| !file.is_here).collect();
            let bytes = missing.iter().map(|file| file.bytes).sum();
            sized(FetchItem { source: Source::Tables(tables), ..item }, missing.is_empty(), bytes)
        }
    }
}

fn of_model(model: &Path, progress: &dyn DownloadProgress) -> FetchItem {
    let written = model.display().to_string();
    let item = FetchItem::new(written.clone(), FetchState::Here, Vec::new());
    let Some(name) = HubName::unless_here(&written).filter(|_| !shipped::holds(&written)) else {
        return FetchItem { to: Some(written), ..item };
    };
    let hub = Hub::from_env(progress);
    let settings = HubSettings::from_env();
    let item = FetchItem {
        from: Some(format!("{}/{name}", settings.endpoint)),
        to: Some(settings.cache.display().to_string()),
        ..item
    };
    match hub.missing_files(&name) {
        Err(error) => item.unavailable(error.to_string()),
        Ok(missing) => {
            let bytes = missing.iter().map(|(_, bytes)| *bytes).sum();
            sized(FetchItem { source: Source::Checkpoint(name), ..item }, missing.is_empty(), bytes)
        }
    }
}

/// An item of which so much has to come.
fn sized(item: FetchItem, is_here: bool, bytes: Option<u64>) -> FetchItem {
    if is_here {
        return FetchItem { state: FetchState::Here, from: None, ..item };
    }
    FetchItem { state: FetchState::Missing, bytes, ..item }
}
