//! Where rows come from: a file, or a folder with a file per split.
//!
//! The ending decides the format; a format is one file of this module's siblings and one line of
//! [`FORMATS`]. What the kinds of text share is dealt with here: UTF-8 with or without a byte-order
//! mark, and compression by gzip.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use flate2::read::MultiGzDecoder;
use indexmap::IndexSet;
use serde_json::{Map, Value};

use super::{
    ColumnRule, DatasetError, RepeatedKeys, Rows, Sample, arrow, csv, json, jsonl, parquet,
    table::shaped,
};
use crate::regular_file;

/// A row as it was written, and what to call its place in the file.
pub(super) struct RawRow {
    /// `line 3`, `item 3`.
    pub(super) place: String,
    /// The columns.
    pub(super) columns: Map<String, Value>,
    /// Keys that stand twice in it.
    pub(super) repeated_keys: Vec<String>,
    /// Whether the `datasets` library has read it when it settles what columns there are.
    pub(super) is_in_first_block: bool,
}

impl RawRow {
    /// A row of which nothing is odd.
    pub(super) fn new(place: String, columns: Map<String, Value>) -> Self {
        Self { place, columns, repeated_keys: Vec::new(), is_in_first_block: true }
    }
}

/// The table of a file.
#[derive(Clone, Debug, Default)]
pub struct FileTable {
    /// Its rows.
    pub rows: Vec<Sample>,
    /// The columns that the first row, as the file has it, lacks.
    pub late_columns: Vec<String>,
}

/// A problem in a file, and the place in the file if there is one to name.
pub(super) struct Problem {
    /// As in [`RawRow::place`].
    pub(super) place: Option<String>,
    /// What was found and what to do about it.
    pub(super) what: String,
}

/// How a file becomes rows.
#[derive(Clone, Copy)]
pub(super) enum Format {
    /// Text whose values tell their types; gzip may be around it.
    Text(fn(&str) -> Result<Vec<RawRow>, Problem>),
    /// A file that knows its types.
    /// The second argument is the most rows that are wanted.
    Typed(fn(&Path, usize) -> Result<Vec<Sample>, Problem>),
}

/// The formats by the ending of a file.
pub(super) const FORMATS: &[(&str, Format)] = &[
    ("arrow", Format::Typed(arrow::read)),
    ("csv", Format::Text(csv::parse)),
    ("json", Format::Text(json::parse)),
    ("jsonl", Format::Text(jsonl::parse)),
    ("parquet", Format::Typed(parquet::read)),
    ("tsv", Format::Text(csv::parse_tabs)),
];

/// The ending of compressed text.
const GZIP: &str = ".gz";

/// The ending that tells the format of a file, and the format.
pub(super) fn format_of(path: &str) -> Option<(&'static str, Format)> {
    let path = path.to_ascii_lowercase();
    let (path, is_compressed) =
        path.strip_suffix(GZIP).map_or((&*path, false), |path| (path, true));
    let (_, ending) = path.rsplit_once('.')?;
    let (ending, format) = FORMATS.iter().find(|(name, _)| *name == ending)?;
    (!is_compressed || matches!(format, Format::Text(_))).then_some((*ending, *format))
}

/// Whether a file is of a kind that holds rows, as its ending says.
pub(crate) fn is_table(path: &Path) -> bool {
    format_of(&path.to_string_lossy()).is_some()
}

/// The rows of one file.
pub fn read_rows(path: &Path) -> Result<Vec<Sample>, DatasetError> {
    Ok(read_table(path, ColumnRule::Library)?.rows)
}

/// The table of one file.
pub(crate) fn read_table(path: &Path, rule: ColumnRule) -> Result<FileTable, DatasetError> {
    read_files(std::slice::from_ref(&path.to_owned()), rule, usize::MAX)
}

/// The rows of several files of one table, one file after the other; of a longer one the first `most_rows`. Texts are read whole all the
/// same, because all rows of theirs settle the columns and their types.
pub(super) fn read_files(
    paths: &[PathBuf],
    rule: ColumnRule,
    most_rows: usize,
) -> Result<FileTable, DatasetError> {
    let (mut raw_rows, mut rows) = (Vec::new(), Vec::new());
    for path in paths {
        let (_, format) = format_of(&path.to_string_lossy())
            .ok_or_else(|| DatasetError::UnknownFormat { path: path.to_owned() })?;
        let failed = |problem: Problem| problem.at(path);
        let before = raw_rows.len() + rows.len();
        if raw_rows.is_empty() && before >= most_rows && before > 0 {
            break;
        }
        match format {
            Format::Text(parse) => {
                let bytes = decompressed(path)?;
                let found = parse(text(&bytes).map_err(failed)?).map_err(failed)?;
                raw_rows.extend(found.into_iter().map(|row| (path, row)));
            }
            Format::Typed(read) => {
                rows.extend(read(path, most_rows.saturating_sub(before).max(1)).map_err(failed)?);
            }
        }
        if raw_rows.len() + rows.len() == before {
            return Err(DatasetError::Empty { path: path.to_owned() });
        }
        if !same_columns(&rows) || !(raw_rows.is_empty() || rows.is_empty()) {
            let what = "the files of one table have different columns".to_owned();
            return Err(Problem { place: None, what }.at(path));
        }
    }
    let Some((_, first)) = raw_rows.first() else {
        rows.truncate(most_rows);
        return Ok(FileTable { rows, late_columns: Vec::new() });
    };
    let names = match rule {
        ColumnRule::FirstRow => first.columns.keys().cloned().collect(),
        ColumnRule::Library => columns_of_block(&raw_rows)?,
    };
    let late_columns: Vec<String> =
        names.iter().filter(|name| !first.columns.contains_key(*name)).cloned().collect();
    let (written, rows): (Vec<_>, Vec<_>) = raw_rows
        .into_iter()
        .map(|(path, row)| ((path, row.place, row.repeated_keys), row.columns))
        .unzip();
    let place = |(path, place, _): &(&PathBuf, String, _)| format!("{}, {place}", path.display());
    let mut rows = shaped(rows, names, |index| written.get(index).map(place).unwrap_or_default())?;
    for (row, written) in rows.iter_mut().zip(&written).filter(|(_, (.., keys))| !keys.is_empty()) {
        let (place, keys) = (place(written), written.2.clone());
        *row = std::mem::take(row).repeating(Some(Arc::new(RepeatedKeys { place, keys })));
    }
    rows.truncate(most_rows);
    Ok(FileTable { rows, late_columns })
}

/// The columns of the first block of the first file, in the order in which they are met; an error if a later row has
/// another one.
fn columns_of_block(rows: &[(&PathBuf, RawRow)]) -> Result<Vec<String>, DatasetError> {
    let mut names: IndexSet<&str> = IndexSet::new();
    let first_path = rows.first().map(|(path, _)| *path);
    for (path, row) in rows {
        if row.is_in_first_block && first_path == Some(*path) {
            names.extend(row.columns.keys().map(String::as_str));
        } else if let Some(column) = row.columns.keys().find(|name| !names.contains(name.as_str()))
        {
            let place = format!("{}, {}", path.display(), row.place);
            return Err(DatasetError::LateColumn { place, column: column.clone() });
        }
    }
    Ok(names.into_iter().map(str::to_owned).collect())
}

/// Whether the first and the last row, which may be of different files, name the same columns.
fn same_columns(rows: &[Sample]) -> bool {
    let names = |row: Option<&Sample>| {
        row.map(|row| row.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>())
    };
    names(rows.first()) == names(rows.last())
}

/// The bytes of a file, out of gzip if they are in it.
fn decompressed(path: &Path) -> Result<Vec<u8>, DatasetError> {
    let bytes = regular_file::read_whole(path)
        .map_err(|source| DatasetError::Unreadable { path: path.to_owned(), source })?;
    if !path.to_string_lossy().to_ascii_lowercase().ends_with(GZIP) {
        return Ok(bytes);
    }
    let mut text = Vec::new();
    match MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => {
            let what = format!("this is not gzip, or it is damaged: {error}");
            Err(Problem { place: None, what }.at(path))
        }
    }
}

/// A file's table, or those of a folder's files that are named after the wanted splits; of each the first `most_rows`.
pub(super) fn read(
    path: &Path,
    splits: &[&str],
    rule: ColumnRule,
    most_rows: usize,
) -> Result<Rows, DatasetError> {
    let read_rows = |path: &Path| Ok(read_files(&[path.to_owned()], rule, most_rows)?.rows);
    if !path.is_dir() {
        return read_rows(path).map(Rows::Single);
    }
    let mut found = indexmap::IndexMap::new();
    for &split in splits {
        let files: Vec<String> = FORMATS
            .iter()
            .map(|(extension, _)| format!("{split}.{extension}"))
            .filter(|name| path.join(name).exists())
            .collect();
        match &files[..] {
            [] => {}
            [file] => {
                found.insert(split.to_owned(), read_rows(&path.join(file))?);
            }
            _ => {
                let (folder, split) = (path.to_owned(), split.to_owned());
                return Err(DatasetError::AmbiguousSplit { folder, split, files });
            }
        }
    }
    Ok(Rows::Splits(found))
}

impl Problem {
    /// The problem as the error of a file.
    fn at(self, path: &Path) -> DatasetError {
        let file = path.display();
        let place = self.place.map_or_else(|| file.to_string(), |place| format!("{file}, {place}"));
        DatasetError::Malformed { place, problem: self.what }
    }
}

/// The bytes as text, without a byte-order mark.
fn text(bytes: &[u8]) -> Result<&str, Problem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = before.split(|&byte| byte == b'\n').count();
        Problem {
            place: Some(format!("line {line}")),
            what: "this is not UTF-8; save the file as UTF-8".to_owned(),
        }
    })
}

/// What a JSON value is, in a word.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_has_a_file_per_split() {
        let files = [("train.jsonl", "\u{feff}{\"q\": 1}\n\n{\"q\": 2}\n"), ("test.csv", "q\n3\n")];
        let folder = folder(&files);
        let splits = ["train", "test", "validation"];
        let rows = read(folder.path(), &splits, ColumnRule::Library, usize::MAX).unwrap();
        let expected = serde_json::json!({"train": [{"q": 1}, {"q": 2}], "test": [{"q": "3"}]});
        assert_eq!(rows, Rows::from_json(&expected).unwrap());
    }

    #[test]
    fn one_split_in_two_formats_is_refused() {
        let folder = folder(&[("test.csv", "q\n1\n"), ("test.jsonl", "{\"q\": 1}\n")]);
        let error = read(folder.path(), &["test"], ColumnRule::Library, usize::MAX)
            .unwrap_err()
            .to_string();
        assert!(error.contains("(test.csv, test.jsonl)"), "{error}");
    }

    #[test]
    fn later_rows_may_have_more_columns_within_the_first_block() {
        let long = |rows: usize| {
            let row = format!("{{\"b\": 1, \"t\": \"{}\"}}\n", "x".repeat(1000));
            row.repeat(rows) + "{\"b\": 2, \"a\": 3}\n"
        };
        let folder = folder(&[
            ("short.jsonl", "{\"b\": 1}\n{\"a\": 2, \"b\": 3}\n{\"c\": 4}\n"),
            ("list.json", "[{\"b\": 1}, {\"a\": 2, \"b\": 3}, {\"c\": 4}]"),
            ("near.jsonl", &long(10_000)),
            ("far.jsonl", &long(12_000)),
        ]);
        let path = |name: &str| folder.path().join(name);
        let names = |rows: &[Sample]| {
            rows.last().unwrap().iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
        };
        for name in ["short.jsonl", "list.json"] {
            let table = read_table(&path(name), ColumnRule::Library).unwrap();
            assert_eq!(names(&table.rows), ["b", "a", "c"]);
            assert_eq!(table.rows[0].get("c"), Some(&Value::Null));
            assert_eq!(table.late_columns, ["a", "c"]);
            let table = read_table(&path(name), ColumnRule::FirstRow).unwrap();
            assert_eq!(names(&table.rows), ["b"]);
        }
        assert_eq!(names(&read_rows(&path("near.jsonl")).unwrap()), ["b", "t", "a"]);
        let error = read_rows(&path("far.jsonl")).unwrap_err().to_string();
        assert!(error.contains("far.jsonl, line 12001: the column `a` is new here"), "{error}");
        let two = [path("short.jsonl"), path("near.jsonl")];
        let error = read_files(&two, ColumnRule::Library, usize::MAX).unwrap_err().to_string();
        assert!(error.contains("near.jsonl, line 1: the column `t`"), "{error}");
    }

    #[test]
    fn a_row_knows_which_keys_it_lost() {
        let folder = folder(&[("a.jsonl", "{\"q\": 1}\n{\"q\": 2, \"q\": 3}\n")]);
        let rows = read_rows(&folder.path().join("a.jsonl")).unwrap();
        assert_eq!(rows[0].repeated_keys(), None);
        let told = rows[1].repeated_keys().unwrap();
        assert!(told.place.ends_with("a.jsonl, line 2") && told.keys == ["q"], "{told:?}");
        assert_eq!(rows[1].get("q"), Some(&Value::from(3)));
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let files = [
            ("a.jsonl", "{\"q\": 1}\n\n{\"q\": \"x\"}\n", "a.jsonl, line 3: column `q` holds text"),
            ("b.jsonl", "{\"q\": 1}\n[2]\n", "b.jsonl, line 2: expected one object per line"),
            ("c.csv", "q\n\n\n1,2\n", "c.csv, line 4: 2 cells"),
            ("d.json", "[{\"q\": 1},\n 2]", "d.json, item 2: expected an object"),
            ("e.jsonl", "\n", "e.jsonl: the data set is empty"),
            ("f.txt", "q", "f.txt: cannot tell the format"),
        ];
        for (name, text, expected) in files {
            let folder = folder(&[(name, text)]);
            let error = read_rows(&folder.path().join(name)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
