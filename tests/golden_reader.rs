//! `DatasetReader` of OpenCompass against ours: ranges, splits, and the text for retrieval.
//!
//! A row's `expected` is what the Python package gave. Its `splits`, the keys of a Python dict, have
//! no counterpart here and are not compared.

use std::{env, fs, path::PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use surprisal::dataset::{Reader, ReaderConfig, RowRange, Rows, Sample};

#[test]
fn golden_reader() {
    let cases = cases("reader.json");
    let failures: Vec<String> = cases.iter().filter_map(failure).collect();
    println!("reader.json: {} passed, {} failed", cases.len() - failures.len(), failures.len());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn cases(file: &str) -> Vec<Value> {
    let folder = env::var_os("SURPRISAL_GOLDEN").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/golden")),
        PathBuf::from,
    );
    let text = fs::read_to_string(folder.join(file)).expect("the golden file is readable");
    serde_json::from_str(&text).expect("the golden file is a list of cases")
}

/// What is wrong with our answer to a case, if anything.
fn failure(case: &Value) -> Option<String> {
    let (input, expected) = (&case["input"], &case["expected"]);
    let got = if input.get("reader_cfg").is_some() { read(input, expected) } else { range(input) };
    let agrees = match &got {
        Ok(value) => value == expected,
        Err(_) => expected.get("error").is_some(),
    };
    (!agrees).then(|| format!("{}: expected {expected}, got {got:?}", case["id"]))
}

fn range(input: &Value) -> Result<Value, String> {
    let range = RowRange::deserialize(&input["range"]).map_err(|error| error.to_string())?;
    let total = input["total"].as_u64().expect("a case has a total");
    range.rows(usize::try_from(total).expect("a total fits in memory")).map(|rows| json!(rows))
}

fn read(input: &Value, expected: &Value) -> Result<Value, String> {
    let config: ReaderConfig =
        serde_json::from_value(input["reader_cfg"].clone()).map_err(|error| error.to_string())?;
    let reader = Reader::new(config);
    let rows = Rows::from_json(&input["data"]).map_err(|error| error.to_string())?;
    let dataset = reader.load(rows).map_err(|error| error.to_string())?;
    let corpus: Vec<String> = dataset.test.iter().map(|row| reader.corpus_text(row)).collect();
    Ok(json!({
        "input_columns": reader.input_columns(),
        "output_column": reader.output_column(),
        "train": dataset.train.iter().map(object).collect::<Vec<_>>(),
        "test": dataset.test.iter().map(object).collect::<Vec<_>>(),
        "splits": expected["splits"],
        "corpus": corpus,
    }))
}

fn object(row: &Sample) -> Value {
    row.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect()
}
