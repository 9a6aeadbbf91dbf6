//! Data files: any bytes as rows.

use std::{fs, io::Write as _, path::Path};

use flate2::{Compression, write::GzEncoder};
use proptest::{collection::vec, prelude::*, sample::select};
use surprisal::{
    dataset::{DatasetLocation, Rows, TableChoice, read_rows},
    hub::DownloadProgress,
};

use crate::{explore, grammar::pieces};

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"q\"",
    "\"a\"",
    ":",
    ",",
    "\n",
    "\r\n",
    "1",
    "-2.5e400",
    "null",
    "true",
    "\"",
    "\\u0000",
    "\\ud800",
    "q,a\n",
    "\"x,\ny\"",
    "\u{feff}",
    "{\"q\": 1}\n",
    "[{\"q\": [1, \"a\"]}]",
    "{\"test\": [{\"q\": {\"b\": null}}]}",
];

/// Nothing is downloaded.
struct Silent;

impl DownloadProgress for Silent {
    fn begin_file(&self, _: &str, _: u64, _: u64) {}
    fn bytes(&self, _: u64) {}
    fn end_file(&self) {}
    fn waiting(&self, _: &str) {}
}

/// A parquet file with every type.
fn parquet() -> Vec<u8> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fs::read(fixtures.join("parquet/types.parquet")).unwrap()
}

/// What reading a file of these bytes gives: rows, or an error that names the file.
fn read(name: &str, bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    match read_rows(&path) {
        Ok(rows) => assert!(!rows.is_empty()),
        Err(error) => assert!(error.to_string().contains("rows"), "{error}"),
    }
}

#[test]
fn damaged_parquet_ends_in_rows_or_errors() {
    let whole = parquet();
    // The end says where everything is.
    let place = prop_oneof![0..whole.len(), whole.len() - 4000..whole.len()];
    let damage = vec((place, any::<u8>()), 1..6);
    explore((damage, 0..20_usize), |(damage, cut)| {
        let mut bytes = whole.clone();
        for (place, byte) in damage {
            bytes[*place] = *byte;
        }
        if *cut == 0 {
            bytes.truncate(damage[0].0);
        }
        read("rows.parquet", &bytes);
    });
}

/// Pieces of the front matter of a card.
const CARD_PIECES: &[&str] = &[
    "---\n",
    "configs:\n",
    "- config_name: a\n",
    "  data_files:\n",
    "  - split: test\n",
    "    path: \"*.csv\"\n",
    "    path:\n",
    "    - x/**\n",
    "  default: true\n",
    "  data_dir: x\n",
    "&a ",
    "*a",
    "[",
    "]",
    "{",
    "}",
    ": ",
    "- ",
    "|\n",
    "!!str ",
    "\t",
    "'",
    "\"",
    "# \n",
    "\u{feff}",
    "? ",
    "<<: ",
];

#[test]
fn cards_end_in_rows_or_errors() {
    explore(pieces(CARD_PIECES, 24), |card| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("README.md"), format!("---\nconfigs:\n{card}")).unwrap();
        fs::write(folder.path().join("my_test_rows.csv"), "q\n1\n").unwrap();
        let location = DatasetLocation::Local(folder.path().to_owned());
        match location.read(&TableChoice::default(), &["train", "test"], &Silent) {
            Ok(Rows::Splits(_)) => {}
            Ok(Rows::Single(rows)) => panic!("a folder became one table of {} rows", rows.len()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
}

#[test]
fn damaged_gzip_ends_in_rows_or_errors() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all("{\"q\": 1, \"a\": \"x\"}\n".repeat(50).as_bytes()).unwrap();
    let whole = encoder.finish().unwrap();
    let damage = vec((0..whole.len(), any::<u8>()), 0..4);
    explore((damage, 0..whole.len() * 2), |(damage, length)| {
        let mut bytes = whole.clone();
        for (place, byte) in damage {
            bytes[*place] = *byte;
        }
        bytes.truncate(*length);
        read("rows.jsonl.gz", &bytes);
    });
}

#[test]
fn files_end_in_rows_or_errors() {
    let text = pieces(PIECES, 20).prop_map(String::into_bytes);
    let bytes = prop_oneof![4 => text, 1 => vec(any::<u8>(), 0..64)];
    explore((select(&["csv", "json", "jsonl"]), bytes), |(extension, bytes)| {
        read(&format!("rows.{extension}"), bytes);
    });
}
