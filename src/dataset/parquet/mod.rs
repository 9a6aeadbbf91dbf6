//! Parquet: typed columns, as most data sets on the hub are stored.
//!
//! Values become what Python prints for them, since that is what they become in prompts: dates, times
//! and decimals are text. Records keep the order of their fields. An image, which is a record of its bytes and a path, becomes
//! the address of a file in the user's cache ([`ImageFolder`]), and so do bytes that are an image. What has no such form (other bytes, maps, numbers that are not finite) is
//! refused with the name of its column.
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
use super::{Sample, image_folder::ImageFolder, source::Problem};
use crate::{panic_guard::guarded, regular_file};

/// The rows of a file, or the first `most_rows`: images of others are not kept.
pub(super) fn read(path: &Path, most_rows: usize) -> Result<Vec<Sample>, Problem> {
    // The decoder checks some of what a file says about itself by asserting it.
    guarded(|| rows(path, &ImageFolder::of_user(), most_rows))
        .unwrap_or_else(|_| Err(whole("the file is damaged; fetch or write it again")))
}

fn rows(path: &Path, images: &ImageFolder, most_rows: usize) -> Result<Vec<Sample>, Problem> {
    let damaged =
        |error: ParquetError| whole(&format!("this is no readable parquet file: {error}"));
    let file =
        regular_file::open(path).map_err(|error| whole(&format!("cannot read it: {error}")))?;
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let schema = reader.metadata().file_metadata().schema();
    let columns = fields(schema, 0)?;
    let mut rows = Vec::new();
    for (index, row) in reader.get_row_iter(None).map_err(damaged)?.take(most_rows).enumerate() {
        let row = row.map_err(damaged)?;
        let cells = record(&row, &columns, images)
            .map_err(|what| Problem { place: Some(format!("row {}", index + 1)), what })?;
        rows.push(Sample::new(cells.into_iter().collect()));
    }
    Ok(rows)
}

fn whole(what: &str) -> Problem {
    Problem { place: None, what: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::{fs, fs::File, sync::Arc};

    use parquet::{
        data_type::{ByteArray, ByteArrayType},
        file::{properties::WriterProperties, writer::SerializedFileWriter},
        schema::parser::parse_message_type,
    };
    use serde_json::Value;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nan image";

    /// A column `image` as `datasets` writes it.
    const RECORD: &str = "message m { optional group image { optional binary bytes; optional binary path (UTF8); } }";

    /// Writes such a column; a row has bytes, a path, or neither.
    fn write(path: &Path, rows: &[(Option<&[u8]>, Option<&str>)]) {
        write_columns(path, RECORD, rows);
    }

    /// The same in another schema, in which a row may have bytes alone.
    fn write_columns(path: &Path, schema: &str, rows: &[(Option<&[u8]>, Option<&str>)]) {
        let deepest = if schema.contains("group") { 2 } else { 1 };
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let properties = Arc::new(WriterProperties::builder().build());
        let mut file =
            SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
        let mut group = file.next_row_group().unwrap();
        let columns: [Vec<Option<ByteArray>>; 2] = [
            rows.iter().map(|(bytes, _)| bytes.map(|own| own.to_vec().into())).collect(),
            rows.iter().map(|(_, path)| path.map(ByteArray::from)).collect(),
        ];
        for column in columns {
            let Some(mut writer) = group.next_column().unwrap() else { break };
            // The group is there wherever one of its fields is.
            let depth = |place: usize| {
                let (bytes, path) = rows[place];
                i16::from(bytes.is_some() || path.is_some())
            };
            let levels: Vec<i16> = column
                .iter()
                .enumerate()
                .map(|(place, value)| match value {
                    Some(_) => deepest,
                    None => depth(place).min(deepest - 1),
                })
                .collect();
            let values: Vec<ByteArray> = column.into_iter().flatten().collect();
            writer.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
            writer.close().unwrap();
        }
        group.close().unwrap();
        file.close().unwrap();
    }

    #[test]
    fn images_become_addresses_of_files() {
        let folder = tempfile::tempdir().unwrap();
        let images = ImageFolder::at(&folder.path().join("images"));
        let (table, beside) = (folder.path().join("t.parquet"), folder.path().join("a b.png"));
        fs::write(&beside, PNG).unwrap();
        let beside = beside.to_str().unwrap();
        write(
            &table,
            &[(Some(PNG), Some("a.png")), (None, None), (None, Some(beside)), (Some(PNG), None)],
        );
        let Ok(rows) = rows(&table, &images, usize::MAX) else { panic!("the file is read") };
        let values: Vec<&Value> = rows.iter().map(|row| row.get("image").unwrap()).collect();
        let kept = values[0].as_str().unwrap();
        assert_eq!(fs::read(kept.strip_prefix("file://").unwrap()).unwrap(), PNG);
        assert_eq!(values[1], &Value::Null);
        assert_eq!(values[2], &Value::from(format!("file://{beside}")));
        assert_eq!(values[3], values[0]);
    }

    #[test]
    fn bytes_by_themselves_are_an_image_too() {
        let folder = tempfile::tempdir().unwrap();
        let images = ImageFolder::at(&folder.path().join("images"));
        let table = folder.path().join("t.parquet");
        for schema in [
            "message m { optional binary image; }",
            "message m { optional group image { optional binary bytes; } }",
        ] {
            write_columns(&table, schema, &[(Some(PNG), None), (None, None)]);
            let Ok(found) = rows(&table, &images, usize::MAX) else { panic!("{schema}") };
            let kept = found[0].get("image").unwrap().as_str().unwrap();
            assert_eq!(fs::read(kept.strip_prefix("file://").unwrap()).unwrap(), PNG);
            assert_eq!(found[1].get("image"), Some(&Value::Null));
        }
        write_columns(&table, "message m { optional binary image; }", &[(Some(b"none"), None)]);
        let Err(problem) = rows(&table, &images, usize::MAX) else { panic!("no image") };
        assert!(problem.what.contains("leave it out of the file"), "{}", problem.what);
    }

    #[test]
    fn of_rows_that_are_not_wanted_nothing_is_looked_at_and_no_image_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let images = ImageFolder::at(&folder.path().join("images"));
        let table = folder.path().join("t.parquet");
        let other = [PNG, b" of another row"].concat();
        write(&table, &[(Some(PNG), None), (Some(other.as_slice()), None), (Some(b"none"), None)]);
        let kept = || crate::hub::files_below(&folder.path().join("images")).len();
        for most_rows in [1, 2] {
            let Ok(found) = rows(&table, &images, most_rows) else { panic!("the rows are read") };
            assert_eq!((found.len(), kept()), (most_rows, most_rows));
        }
        assert!(rows(&table, &images, 3).is_err());
    }

    #[test]
    fn what_is_no_image_is_refused_with_its_row_and_column() {
        let folder = tempfile::tempdir().unwrap();
        let images = ImageFolder::at(folder.path());
        let table = folder.path().join("t.parquet");
        for (row, expected) in [
            ((Some(&b"RIFF....WAVE"[..]), None), "column `image` holds bytes that do not begin as"),
            ((Some(&b""[..]), None), "column `image` holds bytes that do not begin as"),
            ((None, Some("gone.png")), "column `image` holds \"gone.png\""),
        ] {
            write(&table, &[(Some(PNG), None), row]);
            let Err(problem) = rows(&table, &images, usize::MAX) else { panic!("{expected}") };
            assert_eq!(problem.place.as_deref(), Some("row 2"));
            assert!(problem.what.starts_with(expected), "{}", problem.what);
        }
    }
}
