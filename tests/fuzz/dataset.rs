//! Data files: any bytes as rows.

use std::fs;

use proptest::{collection::vec, prelude::*, sample::select};
use surprisal::dataset::read_rows;

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

#[test]
fn files_end_in_rows_or_errors() {
    let text = pieces(PIECES, 20).prop_map(String::into_bytes);
    let bytes = prop_oneof![4 => text, 1 => vec(any::<u8>(), 0..64)];
    explore((select(&["csv", "json", "jsonl"]), bytes), |(extension, bytes)| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("rows.{extension}"));
        fs::write(&path, bytes).unwrap();
        match read_rows(&path) {
            Ok(rows) => assert!(!rows.is_empty()),
            Err(error) => assert!(error.to_string().contains("rows"), "{error}"),
        }
    });
}
