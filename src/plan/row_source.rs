//! Where the rows of an entry come from: a class of data sets that its `type` names, or the file, folder or
//! repository of its `path`, read as it is.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{
    Variant,
    unread_fields::{Place, settle},
};
use crate::{
    config::{ConfigError, Node, from_node, locate, looked_in, note_of_other, shipped_place},
    dataset::{
        ClassForm, DataPlace, DatasetLocation, Loader, TableChoice, class_of, find_data,
        named_place, remedy,
    },
};

/// The class that makes numbers of cells in a CSV where it can, which are text here.
const TYPED_CSV: &str = "HFDataset";

/// Where rows come from.
pub(super) struct RowSource {
    pub(super) abbr: String,
    pub(super) location: DatasetLocation,
    pub(super) table: TableChoice,
    pub(super) notes: Vec<String>,
}

/// The fields that say where rows are, where no class has fields of its own.
#[derive(Deserialize)]
struct PlaceFields {
    abbr: Option<String>,
    path: Option<String>,
    file_name: Option<String>,
    name: Option<String>,
    data_dir: Option<String>,
    data_files: Option<Node>,
    split: Option<String>,
    revision: Option<String>,
}

/// The names of those fields.
const PLACE_FIELDS: &[&str] =
    &["abbr", "path", "file_name", "name", "data_dir", "data_files", "split", "revision"];

impl RowSource {
    /// Takes the fields that say it out of an entry; `config` is the file it stands in.
    pub(super) fn from_entry(entry: &mut Node, config: &Path) -> Result<Self, ConfigError> {
        let class = class_of(entry)?;
        let named = entry.remove("type");
        if let Some(class) = class.filter(|class| !class.reads_as_library()) {
            return Self::of_class(class, entry, config);
        }
        let rows_name = rows_name(entry);
        let notes = settle(Place::Dataset, entry)?;
        let mut source = Self::of_place(entry, config, class, notes)?;
        let is_typed_csv = named.as_ref().and_then(Node::as_str);
        if is_typed_csv.is_some_and(|name| name.rsplit('.').next() == Some(TYPED_CSV)) {
            let files = source.table.data_files.iter().flat_map(|(_, files)| files);
            let is_csv = |file: &str| file.ends_with("csv");
            let path = entry.get("path").and_then(Node::as_str);
            if files.map(String::as_str).chain(path).any(is_csv) {
                source.notes.push(format!(
                    "{TYPED_CSV} makes numbers of cells in a CSV where it can; here 007 stays 007"
                ));
            }
        }
        for field in PLACE_FIELDS {
            entry.remove(field);
        }
        if let Some(class) = class {
            source.location = source.location.stepped(class, entry, rows_name.as_deref())?;
        }
        Ok(source)
    }

    /// A class that knows its files.
    fn of_class(
        class: &'static ClassForm,
        entry: &mut Node,
        config: &Path,
    ) -> Result<Self, ConfigError> {
        let text = |field: &str| entry.get(field).and_then(Node::as_str);
        let abbr = match text("abbr") {
            Some(abbr) => abbr.to_owned(),
            None => default_abbr(text("path").unwrap_or_default(), text("name")),
        };
        let (loader, mut notes) = Loader::new(class, entry, rows_name(entry).as_deref(), config)?;
        entry.remove("abbr");
        notes.extend(settle(Place::Dataset, entry)?);
        let location = DatasetLocation::Loader(Box::new(loader));
        Ok(Self { abbr, location, table: TableChoice::default(), notes })
    }

    /// The places of a class that reads as the library does, if an archive has one that is missing. The library's own
    /// class takes names such as `opencompass/gsm8k` for repositories.
    pub(super) fn in_archives(entry: &Node, config: &Path) -> Result<Vec<DataPlace>, ConfigError> {
        let class = class_of(entry)?;
        if !class.is_some_and(ClassForm::reads_as_library) {
            return Ok(Vec::new());
        }
        let text = |field: &str| entry.get(field).and_then(Node::as_str);
        let path = text("path").unwrap_or_default();
        let is_library =
            text("type").is_some_and(|name| name.rsplit('.').next() == Some(TYPED_CSV));
        if is_library && named_place(path).is_some() {
            return Ok(Vec::new());
        }
        let data_files = entry.get("data_files").map(Node::to_json).filter(|it| !it.is_null());
        let table = TableChoice::new(None, None, data_files.as_ref(), None);
        let files = table.map(|table| table.data_files).unwrap_or_default();
        let written: Vec<String> = if DatasetLocation::is_format(path) {
            files.into_iter().flat_map(|(_, files)| files).collect()
        } else if let Some(file) = text("file_name") {
            let place = named_place(path).unwrap_or(path);
            vec![format!("{}/{file}", place.trim_end_matches('/'))]
        } else {
            vec![path.to_owned()]
        };
        let place = |written: &String| {
            DataPlace::new(written, true, config)
                .map_err(|problem| ConfigError::at(&entry.origin, problem))
        };
        let places: Vec<DataPlace> = written.iter().map(place).collect::<Result<_, _>>()?;
        Ok(if places.iter().any(DataPlace::can_come) { places } else { Vec::new() })
    }

    /// The place that `path` and its kin name.
    pub(super) fn of_place(
        entry: &Node,
        config: &Path,
        class: Option<&'static ClassForm>,
        mut notes: Vec<String>,
    ) -> Result<Self, ConfigError> {
        let fields = PLACE_FIELDS.iter().filter_map(|name| Some((*name, entry.get(name)?.clone())));
        let mut own = Node::from_json(&serde_json::json!({}));
        fields.for_each(|(name, value)| own.set(name, value));
        let place: PlaceFields = from_node(&own)?;
        let Some(mut written) = place.path.filter(|path| !path.is_empty()) else {
            return Err(ConfigError::at(&entry.origin, "the data set has no path")
                .with_hint(
                    "give path='….jsonl' (or .json, .csv, .tsv, .parquet, a folder with train and test files, or org/name on the hub)",
                ));
        };
        let abbr = place.abbr.unwrap_or_else(|| default_abbr(&written, place.name.as_deref()));
        let data_files =
            place.data_files.as_ref().map(Node::to_json).filter(|files| !files.is_null());
        let table = TableChoice::new(place.name, place.data_dir, data_files.as_ref(), place.split)
            .map_err(|what| ConfigError::at(&entry.origin, format!("data set {abbr}: {what}")))?;
        if let Some(file_name) = &place.file_name {
            // As `CustomDataset` does.
            let written_place = class.and_then(|_| named_place(&written)).unwrap_or(&written);
            written = format!("{}/{file_name}", written_place.trim_end_matches('/'));
        }
        let find = |path: &str| match class {
            Some(_) => find_data(path, config),
            None => locate(Path::new(path), config),
        };
        let shipped = if find(&written).is_some() { Ok(None) } else { shipped_place(&written) };
        let shipped = shipped.map_err(|why| ConfigError::at(&entry.origin, why))?;
        let location = if let Some((place, note)) = shipped {
            notes.push(note);
            DatasetLocation::Local(place)
        } else {
            located(&written, place.revision.as_deref(), &table, find).map_err(
                |(field, missing)| {
                    let what = format!("data set {abbr}: there is no file or folder {missing:?}");
                    let remedy = class.map_or_else(String::new, |_| remedy(&missing, config));
                    ConfigError::at(entry.get(field).map_or(&entry.origin, |at| &at.origin), what)
                        .under(field)
                        .with_hint(format!("looked in {}{remedy}", looked_in(config)))
                },
            )?
        };
        notes.extend(note_of_other(&written, config));
        if let Some((field, why)) = idle_choice(&location, entry) {
            let at = entry.get(field).map_or(&entry.origin, |at| &at.origin);
            return Err(ConfigError::at(at, why).under(field).with_hint("leave it out"));
        }
        Ok(Self { abbr, location, table, notes })
    }
}

/// A file or folder that is here, the files that `data_files` names, or else a repository that may be on
/// the hub. If it is none of them, the field that names what is not there.
fn located(
    written: &str,
    revision: Option<&str>,
    table: &TableChoice,
    find: impl Fn(&str) -> Option<PathBuf>,
) -> Result<DatasetLocation, (&'static str, String)> {
    if let Some(path) = find(written) {
        return Ok(DatasetLocation::Local(path));
    }
    if DatasetLocation::is_format(written) && !table.data_files.is_empty() {
        let place = |file: &String| find(file).ok_or_else(|| ("data_files", file.clone()));
        let places = |(split, files): &(String, Vec<String>)| {
            Ok((split.clone(), files.iter().map(place).collect::<Result<_, _>>()?))
        };
        return table
            .data_files
            .iter()
            .map(places)
            .collect::<Result<_, _>>()
            .map(DatasetLocation::Files);
    }
    let revision = revision.filter(|_| !written.contains('@'));
    let name =
        revision.map_or_else(|| written.to_owned(), |revision| format!("{written}@{revision}"));
    DatasetLocation::on_hub(&name).ok_or_else(|| ("path", written.to_owned()))
}

/// A field that chooses among the files of a place where there is nothing to choose, and why.
fn idle_choice(location: &DatasetLocation, entry: &Node) -> Option<(&'static str, &'static str)> {
    let is_given = |field: &&str| entry.get(field).is_some_and(|value| !value.is_none());
    let given = |fields: &[&'static str]| fields.iter().copied().find(is_given);
    match location {
        DatasetLocation::Hub(_) | DatasetLocation::Loader(_) | DatasetLocation::Stepped(_) => None,
        DatasetLocation::Local(_) if location.is_one_file() => {
            let field = given(&["data_dir", "data_files", "name", "split", "revision"])?;
            Some((field, "it chooses among several files, but path is one file"))
        }
        DatasetLocation::Local(_) => {
            Some((given(&["revision"])?, "it chooses a revision on the hub, but path is a folder"))
        }
        DatasetLocation::Files(_) => Some((
            given(&["data_dir", "revision"])?,
            "it belongs to a folder or a repository, but data_files names the files",
        )),
    }
}

/// What rows call the data set of an entry: its name, which is that of all its variants.
fn rows_name(entry: &Node) -> Option<String> {
    entry.get("abbr").and_then(Node::as_str).map(|abbr| Variant::of_abbr(abbr).dataset)
}

/// OpenCompass's name for a data set without `abbr`.
pub(super) fn default_abbr(path: &str, name: Option<&str>) -> String {
    let whole = name.map_or_else(|| path.to_owned(), |name| format!("{path}_{name}"));
    whole.replace('/', "_")
}
