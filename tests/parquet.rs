//! Parquet files as another program writes them, compared value by value with what it put in.
//!
//! `tests/fixtures/parquet/make.py` wrote the files. `SURPRISAL_PARQUET_FIXTURES` names another folder of
//! them, such as one with every codec and format version (`make.py FOLDER --all`).

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{env, fs, path::PathBuf};

use serde_json::{Map, Value};
use surprisal::dataset::read_rows;

fn folder() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/parquet");
    env::var_os("SURPRISAL_PARQUET_FIXTURES").map_or_else(own, PathBuf::from)
}

/// The files of the folder whose names begin like this.
fn files(beginning: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "parquet"))
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(beginning))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no {beginning}*.parquet in {}", folder().display());
    files
}

#[test]
fn values_are_what_was_written() {
    let expected = fs::read_to_string(folder().join("expected.json")).unwrap();
    let expected: Vec<Map<String, Value>> = serde_json::from_str(&expected).unwrap();
    let mut failures = Vec::new();
    let files = files("types");
    for path in &files {
        let rows = match read_rows(path) {
            Ok(rows) => rows,
            Err(error) => {
                failures.push(error.to_string());
                continue;
            }
        };
        assert_eq!(rows.len(), expected.len(), "{}", path.display());
        for (number, (row, expected)) in rows.iter().zip(&expected).enumerate() {
            assert_eq!(row.iter().count(), expected.len(), "{}", path.display());
            for ((name, value), (column, wanted)) in row.iter().zip(expected) {
                // As text, so that the order of a record's fields counts.
                let [value, wanted] = [value, wanted].map(Value::to_string);
                if name != column || value != wanted {
                    failures.push(format!(
                        "{}, row {number}: {name} {value}, expected {column} {wanted}",
                        path.display()
                    ));
                }
            }
        }
    }
    println!("parquet: {} passed, {} failed", files.len(), failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn what_no_prompt_can_hold_is_refused_by_column() {
    for path in files("odd") {
        let error = read_rows(&path).unwrap_err().to_string();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let column = name.split_once('-').unwrap().1;
        assert!(error.contains(&format!("column `{column}` holds")), "{error}");
    }
}

#[test]
fn a_flipped_bit_in_a_page_is_told_by_its_checksum() {
    let whole = fs::read(&files("checksums")[0]).unwrap();
    let text = b"checksumchecksum";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    fs::write(&path, &whole).unwrap();
    let rows = read_rows(&path).unwrap();
    assert_eq!(rows.len(), 3);
    // The text stands in the page and, as the largest and smallest value, in the headers around it.
    let mut told = 0;
    for at in (0..whole.len() - text.len()).filter(|at| whole[*at..].starts_with(text)) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&path, &damaged).unwrap();
        match read_rows(&path) {
            Ok(read) => assert_eq!(read, rows, "byte {at}"),
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("rows.parquet: ") && error.contains("CRC"), "{error}");
                told += 1;
            }
        }
    }
    assert!(told > 0);
}

#[test]
fn damaged_files_are_errors() {
    let whole = fs::read(&files("types")[0]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    for length in [0, 3, 8, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = read_rows(&path).unwrap_err().to_string();
        assert!(error.contains("rows.parquet"), "{error}");
    }
}
