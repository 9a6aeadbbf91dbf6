//! A table as Parquet: every column optional, of one plain type.

use std::{
    io::{self, Write},
    sync::Arc,
};

use parquet::{
    basic::{Compression, ConvertedType, Repetition, Type as PhysicalType, ZstdLevel},
    data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type},
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::Type,
};

use super::{Cell, Column, ColumnType, TableWriter};

/// Lines that are held before they are written: a row group.
const GROUP_LINES: usize = 1 << 16;

type Out<'w> = Box<dyn Write + Send + 'w>;

/// Writes row groups.
pub(super) struct ParquetWriter<'w> {
    writer: SerializedFileWriter<Out<'w>>,
    columns: Vec<Column>,
    lines: Vec<Vec<Cell>>,
}

impl<'w> ParquetWriter<'w> {
    pub(super) fn new(out: Out<'w>, columns: Vec<Column>) -> io::Result<Self> {
        let field = |column: &Column| {
            let (physical, converted) = match column.kind {
                ColumnType::Text => (PhysicalType::BYTE_ARRAY, ConvertedType::UTF8),
                ColumnType::Integer => (PhysicalType::INT64, ConvertedType::NONE),
                ColumnType::Float => (PhysicalType::DOUBLE, ConvertedType::NONE),
                ColumnType::Boolean => (PhysicalType::BOOLEAN, ConvertedType::NONE),
            };
            Type::primitive_type_builder(&column.name, physical)
                .with_repetition(Repetition::OPTIONAL)
                .with_converted_type(converted)
                .build()
                .map(Arc::new)
        };
        let fields = columns.iter().map(field).collect::<Result<_, _>>().map_err(failed)?;
        let schema =
            Type::group_type_builder("surprisal").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(format!("surprisal {}", env!("CARGO_PKG_VERSION")))
            .build();
        let writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
            .map_err(failed)?;
        Ok(Self { writer, columns, lines: Vec::new() })
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for (place, column) in self.columns.iter().enumerate() {
            let cells =
                self.lines.iter_mut().map(|line| std::mem::replace(&mut line[place], Cell::Null));
            write_column(&mut group, column.kind, cells)?;
        }
        group.close()?;
        self.lines.clear();
        Ok(())
    }
}

/// Writes the cells of a column: which are there, and the values of those.
fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    kind: ColumnType,
    cells: impl Iterator<Item = Cell>,
) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else { return Ok(()) };
    let mut levels: Vec<i16> = Vec::new();
    match kind {
        ColumnType::Text => {
            let values = present(cells, &mut levels, |cell| match cell {
                Cell::Text(text) => Some(ByteArray::from(text.into_bytes())),
                _ => None,
            });
            writer.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
        }
        ColumnType::Integer => {
            let values = present(cells, &mut levels, |cell| match cell {
                Cell::Integer(number) => Some(number),
                _ => None,
            });
            writer.typed::<Int64Type>().write_batch(&values, Some(&levels), None)?;
        }
        ColumnType::Float => {
            let values = present(cells, &mut levels, |cell| match cell {
                Cell::Float(number) => Some(number),
                _ => None,
            });
            writer.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
        }
        ColumnType::Boolean => {
            let values = present(cells, &mut levels, |cell| match cell {
                Cell::Boolean(flag) => Some(flag),
                _ => None,
            });
            writer.typed::<BoolType>().write_batch(&values, Some(&levels), None)?;
        }
    }
    writer.close()
}

fn present<T>(
    cells: impl Iterator<Item = Cell>,
    levels: &mut Vec<i16>,
    value: impl Fn(Cell) -> Option<T>,
) -> Vec<T> {
    let mut values = Vec::new();
    for cell in cells {
        let found = value(cell);
        levels.push(found.is_some().into());
        values.extend(found);
    }
    values
}

impl TableWriter for ParquetWriter<'_> {
    fn line(&mut self, cells: Vec<Cell>) -> io::Result<()> {
        self.lines.push(cells);
        if self.lines.len() >= GROUP_LINES {
            self.write_group().map_err(failed)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.write_group().map_err(failed)?;
        self.writer.close().map(drop).map_err(failed)
    }
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
