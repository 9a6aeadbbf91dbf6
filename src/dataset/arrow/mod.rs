//! Arrow's stream of tables, as the `datasets` library keeps them on disk: a schema, then batches of columns.
//!
//! Columns of texts, numbers and truth values are read; nested, compressed and dictionary-coded ones are refused by name.

mod flat;

use std::path::Path;

use serde_json::Value;

use self::flat::{Bytes, Table};
use super::{Sample, source::Problem};
use crate::regular_file;

/// What a column holds.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Nothing,
    Truth,
    Whole {
        bytes: usize,
        is_signed: bool,
    },
    Float {
        bytes: usize,
    },
    /// With offsets of so many bytes.
    Text {
        bytes: usize,
    },
}

struct Column {
    name: String,
    kind: Kind,
}

/// What a message is about.
const SCHEMA: u8 = 1;
const BATCH: u8 = 3;

/// What a file says that is no such stream, or ends too early.
const ODD: &str = "this is no stream of Arrow's, or it is damaged";

/// The rows of a file, or the first `most_rows`.
pub(super) fn read(path: &Path, most_rows: usize) -> Result<Vec<Sample>, Problem> {
    let problem = |what: String| Problem { place: None, what };
    let bytes = regular_file::read_whole(path).map_err(|error| problem(error.to_string()))?;
    let mut rows = rows(&bytes).map_err(problem)?;
    rows.truncate(most_rows);
    Ok(rows)
}

fn rows(bytes: &[u8]) -> Result<Vec<Sample>, String> {
    let mut rest = Bytes(bytes);
    let (mut columns, mut rows) = (None, Vec::new());
    while let Some(length) = rest.message_length() {
        let message = rest.take(length).ok_or(ODD)?;
        let message = Table::root(message).ok_or(ODD)?;
        let body = usize::try_from(message.i64(3).unwrap_or(0)).map_err(|_| ODD)?;
        let body = Bytes(rest.take(body).ok_or(ODD)?);
        let header = message.table(2).ok_or(ODD)?;
        match (message.u8(1), &columns) {
            (Some(SCHEMA), _) => columns = Some(schema(&header)?),
            (Some(BATCH), Some(columns)) => batch(&header, &body, columns, &mut rows)?,
            _ => return Err("it has dictionaries, which are not read; save it as Parquet".into()),
        }
    }
    columns.map(|_| rows).ok_or_else(|| ODD.to_owned())
}

fn schema(header: &Table<'_>) -> Result<Vec<Column>, String> {
    let fields = header.tables(1).ok_or(ODD)?;
    fields
        .iter()
        .map(|field| {
            let name = field.text(0).ok_or(ODD)?.to_owned();
            let about = field.table(3);
            let whole = |place| about.as_ref().and_then(|about| about.i32(place)).unwrap_or(0);
            let kind = match field.u8(2) {
                Some(1) => Kind::Nothing,
                Some(2) => Kind::Whole {
                    bytes: usize::try_from(whole(0)).unwrap_or(0) / 8,
                    is_signed: about.as_ref().and_then(|about| about.u8(1)).unwrap_or(0) != 0,
                },
                Some(3) => {
                    let precision = about.as_ref().and_then(|about| about.i16(0)).unwrap_or(0);
                    Kind::Float { bytes: if precision == 1 { 4 } else { 8 } }
                }
                Some(5) => Kind::Text { bytes: 4 },
                Some(6) => Kind::Truth,
                Some(20) => Kind::Text { bytes: 8 },
                _ => {
                    return Err(format!(
                        "its column `{name}` is of a kind that is not read; save it as Parquet"
                    ));
                }
            };
            Ok(Column { name, kind })
        })
        .collect()
}

/// Adds the rows of a batch.
fn batch(
    header: &Table<'_>,
    body: &Bytes<'_>,
    columns: &[Column],
    rows: &mut Vec<Sample>,
) -> Result<(), String> {
    if header.table(3).is_some() {
        return Err("it is compressed, which is not read; save it as Parquet".to_owned());
    }
    let count = usize::try_from(header.i64(0).unwrap_or(0)).map_err(|_| ODD)?;
    let places = header.pairs(2).ok_or(ODD)?;
    let mut places = places.iter();
    let mut buffer = || -> Option<Bytes<'_>> {
        let (start, length) = places.next()?;
        let start = usize::try_from(*start).ok()?;
        let end = start.checked_add(usize::try_from(*length).ok()?)?;
        body.0.get(start..end).map(Bytes)
    };
    let mut values = Vec::with_capacity(columns.len());
    for column in columns {
        let own = match column.kind {
            Kind::Nothing => Some(vec![Value::Null; count]),
            kind => {
                let known = buffer().ok_or(ODD)?;
                let data = buffer().ok_or(ODD)?;
                let texts = match kind {
                    Kind::Text { .. } => buffer().ok_or(ODD)?,
                    _ => Bytes(&[]),
                };
                let value = |row: usize| -> Option<Value> {
                    // Without null values there are no bits that say so.
                    if !known.0.is_empty() && !known.bit(row)? {
                        return Some(Value::Null);
                    }
                    kind.value(row, &data, &texts)
                };
                (0..count).map(value).collect()
            }
        };
        values.push(own.ok_or(ODD)?.into_iter());
    }
    for _ in 0..count {
        let row = columns.iter().zip(&mut values);
        let row = row.map(|(column, own)| (column.name.clone(), own.next().unwrap_or_default()));
        rows.push(Sample::new(row.collect()));
    }
    Ok(())
}

impl Kind {
    /// The value of a row.
    fn value(self, row: usize, data: &Bytes<'_>, texts: &Bytes<'_>) -> Option<Value> {
        Some(match self {
            Self::Nothing => Value::Null,
            Self::Truth => data.bit(row)?.into(),
            Self::Whole { bytes, is_signed: true } => data.signed(row * bytes, bytes)?.into(),
            Self::Whole { bytes, is_signed: false } => data.unsigned(row * bytes, bytes)?.into(),
            Self::Float { bytes: 4 } => {
                let bits = u32::try_from(data.unsigned(row * 4, 4)?).ok()?;
                f64::from(f32::from_bits(bits)).into()
            }
            Self::Float { bytes } => f64::from_bits(data.unsigned(row * bytes, bytes)?).into(),
            Self::Text { bytes } => {
                let place = |row: usize| usize::try_from(data.signed(row * bytes, bytes)?).ok();
                let text = texts.0.get(place(row)?..place(row + 1)?)?;
                std::str::from_utf8(text).ok()?.into()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_stream_is_told() {
        for bytes in [
            &b""[..],
            b"ARROW1\0\0",
            b"\xff\xff\xff\xff\x10\0\0\0",
            b"\xff\xff\xff\xff\x04\0\0\0\xff\xff\xff\xff",
        ] {
            assert!(rows(bytes).unwrap_err().contains("Arrow"));
        }
    }
}
