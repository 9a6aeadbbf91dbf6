//! The files of a loader, read as Python reads them: UTF-8 (a byte-order mark is a letter of the text, unless
//! it is asked away), `\r\n` and `\r` ending lines as `\n` does, a blank line being a line.

use std::path::Path;

use serde_json::Value;

use super::{
    cells::cells,
    row::{Fields, Flaw, Made, strip},
};
use crate::{dataset::DatasetError, regular_file};

/// What is made of bytes that are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// They are an error.
    Strict,
    /// They are left out.
    Ignoring,
}

/// A value of a file, and its place there.
#[derive(Debug)]
pub(super) struct Item {
    place: String,
    pub(super) value: Value,
}

impl Item {
    /// What comes of the value; a flaw is told with its place.
    pub(super) fn make<T>(&self, make: impl FnOnce(&Value) -> Made<T>) -> Result<T, DatasetError> {
        make(&self.value).map_err(|flaw| malformed(&self.place, flaw))
    }
}

/// A flaw at a place.
pub(super) fn malformed(place: &str, flaw: Flaw) -> DatasetError {
    DatasetError::Malformed { place: place.to_owned(), problem: flaw.0 }
}

/// A file's text, its lines ending in `\n`.
pub(super) fn text(path: &Path, encoding: Encoding) -> Result<String, DatasetError> {
    let text = text_as_written(path, encoding)?;
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}

/// A file's text, its lines ending as they do.
pub(super) fn text_as_written(path: &Path, encoding: Encoding) -> Result<String, DatasetError> {
    let bytes = regular_file::read_whole(path)
        .map_err(|source| DatasetError::Unreadable { path: path.to_owned(), source })?;
    Ok(match encoding {
        Encoding::Strict => String::from_utf8(bytes).map_err(|error| {
            let before =
                error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let line = before.split(|&byte| byte == b'\n').count();
            let place = format!("{}, line {line}", path.display());
            malformed(&place, Flaw("this is not UTF-8; save the file as UTF-8".to_owned()))
        })?,
        Encoding::Ignoring => bytes.utf8_chunks().map(|chunk| chunk.valid()).collect(),
    })
}

/// The lines of a text, without their ends.
pub(super) fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    text.strip_suffix('\n').unwrap_or(text).split('\n').filter(move |_| !text.is_empty())
}

/// One JSON value on each line; a blank line is an error.
pub(super) fn json_lines(path: &Path, encoding: Encoding) -> Result<Vec<Item>, DatasetError> {
    let text = text(path, encoding)?;
    split_lines(&text)
        .enumerate()
        .map(|(index, line)| {
            let place = format!("{}, line {}", path.display(), index + 1);
            match serde_json::from_str(line) {
                Ok(value) => Ok(Item { place, value }),
                Err(_) if line.trim().is_empty() => {
                    Err(malformed(&place, Flaw("this line is blank; delete it".to_owned())))
                }
                Err(error) => {
                    Err(malformed(&place, Flaw(format!("this line is not JSON: {error}"))))
                }
            }
        })
        .collect()
}

/// One JSON value on each line that is not blank.
pub(super) fn json_lines_with_gaps(path: &Path) -> Result<Vec<Item>, DatasetError> {
    let lines = text_lines(path)?.into_iter();
    let lines =
        lines.filter(|line| line.value.as_str().is_some_and(|line| !strip(line).is_empty()));
    lines
        .map(|line| {
            let value = line.make(|text| {
                serde_json::from_str(strip(text.as_str().unwrap_or_default()))
                    .map_err(|error| Flaw(format!("this line is not JSON: {error}")))
            })?;
            Ok(Item { value, ..line })
        })
        .collect()
}

/// One JSON value on each line that is not blank, with the line's number from 0. A byte-order mark is no letter of the
/// text.
pub(super) fn json_lines_after_mark(path: &Path) -> Result<Vec<(usize, Item)>, DatasetError> {
    let text = text(path, Encoding::Strict)?;
    let lines = split_lines(text.strip_prefix('\u{feff}').unwrap_or(&text)).enumerate();
    let item = |(index, line): (usize, &str)| {
        let place = format!("{}, line {}", path.display(), index + 1);
        match serde_json::from_str(line) {
            Ok(value) => Ok((index, Item { place, value })),
            Err(error) => Err(malformed(&place, Flaw(format!("this line is not JSON: {error}")))),
        }
    };
    lines.filter(|(_, line)| !strip(line).is_empty()).map(item).collect()
}

/// A file that is one JSON value.
pub(super) fn document(path: &Path) -> Result<Item, DatasetError> {
    let text = text(path, Encoding::Strict)?;
    let place = path.display().to_string();
    match serde_json::from_str(&text) {
        Ok(value) => Ok(Item { place, value }),
        Err(error) => Err(malformed(&place, Flaw(format!("this is not JSON: {error}")))),
    }
}

/// The items of a document that is a list.
pub(super) fn items(path: &Path) -> Result<Vec<Item>, DatasetError> {
    listed(document(path)?)
}

/// The items of the list under a key of a document.
pub(super) fn items_at(path: &Path, key: &str) -> Result<Vec<Item>, DatasetError> {
    let document = document(path)?;
    let value = document.make(|value| value.at(key).cloned())?;
    listed(Item { value, ..document })
}

/// The items of a document that is a list.
pub(super) fn listed(document: Item) -> Result<Vec<Item>, DatasetError> {
    match document.value {
        Value::Array(values) => {
            let item = |(index, value)| Item {
                place: format!("{}, item {}", document.place, index + 1),
                value,
            };
            Ok(values.into_iter().enumerate().map(item).collect())
        }
        _ => Err(malformed(&document.place, Flaw("expected a list".to_owned()))),
    }
}

/// JSON as the `datasets` library reads it: a list of objects, or objects one after the other.
pub(super) fn json_rows(path: &Path) -> Result<Vec<Item>, DatasetError> {
    let text = text(path, Encoding::Strict)?;
    if text.trim_start().starts_with('[') {
        return items(path);
    }
    let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>().enumerate();
    let item = |(index, value): (usize, Result<Value, serde_json::Error>)| {
        let place = format!("{}, object {}", path.display(), index + 1);
        match value {
            Ok(value) => Ok(Item { place, value }),
            Err(error) => Err(malformed(&place, Flaw(format!("this is not JSON: {error}")))),
        }
    };
    let mut rows = values.map(item).collect::<Result<Vec<_>, _>>()?;
    fill_columns(&mut rows);
    Ok(rows)
}

/// Gives the first object every column that a later one has, as the library does.
fn fill_columns(rows: &mut [Item]) {
    let mut names: Vec<String> = Vec::new();
    for entries in rows.iter().filter_map(|row| row.value.as_object()) {
        let new: Vec<&String> = entries.keys().filter(|name| !names.contains(name)).collect();
        names.extend(new.into_iter().cloned().collect::<Vec<_>>());
    }
    if let Some(first) = rows.first_mut().and_then(|row| row.value.as_object_mut()) {
        for name in names {
            first.entry(name).or_insert(Value::Null);
        }
    }
}

/// The cells of each line, as Python's `csv.reader` gives them, each row a list of texts.
pub(super) fn cell_rows(path: &Path, delimiter: char) -> Result<Vec<Item>, DatasetError> {
    let text = text(path, Encoding::Strict)?;
    let item = |(line, cells): (usize, Vec<String>)| Item {
        place: format!("{}, line {line}", path.display()),
        value: cells.into(),
    };
    Ok(cells(&text, delimiter).into_iter().map(item).collect())
}

/// Each line as a text.
pub(super) fn text_lines(path: &Path) -> Result<Vec<Item>, DatasetError> {
    let text = text(path, Encoding::Strict)?;
    let item = |(index, line): (usize, &str)| Item {
        place: format!("{}, line {}", path.display(), index + 1),
        value: line.into(),
    };
    Ok(split_lines(&text).enumerate().map(item).collect())
}

/// A table as pandas reads a CSV, numbers where a column holds nothing else.
pub(super) fn typed_csv(path: &Path) -> Result<Vec<Item>, DatasetError> {
    let text = text(path, Encoding::Strict)?;
    let mut rows = cells(text.strip_prefix('\u{feff}').unwrap_or(&text), ',')
        .into_iter()
        .filter(|(_, cells)| !cells.is_empty());
    let Some((_, header)) = rows.next() else { return Ok(Vec::new()) };
    let rows: Vec<(usize, Vec<String>)> = rows.collect();
    let columns = super::typed_columns::typed(&header, &rows)
        .map_err(|(line, flaw)| malformed(&format!("{}, line {line}", path.display()), flaw))?;
    let item = |((line, _), value): (&(usize, Vec<String>), Value)| Item {
        place: format!("{}, line {line}", path.display()),
        value,
    };
    Ok(rows.iter().zip(columns).map(item).collect())
}
