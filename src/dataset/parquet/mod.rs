//! Parquet: typed columns, as most data sets on the hub are stored.
//!
//! Values become what Python prints for them, since that is what they become in prompts: dates, times
//! and decimals are text. Records keep the order of their fields. What has no such form (bytes, maps,
//! numbers that are not finite) is refused with the name of its column.
//!
//! The schema is checked before anything is decoded, because the decoder takes schemas on trust.

mod kind;
mod value;

use std::path::Path;

use parquet::{
    errors::ParquetError,
    file::{reader::FileReader as _, serialized_reader::SerializedFileReader},
};

use self::{kind::fields, value::record};
use super::{Sample, source::Problem};
use crate::{panic_guard::guarded, regular_file};

/// The rows of a file.
pub(super) fn read(path: &Path) -> Result<Vec<Sample>, Problem> {
    // The decoder checks some of what a file says about itself by asserting it.
    guarded(|| rows(path))
        .unwrap_or_else(|_| Err(whole("the file is damaged; fetch or write it again")))
}

fn rows(path: &Path) -> Result<Vec<Sample>, Problem> {
    let damaged =
        |error: ParquetError| whole(&format!("this is no readable parquet file: {error}"));
    let file =
        regular_file::open(path).map_err(|error| whole(&format!("cannot read it: {error}")))?;
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let schema = reader.metadata().file_metadata().schema();
    let columns = fields(schema, 0)?;
    let mut rows = Vec::new();
    for (index, row) in reader.get_row_iter(None).map_err(damaged)?.enumerate() {
        let row = row.map_err(damaged)?;
        let cells = record(&row, &columns)
            .map_err(|what| Problem { place: Some(format!("row {}", index + 1)), what })?;
        rows.push(Sample::new(cells.into_iter().collect()));
    }
    Ok(rows)
}

fn whole(what: &str) -> Problem {
    Problem { place: None, what: what.to_owned() }
}
