//! Where the rows of a data set are: in a file or folder, or on the hub.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::{
    ClassForm, ColumnRule, DataNeeds, DataPlace, DatasetError, HubTable, Loader, Rows, TableChoice,
    hub, layout::Layout, loader::Stepped, source,
};
use crate::{
    config::{ConfigError, Node},
    hub::{DownloadProgress, HubName, files_below},
};

/// Where the rows of a data set are.
#[derive(Clone, Debug)]
pub enum DatasetLocation {
    /// A file, or a folder with the files of its splits.
    Local(PathBuf),
    /// Files of splits.
    Files(IndexMap<String, Vec<PathBuf>>),
    /// A repository.
    Hub(HubName),
    /// What a class of data sets reads.
    Loader(Box<Loader>),
    /// Rows of another place, after the steps of a class.
    Stepped(Box<Stepped>),
}

impl DatasetLocation {
    /// The repository that a `path` can mean which is neither file nor folder. A path that ends like a
    /// file of rows means such a file.
    pub fn on_hub(written: &str) -> Option<Self> {
        let name = HubName::parse(written).filter(|name| name.file.is_none())?;
        source::format_of(written).is_none().then_some(Self::Hub(name))
    }

    /// Whether a `path` means no place but a kind of file, and `data_files` the place, as in
    /// `datasets.load_dataset`.
    pub fn is_format(written: &str) -> bool {
        source::FORMATS.iter().any(|(ending, _)| *ending == written)
    }

    /// The same place, its rows going through the steps of a class, with what the entry says of them.
    pub(crate) fn stepped(
        self,
        class: &'static ClassForm,
        entry: &mut Node,
        abbr: Option<&str>,
    ) -> Result<Self, ConfigError> {
        Ok(Self::Stepped(Box::new(Stepped::new(self, class, entry, abbr)?)))
    }

    /// Whether a class of data sets makes the rows.
    pub(crate) fn is_of_class(&self) -> bool {
        matches!(self, Self::Loader(_) | Self::Stepped(_))
    }

    /// Whether it is one file.
    pub fn is_one_file(&self) -> bool {
        matches!(self, Self::Local(path) if path.is_file())
    }

    /// Every file that the rows can come from; nothing for a repository on the hub.
    pub fn files(&self) -> Option<Vec<PathBuf>> {
        match self {
            Self::Local(path) if path.is_dir() => {
                Some(files_below(path).iter().map(|file| path.join(file)).collect())
            }
            Self::Local(path) => Some(vec![path.clone()]),
            Self::Files(files) => Some(files.values().flatten().cloned().collect()),
            Self::Hub(_) => None,
            Self::Loader(loader) => loader.files(),
            Self::Stepped(stepped) => stepped.location.files(),
        }
    }

    /// What has to be here for the rows of the wanted splits to be read; what is wrong with a file of more archives.
    pub fn needs(&self, choice: &TableChoice, splits: &[&str]) -> Result<DataNeeds, String> {
        let here = |path: &PathBuf| DataPlace {
            path: path.display().to_string(),
            found: Some(path.clone()),
            archive: None,
        };
        Ok(match self {
            Self::Local(path) => DataNeeds { places: vec![here(path)], tables: Vec::new() },
            Self::Files(files) => {
                let places = files.values().flatten().map(here).collect();
                DataNeeds { places, tables: Vec::new() }
            }
            Self::Hub(name) => {
                let table = HubTable::new(name, choice, &choice.wanted(splits));
                DataNeeds { places: Vec::new(), tables: vec![table] }
            }
            Self::Loader(loader) => loader.needs()?,
            Self::Stepped(stepped) => stepped.location.needs(choice, splits)?,
        })
    }

    /// Reads the rows of the wanted splits. Splits that are not there are left out.
    pub fn read(
        &self,
        choice: &TableChoice,
        splits: &[&str],
        progress: &dyn DownloadProgress,
    ) -> Result<Rows, DatasetError> {
        self.read_first(usize::MAX, choice, splits, progress)
    }

    /// The same, and no more than the first `most_rows` of a table have to be right: where there are more of them, others may be left
    /// out. What lies behind them in a parquet file is not read, and no image of it is kept.
    pub(crate) fn read_first(
        &self,
        most_rows: usize,
        choice: &TableChoice,
        splits: &[&str],
        progress: &dyn DownloadProgress,
    ) -> Result<Rows, DatasetError> {
        let wanted = Wanted { rule: ColumnRule::Library, choice, splits, most_rows };
        self.read_wanted(&wanted, progress)
    }

    fn read_wanted(
        &self,
        wanted: &Wanted<'_>,
        progress: &dyn DownloadProgress,
    ) -> Result<Rows, DatasetError> {
        let Wanted { rule, choice, splits, most_rows } = *wanted;
        match self {
            Self::Local(path) if choice.is_none() || !path.is_dir() => {
                match source::read(path, splits, rule, most_rows)? {
                    Rows::Splits(found) if found.is_empty() => in_folder(path, wanted),
                    rows => Ok(rows),
                }
            }
            Self::Local(path) => in_folder(path, wanted),
            Self::Files(files) => rows(files, wanted),
            Self::Loader(loader) => loader.read(progress),
            Self::Stepped(stepped) => {
                let wanted = Wanted { rule: stepped.columns, ..*wanted };
                stepped.read(most_rows, &|most_rows| {
                    stepped.location.read_wanted(&Wanted { most_rows, ..wanted }, progress)
                })
            }
            Self::Hub(name) => {
                rows(&hub::fetch(name, choice, &choice.wanted(splits), progress)?, wanted)
            }
        }
    }
}

/// Which rows are wanted, and how the columns of text are settled.
#[derive(Clone, Copy)]
struct Wanted<'w> {
    rule: ColumnRule,
    choice: &'w TableChoice,
    splits: &'w [&'w str],
    /// Of each table.
    most_rows: usize,
}

/// The rows of a folder that is laid out as on the hub.
fn in_folder(path: &Path, wanted: &Wanted<'_>) -> Result<Rows, DatasetError> {
    let Wanted { choice, splits, .. } = *wanted;
    let odd = |problem| DatasetError::Layout { place: path.display().to_string(), problem };
    let files = files_below(path);
    let card = hub::read_card(&path.join("README.md"));
    let layout = Layout::new(&files, card.as_deref()).map_err(odd)?;
    let found = layout.splits(choice, &choice.wanted(splits)).map_err(odd)?;
    let paths = |files: Vec<String>| files.iter().map(|file| path.join(file)).collect();
    let found = found.into_iter().map(|(split, files)| (split, paths(files))).collect();
    rows(&found, wanted)
}

/// The tables of splits, or the one that is wanted.
fn rows(
    splits: &IndexMap<String, Vec<PathBuf>>,
    wanted: &Wanted<'_>,
) -> Result<Rows, DatasetError> {
    let read_files =
        |files: &[PathBuf]| Ok(source::read_files(files, wanted.rule, wanted.most_rows)?.rows);
    if let Some(only) = &wanted.choice.split {
        let files = splits.get(only).ok_or_else(|| {
            let there: Vec<&str> = splits.keys().map(String::as_str).collect();
            let problem = format!("there is no such split, only {}", there.join(", "));
            DatasetError::Layout { place: format!("split='{only}'"), problem }
        })?;
        return read_files(files).map(Rows::Single);
    }
    let read = |(split, files): (&String, &Vec<PathBuf>)| Ok((split.clone(), read_files(files)?));
    splits.iter().map(read).collect::<Result<_, _>>().map(Rows::Splits)
}
