//! A table as JSON objects, one a line.

use std::io::{self, Write};

use serde_json::{Map, Value as Json};

use super::{Cell, Column, TableWriter};

/// Writes a line at once.
pub(super) struct JsonlWriter<'w> {
    out: io::BufWriter<Box<dyn Write + Send + 'w>>,
    columns: Vec<Column>,
}

impl<'w> JsonlWriter<'w> {
    pub(super) fn new(out: Box<dyn Write + Send + 'w>, columns: Vec<Column>) -> Self {
        Self { out: io::BufWriter::new(out), columns }
    }
}

impl TableWriter for JsonlWriter<'_> {
    fn line(&mut self, cells: Vec<Cell>) -> io::Result<()> {
        let line: Map<String, Json> = self
            .columns
            .iter()
            .zip(cells)
            .map(|(column, cell)| (column.name.clone(), json(cell)))
            .collect();
        serde_json::to_writer(&mut self.out, &line)?;
        self.out.write_all(b"\n")
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}

/// NaN and infinities, which JSON does not have, become null.
fn json(cell: Cell) -> Json {
    match cell {
        Cell::Null => Json::Null,
        Cell::Text(text) => Json::String(text),
        Cell::Integer(number) => Json::from(number),
        Cell::Float(number) => Json::from(number),
        Cell::Boolean(flag) => Json::Bool(flag),
    }
}
