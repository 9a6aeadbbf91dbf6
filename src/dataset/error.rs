//! What can be wrong with a data set, said to the person who wrote it.

use std::{io, path::PathBuf};

use crate::{config::nearest, hub::HubError};

/// Why a data set could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The file system refused.
    #[error("cannot read the data set {}: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file's name does not say what it holds.
    #[error(
        "{}: cannot tell the format of this data set; name it .jsonl, .json, .csv, .tsv or .parquet, or give a folder that holds such files",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A loader's files are nowhere.
    #[error(
        "there is no {path}; looked in {looked_in}; put the data there, or set COMPASS_DATA_CACHE to the folder that holds it{remedy}"
    )]
    NoSuchPlace {
        /// What was looked for.
        path: String,
        /// Where, in words.
        looked_in: String,
        /// What else can be done, ready to end the sentence.
        remedy: String,
    },
    /// There is not a single row.
    #[error("{}: the data set is empty; expected at least one row", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The hub does not give the files.
    #[error("`{name}` is no file or folder here, so it was looked for on the hub: {source}")]
    Hub {
        /// As the user wrote it.
        name: String,
        /// Why.
        source: Box<HubError>,
    },
    /// The files of a repository or folder do not tell which are which split.
    #[error("{place}: {problem}")]
    Layout {
        /// The repository or folder.
        place: String,
        /// What is unclear and what to write.
        problem: String,
    },
    /// Something in the file is not what the format promises.
    #[error("{place}: {problem}")]
    Malformed {
        /// File and line, or file and item.
        place: String,
        /// What was found and what to do about it.
        problem: String,
    },
    /// A column changes its type.
    #[error(
        "{place}: column `{column}` holds {found} here but {seen} in earlier rows; a column has one type, so write every value of it the same way"
    )]
    MixedColumn {
        /// File and line, or item.
        place: String,
        /// The column.
        column: String,
        /// The kind of value found.
        found: String,
        /// The kind of value seen until then.
        seen: String,
    },
    /// A column that is met too late.
    #[error(
        "{place}: the column `{column}` is new here, after the first 10 MiB, where Hugging Face settles what columns there are; \
         write it in the first row too, as null if it has nothing to say there"
    )]
    LateColumn {
        /// File and line.
        place: String,
        /// The column.
        column: String,
    },
    /// A split that the reader wants is not there.
    #[error(
        "reader_cfg: {field} asks for the split `{split}`, but the data set has {}; set {field} to one of them{}",
        list(available),
        suggestion(split, available)
    )]
    MissingSplit {
        /// `train_split` or `test_split`.
        field: &'static str,
        /// The split's name.
        split: String,
        /// The splits that exist.
        available: Vec<String>,
    },
    /// One split lies in a folder in two formats.
    #[error(
        "{}: the split `{split}` is there more than once ({}); keep one of these files",
        folder.display(),
        files.join(", ")
    )]
    AmbiguousSplit {
        /// The folder.
        folder: PathBuf,
        /// The split's name.
        split: String,
        /// The names of its files.
        files: Vec<String>,
    },
    /// A column that the reader wants is not there.
    #[error(
        "reader_cfg: {field} names the column `{column}`, but the rows of split `{split}` have {}{}{}",
        list(available),
        suggestion(column, available),
        separated_otherwise(available)
    )]
    MissingColumn {
        /// `input_columns` or `output_column`.
        field: &'static str,
        /// The column's name.
        column: String,
        /// The split whose rows lack it.
        split: String,
        /// The columns that exist.
        available: Vec<String>,
    },
    /// A range that picks no list of rows.
    #[error("reader_cfg: {field}: {problem}")]
    Range {
        /// `train_range` or `test_range`.
        field: &'static str,
        /// What is wrong with it and what to write instead.
        problem: String,
    },
}

/// Names in prose, or a word for their absence.
fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A word on columns whose names look like several.
fn separated_otherwise(available: &[String]) -> &'static str {
    if available.iter().any(|name| name.contains([';', '\t'])) {
        "; a header is separated by commas, semicolons or tabs throughout, or the file is named .tsv"
    } else {
        ""
    }
}

/// A guess at what was meant, ready to end a sentence.
fn suggestion(name: &str, available: &[String]) -> String {
    nearest(name, available.iter().map(String::as_str))
        .map(|near| format!("; did you mean `{near}`?"))
        .unwrap_or_default()
}
