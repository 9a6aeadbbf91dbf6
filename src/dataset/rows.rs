//! All rows of a data set, before a reader has chosen among them.

use std::path::Path;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::{ColumnRule, DatasetError, Sample, source, table::rows_from_json};

/// The rows of a data set: one unnamed table, or one table per split.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// One table, which serves both as training and as test split.
    Single(Vec<Sample>),
    /// Named splits.
    Splits(IndexMap<String, Vec<Sample>>),
}

impl Rows {
    /// Reads a file, or the wanted splits of a folder that holds one file per split. Splits that are
    /// not in the folder are left out.
    pub fn read(path: &Path, splits: &[&str]) -> Result<Self, DatasetError> {
        source::read(path, splits, ColumnRule::Library, usize::MAX)
    }

    /// Rows made in memory: a list of objects, or an object that maps split names to such lists.
    pub fn from_json(value: &Value) -> Result<Self, DatasetError> {
        match value {
            Value::Object(splits) => splits
                .iter()
                .map(|(name, rows)| Ok((name.clone(), table(rows, &format!("split `{name}`"))?)))
                .collect::<Result<_, _>>()
                .map(Self::Splits),
            rows => table(rows, "the data set").map(Self::Single),
        }
    }

    /// Appends the columns `subdivision`, which names the data set and the split, and `idx`, the
    /// number of the row in its split; columns of these names that exist already are kept.
    pub fn labelled(self, abbr: &str) -> Self {
        match self {
            Self::Single(rows) => Self::Single(label(rows, abbr)),
            Self::Splits(splits) => Self::Splits(
                splits
                    .into_iter()
                    .map(|(split, rows)| {
                        let rows = label(rows, &format!("{abbr}_{split}"));
                        (split, rows)
                    })
                    .collect(),
            ),
        }
    }

    /// Every split this many times over, one copy after the other, for metrics over several answers
    /// to the same question.
    pub fn repeated(self, times: usize) -> Self {
        match self {
            Self::Single(rows) => Self::Single(repeat(&rows, times)),
            Self::Splits(splits) => Self::Splits(
                splits.into_iter().map(|(split, rows)| (split, repeat(&rows, times))).collect(),
            ),
        }
    }
}

/// A table from a JSON list of objects.
fn table(rows: &Value, name: &str) -> Result<Vec<Sample>, DatasetError> {
    let place = |index: usize| format!("{name}, row {index}");
    let malformed = |place: String, problem: &str| DatasetError::Malformed {
        place,
        problem: problem.to_owned(),
    };
    let rows = rows
        .as_array()
        .ok_or_else(|| malformed(name.to_owned(), "expected a list of rows"))?
        .iter()
        .enumerate()
        .map(|(index, row)| {
            row.as_object()
                .cloned()
                .ok_or_else(|| malformed(place(index), "expected an object of column and value"))
        })
        .collect::<Result<Vec<Map<_, _>>, _>>()?;
    rows_from_json(rows, place)
}

fn label(mut rows: Vec<Sample>, subdivision: &str) -> Vec<Sample> {
    for (index, row) in rows.iter_mut().enumerate() {
        if row.get("subdivision").is_none() {
            row.set("subdivision", Value::from(subdivision));
        }
        if row.get("idx").is_none() {
            row.set("idx", Value::from(index));
        }
    }
    rows
}

fn repeat(rows: &[Sample], times: usize) -> Vec<Sample> {
    (0..times).flat_map(|_| rows.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn labels_come_last_and_never_overwrite() {
        let rows =
            Rows::from_json(&json!({"test": [{"q": "a", "idx": "own"}, {"q": "b"}]})).unwrap();
        let Rows::Splits(splits) = rows.labelled("sums") else {
            unreachable!("splits stay splits")
        };
        let columns: Vec<_> = splits["test"][1].iter().collect();
        let (q, name) = (json!("b"), json!("sums_test"));
        assert_eq!(columns, [("q", &q), ("idx", &Value::Null), ("subdivision", &name)]);
    }

    #[test]
    fn repetition_keeps_the_number_of_the_row() {
        let rows = Rows::from_json(&json!([{"q": "a"}, {"q": "b"}])).unwrap().labelled("sums");
        let Rows::Single(rows) = rows.repeated(2) else {
            unreachable!("one table stays one table")
        };
        let numbers: Vec<_> = rows.iter().filter_map(|row| row.get("idx")).collect();
        assert_eq!(numbers, [0, 1, 0, 1]);
    }
}
