//! What a class of data sets is: fields, files, format and steps, or a function.

use std::{borrow::Cow, fmt};

use super::{
    arguments::Arguments,
    file::{
        Encoding, Item, cell_rows, items, items_at, json_lines, json_lines_with_gaps, json_rows,
        malformed, typed_csv,
    },
    row::{Flaw, Made, Row},
    step::{Step, stepped},
    turning::{TurnForm, Turning, own_columns},
};
use crate::dataset::{ColumnRule, DatasetError, Rows, Sample, table::rows_from_json};

/// The rows of a class before they are a table.
pub(super) enum Tables {
    /// One table.
    Single(Vec<Row>),
    /// Named ones.
    Splits(Vec<(Cow<'static, str>, Vec<Row>)>),
    /// Tables already.
    Finished(Rows),
}

/// How a class comes to its rows.
#[derive(Clone, Copy)]
pub(super) enum Reading {
    /// A file for each split, the rows going through steps; one table where the split has no name.
    Files { files: &'static [(&'static str, &'static str)], format: Format, steps: &'static [Step] },
    /// As `datasets.load_dataset` reads them, the rows then going through steps.
    Library(&'static [Step]),
    /// In its own way.
    Own(fn(&Arguments<'_>) -> Result<Tables, DatasetError>),
}

/// What a file is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    /// A JSON value on each line.
    Lines,
    /// A JSON value on each line, blank lines left out.
    LinesWithGaps,
    /// One list of JSON objects.
    List,
    /// The list under a key of a JSON object.
    ListAt(&'static str),
    /// Objects as `datasets.load_dataset('json')` reads them.
    LibraryJson,
    /// A CSV as pandas reads it.
    TypedCsv,
    /// Cells in this order, in so many columns, under a header or not.
    Cells { names: &'static [&'static str], columns: usize, header: bool },
}

/// A class of data sets.
#[derive(Clone, Copy)]
pub struct ClassForm {
    /// The fields it reads: those that end in `?` may be left out, and `*` stands for others that it passes over.
    pub(super) fields: &'static [&'static str],
    /// Whether names such as `opencompass/mmlu` stand for places.
    pub(super) is_named: bool,
    /// The files of OpenCompass's package that its prompts are read in.
    pub(super) texts: &'static [&'static str],
    /// Files that it reads in the folder of its `path`, which is a file.
    pub(super) beside: &'static [&'static str],
    pub(super) reading: Reading,
    /// Which rows name the columns, where it reads as the library does.
    pub(super) columns: ColumnRule,
    /// How its rows are turned, if they are.
    pub(super) turns: Option<TurnForm>,
    /// What is to be said of its rows wherever they are used.
    pub(super) note: Option<&'static str>,
}

impl fmt::Debug for ClassForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClassForm").field("fields", &self.fields).finish_non_exhaustive()
    }
}

impl ClassForm {
    /// Whether its rows come from where those without a class come from.
    pub(crate) fn reads_as_library(&self) -> bool {
        matches!(self.reading, Reading::Library(_))
    }
}

/// A class that reads one table of a file, found by its name.
pub(super) const fn one(format: Format, steps: &'static [Step]) -> ClassForm {
    files(&["path"], &[("", "{path}")], format, steps)
}

/// A class that reads files, found by the name of the data set.
pub(super) const fn files(
    fields: &'static [&'static str],
    files: &'static [(&'static str, &'static str)],
    format: Format,
    steps: &'static [Step],
) -> ClassForm {
    ClassForm {
        fields,
        is_named: true,
        texts: &[],
        beside: &[],
        reading: Reading::Files { files, format, steps },
        columns: ColumnRule::Library,
        turns: None,
        note: None,
    }
}

/// A class that reads as the library does.
pub(super) const fn library(steps: &'static [Step]) -> ClassForm {
    ClassForm {
        fields: &[],
        is_named: false,
        texts: &[],
        beside: &[],
        reading: Reading::Library(steps),
        columns: ColumnRule::Library,
        turns: None,
        note: None,
    }
}

/// A class that reads in its own way, files being found by the name of the data set.
pub(super) const fn own(
    fields: &'static [&'static str],
    read: fn(&Arguments<'_>) -> Result<Tables, DatasetError>,
) -> ClassForm {
    ClassForm {
        fields,
        is_named: true,
        texts: &[],
        beside: &[],
        reading: Reading::Own(read),
        columns: ColumnRule::Library,
        turns: None,
        note: None,
    }
}

impl ClassForm {
    /// The same class, its questions asked with their options turned.
    pub(super) const fn turned(self, turns: TurnForm) -> Self {
        Self { turns: Some(turns), ..self }
    }

    /// The same class, which makes a table of what it read by `Dataset.from_list`.
    pub(super) const fn of_first_row(self) -> Self {
        Self { columns: ColumnRule::FirstRow, ..self }
    }

    /// The same class, which takes a path as it stands.
    pub(super) const fn unnamed(self) -> Self {
        Self { is_named: false, ..self }
    }

    /// The same class, of whose rows something is to be said.
    pub(super) const fn with_note(self, note: &'static str) -> Self {
        Self { note: Some(note), ..self }
    }

    /// The same class, which reads files beside the one that is its path.
    pub(super) const fn with_files(self, beside: &'static [&'static str]) -> Self {
        Self { beside, ..self }
    }

    /// The same class, whose prompts stand in files of OpenCompass's package.
    pub(super) const fn with_texts(self, texts: &'static [&'static str]) -> Self {
        Self { texts, ..self }
    }
}

/// The rows of a class that does not read as the library does.
pub(super) fn tables(class: &ClassForm, arguments: &Arguments<'_>) -> Result<Tables, DatasetError> {
    match class.reading {
        Reading::Own(read) => read(arguments),
        Reading::Library(_) => Ok(Tables::Splits(Vec::new())),
        Reading::Files { files, format, steps } => {
            let table = |pattern: &str| rows_of(arguments, pattern, format, steps);
            match files {
                [("", pattern)] => table(pattern).map(Tables::Single),
                files => files
                    .iter()
                    .map(|(split, pattern)| Ok((Cow::from(*split), table(pattern)?)))
                    .collect::<Result<_, _>>()
                    .map(Tables::Splits),
            }
        }
    }
}

/// The rows of one file after all steps.
fn rows_of(
    arguments: &Arguments<'_>,
    pattern: &str,
    format: Format,
    steps: &[Step],
) -> Result<Vec<Row>, DatasetError> {
    let path = arguments.file(pattern)?;
    let items = match format {
        Format::Lines => json_lines(&path, Encoding::Strict),
        Format::LinesWithGaps => json_lines_with_gaps(&path),
        Format::List => items(&path),
        Format::ListAt(key) => items_at(&path, key),
        Format::LibraryJson => json_rows(&path),
        Format::TypedCsv => typed_csv(&path),
        Format::Cells { names, columns, header } => {
            let rows = cell_rows(&path, ',')?;
            let rows = rows.iter().skip(usize::from(header));
            return rows
                .map(|item| item.make(|cells| named_cells(cells, names, columns)))
                .collect();
        }
    }?;
    stepped_items(&items, steps)
}

/// Items after all steps, without those that were left out.
pub(super) fn stepped_items(items: &[Item], steps: &[Step]) -> Result<Vec<Row>, DatasetError> {
    items.iter().filter_map(|item| item.make(|value| stepped(value, steps)).transpose()).collect()
}

/// The last cells of a row under the names of columns.
fn named_cells(cells: &serde_json::Value, names: &[&str], columns: usize) -> Made<Row> {
    let cells = cells.as_array().map_or(&[][..], Vec::as_slice);
    if cells.len() != columns {
        return Flaw::new(format!("{} cells, expected {columns}", cells.len()));
    }
    let cells = cells.iter().skip(columns - names.len()).cloned();
    Ok(names.iter().map(|name| (*name).to_owned()).zip(cells).collect())
}

impl Tables {
    /// Every question with its options turned, where they are.
    pub(super) fn turned(
        self,
        turning: Option<&Turning>,
        abbr: &str,
    ) -> Result<Self, DatasetError> {
        let Some(turning) = turning else { return Ok(self) };
        let table = |rows: Vec<Row>, split: Option<&str>| {
            if !turning.turns(split) {
                return Ok(rows);
            }
            let name = split.map_or_else(|| abbr.to_owned(), |split| format!("{abbr}_{split}"));
            let turn = |(question, row): (usize, &Row)| {
                let place = || format!("data set {name}, row {}", question + 1);
                turning.turned(row, question).map_err(|flaw| malformed(&place(), flaw))
            };
            let turns = rows.iter().enumerate().map(turn).collect::<Result<Vec<_>, _>>()?;
            Ok(turns.concat())
        };
        let own = |rows: Vec<Sample>| rows.iter().map(own_columns).collect::<Vec<Row>>();
        Ok(match self {
            Self::Single(rows) => Self::Single(table(rows, None)?),
            Self::Finished(Rows::Single(rows)) => Self::Single(table(own(rows), None)?),
            Self::Splits(splits) => Self::Splits(
                splits
                    .into_iter()
                    .map(|(split, rows)| {
                        table(rows, Some(&split)).map(|rows| (split.clone(), rows))
                    })
                    .collect::<Result<_, DatasetError>>()?,
            ),
            Self::Finished(Rows::Splits(splits)) => Self::Splits(
                splits
                    .into_iter()
                    .map(|(split, rows)| {
                        let rows = table(own(rows), Some(&split))?;
                        Ok((split.into(), rows))
                    })
                    .collect::<Result<_, DatasetError>>()?,
            ),
        })
    }

    /// Tables with one set of columns and types each, `subdivision` and `idx` in them.
    pub(super) fn rows(self, abbr: &str) -> Result<Rows, DatasetError> {
        let table = |mut rows: Vec<Row>, name: &str| {
            for (index, row) in rows.iter_mut().enumerate() {
                row.insert("subdivision".to_owned(), name.into());
                row.insert("idx".to_owned(), index.into());
            }
            rows_from_json(rows, |index| format!("data set {name}, row {}", index + 1))
        };
        match self {
            Self::Finished(rows) => Ok(rows),
            Self::Single(rows) => table(rows, abbr).map(Rows::Single),
            Self::Splits(splits) => splits
                .into_iter()
                .map(|(split, rows)| {
                    Ok((split.clone().into_owned(), table(rows, &format!("{abbr}_{split}"))?))
                })
                .collect::<Result<_, _>>()
                .map(Rows::Splits),
        }
    }
}
