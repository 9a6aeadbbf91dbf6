//! A table as comma-separated values.
//!
//! A null is an empty cell, so an empty text cannot be told from it: readers of text columns that care take
//! another format.

use std::io::{self, Write};

use super::{Cell, Column, TableWriter};

/// Writes a heading and then lines.
pub(super) struct CsvWriter<'w>(csv::Writer<Box<dyn Write + Send + 'w>>);

impl<'w> CsvWriter<'w> {
    pub(super) fn new(out: Box<dyn Write + Send + 'w>, columns: &[Column]) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(columns.iter().map(|column| &column.name)).map_err(as_io)?;
        Ok(Self(writer))
    }
}

impl TableWriter for CsvWriter<'_> {
    fn line(&mut self, cells: Vec<Cell>) -> io::Result<()> {
        self.0.write_record(cells.into_iter().map(text)).map_err(as_io)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}

/// The error as the system told it: a reader that stops early is no failure.
fn as_io(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn text(cell: Cell) -> String {
    match cell {
        Cell::Text(text) => text,
        Cell::Integer(number) => number.to_string(),
        // The shortest digits that read back as the same number.
        Cell::Float(number) if number.is_finite() => format!("{number:?}"),
        Cell::Null | Cell::Float(_) => String::new(),
        Cell::Boolean(flag) => flag.to_string(),
    }
}
