//! Retrievers of OpenCompass against ours: which rows are chosen, and for BM25 also the words and
//! the scores that led there.
//!
//! A case whose retriever is in no registry yet is counted apart, never as passed. Where a case
//! expects an error, ours must be one too; its text is ours.

use std::{collections::BTreeSet, env, fs, path::PathBuf};

use serde_json::{Value, json};
use surprisal::{
    config::{Component, Node},
    dataset::{Dataset, Reader, ReaderConfig, Rows, Sample},
    retrieve::{Corpus, Okapi, RETRIEVERS, build, word_tokenize},
};

/// Retrievers of OpenCompass that may still be missing. Any other unknown name is a failure.
const NOT_YET: &[&str] = &["DPPRetriever", "MDLRetriever", "TopkRetriever", "VotekRetriever"];

/// How far a score may be off, relative to its size.
const TOLERANCE: f64 = 1e-9;

#[test]
fn golden_retrievers() {
    let cases = cases("retrievers.json");
    let (mut passed, mut failures, mut missing) = (0, Vec::new(), BTreeSet::new());
    let mut not_yet = 0;
    for case in &cases {
        let name = case["input"]["retriever"]["type"].as_str().expect("a case names its retriever");
        match check(&case["input"], &case["expected"]) {
            _ if NOT_YET.contains(&name) && RETRIEVERS.find(name).is_none() => {
                missing.insert(name);
                not_yet += 1;
            }
            Ok(()) => passed += 1,
            Err(problem) => failures.push(format!("{}: {problem}", case["id"])),
        }
    }
    println!("retrievers.json: {passed} passed, {} failed, {not_yet} not yet", failures.len());
    println!("not yet: {}", Vec::from_iter(missing).join(", "));
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

fn check(input: &Value, expected: &Value) -> Result<(), String> {
    if expected.get("error").is_some() {
        return match chosen(input, |retriever, corpus| {
            retriever.retrieve(corpus).map_err(|error| error.to_string()).map(|rows| json!(rows))
        }) {
            Ok(rows) => Err(format!("expected an error, got {rows}")),
            Err(_) => Ok(()),
        };
    }
    let selection = chosen(input, |retriever, corpus| {
        retriever.select(corpus).map_err(|error| error.to_string()).map(|ids| json!(ids))
    })?;
    agree("selection", &expected["selection"], &selection)?;
    if expected.get("index_tokens").is_some() { check_words(input, expected) } else { Ok(()) }
}

fn chosen(
    input: &Value,
    choose: impl Fn(&dyn surprisal::retrieve::Retriever, &Corpus<'_>) -> Result<Value, String>,
) -> Result<Value, String> {
    let (reader, dataset) = data(input)?;
    let component = Component::parse(&Node::from_json(&input["retriever"]));
    let retriever =
        component.and_then(|component| build(&component)).map_err(|error| error.to_string())?;
    choose(&*retriever, &Corpus { dataset: &dataset, reader: &reader })
}

/// The words and scores of a BM25 case.
fn check_words(input: &Value, expected: &Value) -> Result<(), String> {
    let (reader, dataset) = data(input)?;
    let words = |rows: &[Sample]| -> Result<Vec<Vec<String>>, String> {
        let text = |row| word_tokenize(&reader.corpus_text(row)).map_err(|error| error.to_string());
        rows.iter().map(text).collect()
    };
    let (train, test) = (words(&dataset.train)?, words(&dataset.test)?);
    agree("index_tokens", &expected["index_tokens"], &json!(train))?;
    agree("test_tokens", &expected["test_tokens"], &json!(test))?;
    let index = Okapi::new(&train).ok_or("the training rows have no words")?;
    for (query, wanted) in test.iter().zip(expected["scores"].as_array().into_iter().flatten()) {
        let wanted: Vec<f64> =
            serde_json::from_value(wanted.clone()).map_err(|error| error.to_string())?;
        let scores = index.scores(query);
        let close = |(got, want): (&f64, &f64)| (got - want).abs() <= TOLERANCE * want.abs();
        if scores.len() != wanted.len() || !scores.iter().zip(&wanted).all(close) {
            return Err(format!("scores of {query:?}: expected {wanted:?}, got {scores:?}"));
        }
    }
    Ok(())
}

fn data(input: &Value) -> Result<(Reader, Dataset), String> {
    let config: ReaderConfig =
        serde_json::from_value(input["reader_cfg"].clone()).map_err(|error| error.to_string())?;
    let reader = Reader::new(config);
    let splits = json!({"train": input["train"], "test": input["test"]});
    let dataset = Rows::from_json(&splits)
        .and_then(|rows| reader.load(rows.labelled("dataset")))
        .map_err(|error| error.to_string())?;
    Ok((reader, dataset))
}

fn agree(what: &str, expected: &Value, got: &Value) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{what}: expected {expected}, got {got}")) }
}
