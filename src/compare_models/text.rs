//! The text that models are compared on.

use std::path::Path;

use serde_json::Value;

use crate::{
    dataset::{DatasetError, Sample, read_rows},
    prepare::PrepareError,
    regular_file,
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
            let bytes = regular_file::read_whole(path)
                .map_err(|error| wrong(format!("cannot be read: {error}")))?;
            return String::from_utf8(bytes)
                .map_err(|_| wrong("is not text in UTF-8; convert it, as with iconv".to_owned()));
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
