//! What the entry of a data set says to its loader.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    file::malformed,
    place::{NotFound, find},
    row::{Fields, Flaw, Made, Row},
};
use crate::{
    dataset::{DatasetError, DatasetLocation, HubTable, Rows, Sample, TableChoice, hub},
    hub::DownloadProgress,
    python::is_truthy,
};

/// The fields of an entry that its loader reads, and what it finds files with.
pub(super) struct Arguments<'a> {
    pub(super) fields: &'a Row,
    pub(super) config: &'a Path,
    pub(super) abbr: &'a str,
    pub(super) progress: &'a dyn DownloadProgress,
    /// Whether names of data sets stand for places.
    pub(super) is_named: bool,
    /// Where tables on the hub are written down instead of being read, if that is what is wanted.
    pub(super) wanted: Option<&'a RefCell<Vec<HubTable>>>,
}

impl Arguments<'_> {
    /// A text that must be there.
    pub(super) fn text(&self, name: &str) -> Result<&str, DatasetError> {
        self.asked(self.fields.text(name))
    }

    /// A whole number, or else the default.
    pub(super) fn whole(&self, name: &str, default: i64) -> Result<i64, DatasetError> {
        if self.is_given(name) { self.asked(self.fields.whole(name)) } else { Ok(default) }
    }

    /// A text, or else the default.
    pub(super) fn text_or<'b>(
        &'b self,
        name: &str,
        default: &'b str,
    ) -> Result<&'b str, DatasetError> {
        if self.is_given(name) { self.text(name) } else { Ok(default) }
    }

    /// A text that must be one of those known.
    pub(super) fn one_of(&self, name: &str, known: &[&str]) -> Result<&str, DatasetError> {
        let text = self.text(name)?;
        if known.contains(&text) { Ok(text) } else { self.asked(unknown(name, text, known)) }
    }

    /// Whether a field is true, or else the default.
    pub(super) fn flag(&self, name: &str, default: bool) -> bool {
        self.fields.get(name).map_or(default, is_truthy)
    }

    /// The texts of a list, or else the default.
    pub(super) fn texts(
        &self,
        name: &str,
        default: &[&'static str],
    ) -> Result<Vec<String>, DatasetError> {
        if !self.is_given(name) {
            return Ok(default.iter().map(|text| (*text).to_owned()).collect());
        }
        let texts = self.asked(self.fields.texts(name))?;
        Ok(texts.into_iter().map(str::to_owned).collect())
    }

    /// Whether a field says something.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(|value| !value.is_null())
    }

    /// A flaw of the entry as an error.
    pub(super) fn asked<T>(&self, made: Made<T>) -> Result<T, DatasetError> {
        made.map_err(|flaw| malformed(&format!("data set {}", self.abbr), flaw))
    }

    /// The pattern with the fields filled in, `{path}` as the place found for it.
    pub(super) fn file(&self, pattern: &str) -> Result<PathBuf, DatasetError> {
        let mut filled = String::new();
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            filled.push_str(before);
            match name {
                "path" => filled.push_str(&self.path("path")?.to_string_lossy()),
                name => filled.push_str(self.text(name)?),
            }
            rest = after;
        }
        filled.push_str(rest);
        Ok(PathBuf::from(filled))
    }

    /// The place of the path in a field.
    pub(super) fn path(&self, field: &str) -> Result<PathBuf, DatasetError> {
        self.place(self.text(field)?)
    }

    /// The place that a path or the name of a data set means.
    pub(super) fn place(&self, written: &str) -> Result<PathBuf, DatasetError> {
        find(written, self.is_named, self.config).map_err(no_such_place)
    }

    /// The rows of one file of a repository, or of a folder that is laid out like one.
    pub(super) fn files_of_repository(
        &self,
        split: &str,
        file: &str,
    ) -> Result<Vec<Sample>, DatasetError> {
        let files = vec![(split.to_owned(), vec![file.to_owned()])];
        let choice = TableChoice { data_files: files, ..TableChoice::default() };
        let found = self.chosen(self.text("path")?, &choice, &[split])?;
        let rows = found.into_iter().find(|(own, _)| own == split).map(|(_, rows)| rows);
        self.asked(rows.ok_or_else(|| {
            Flaw(format!(
                "there is no file {file} in {}",
                self.fields.text("path").unwrap_or_default()
            ))
        }))
    }

    /// The rows of splits of a repository, or of a folder that is laid out like one.
    pub(super) fn repository(
        &self,
        name: Option<&str>,
        splits: &[&str],
    ) -> Result<Vec<(String, Vec<Sample>)>, DatasetError> {
        let choice = TableChoice { name: name.map(str::to_owned), ..TableChoice::default() };
        self.chosen(self.text("path")?, &choice, splits)
    }

    /// The rows of splits of a repository that a class always reads.
    pub(super) fn repository_at(
        &self,
        written: &str,
        splits: &[&str],
    ) -> Result<Vec<(String, Vec<Sample>)>, DatasetError> {
        self.chosen(written, &TableChoice::default(), splits)
    }

    /// Where files of a repository lie, or of a folder, by their paths there or by their names alone. Nothing where
    /// files on the hub are only written down.
    pub(super) fn whole_files<const N: usize>(
        &self,
        files: [&str; N],
    ) -> Result<Option<[PathBuf; N]>, DatasetError> {
        let written = self.text("path")?;
        let missing = match find(written, self.is_named, self.config) {
            Ok(folder) => {
                let places = files.map(|file| {
                    let named = Path::new(file).file_name().unwrap_or_default();
                    let places = [folder.join(file), folder.join(named)];
                    places.into_iter().find(|place| place.is_file())
                });
                if let Some((file, _)) =
                    files.iter().zip(&places).find(|(_, place)| place.is_none())
                {
                    let what = format!("there is no file {file} in {}", folder.display());
                    return self.asked(Flaw::new(what));
                }
                return Ok(Some(places.map(Option::unwrap_or_default)));
            }
            Err(missing) => missing,
        };
        let Some(DatasetLocation::Hub(name)) = DatasetLocation::on_hub(written) else {
            return Err(no_such_place(missing));
        };
        if let Some(wanted) = self.wanted {
            wanted.borrow_mut().push(HubTable::of_files(&name, &files));
            return Ok(None);
        }
        Ok(hub::fetch_files(&name, &files, self.progress)?.try_into().ok())
    }

    fn chosen(
        &self,
        written: &str,
        choice: &TableChoice,
        splits: &[&str],
    ) -> Result<Vec<(String, Vec<Sample>)>, DatasetError> {
        let location = match find(written, self.is_named, self.config) {
            Ok(place) => DatasetLocation::Local(place),
            Err(missing) => {
                DatasetLocation::on_hub(written).ok_or_else(|| no_such_place(missing))?
            }
        };
        if let (Some(wanted), DatasetLocation::Hub(name)) = (self.wanted, &location) {
            wanted.borrow_mut().push(HubTable::new(name, choice, splits));
            return Ok(splits.iter().map(|split| ((*split).to_owned(), Vec::new())).collect());
        }
        match location.read(choice, splits, self.progress)? {
            Rows::Single(rows) => {
                Ok(vec![(splits.first().copied().unwrap_or_default().to_owned(), rows)])
            }
            Rows::Splits(found) => Ok(found.into_iter().collect()),
        }
    }
}

fn no_such_place(missing: NotFound) -> DatasetError {
    let NotFound { path, looked_in, remedy } = missing;
    DatasetError::NoSuchPlace { path, looked_in, remedy }
}

/// A row of a table, as a loader works on it.
pub(super) fn value_of(sample: &Sample) -> Value {
    Value::Object(sample.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect())
}

/// The flaw of a value that is none of those known.
pub(super) fn unknown<T>(name: &str, value: &str, known: &[&str]) -> Made<T> {
    Flaw::new(format!("{name}='{value}' is none of {}", known.join(", ")))
}
