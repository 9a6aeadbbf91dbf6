//! The text that models are compared on.

use std::{io, path::Path};

use serde_json::Value;

use crate::{
    dataset::{DatasetError, Sample, read_rows, read_text},
    prepare::PrepareError,
};

/// What separates the texts of two rows, as in the usual perplexity of `WikiText`.
const ROW_SEPARATOR: &str = "\n\n";

/// The text of a file: that of `column` of its rows if it is a data set's, else all it holds.
pub(super) fn read(path: &Path, column: &str) -> Result<String, PrepareError> {
    let wrong =
        |problem: String| PrepareError::Comparison { subject: path.display().to_string(), problem };
    let rows = match read_rows(path) {
        Ok(rows) => rows,
        Err(DatasetError::UnknownFormat { .. }) => {
            return read_text(path).map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => {
                    wrong("is not text in UTF-8; convert it, as with iconv".to_owned())
                }
                _ => wrong(format!("cannot be read: {error}")),
            });
        }
        Err(source) => {
            let dataset = path.display().to_string();
            return Err(PrepareError::Dataset { dataset, source: Box::new(source) });
        }
    };
    let texts: Option<Vec<&str>> =
        rows.iter().map(|row| row.get(column).and_then(Value::as_str)).collect();
    texts.map(|texts| texts.join(ROW_SEPARATOR)).ok_or_else(|| {
        let columns = rows.first().into_iter().flat_map(Sample::iter).map(|(name, _)| name);
        let columns = columns.collect::<Vec<_>>().join(", ");
        wrong(format!("not every row has a text `{column}`; name one of: {columns}"))
    })
}
