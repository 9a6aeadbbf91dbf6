//! Summaries, result files and prompt versions against whole runs of OpenCompass 0.5.4.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};
use surprisal::{
    config::{self, Component, Config, Node, from_node},
    evaluate::{Row, details},
    infer,
    python::to_string_indented,
    report::{StoredResult, SummarizerConfig, Summary, SummaryDataset, prompt_version},
};

const RUNS: [(&str, &str); 2] = [("e2e_run1", "eval_tiny.py"), ("e2e_run3", "eval_tiny3.py")];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A part of the config that is there.
fn part<'n>(node: &'n Node, keys: &[&str]) -> &'n Node {
    keys.iter().fold(node, |node, key| node.get(key).unwrap_or_else(|| panic!("no {key}")))
}

fn list<'c>(config: &'c Config, name: &str) -> &'c [Node] {
    config.get(name).and_then(Node::as_list).unwrap_or_default()
}

fn abbr(node: &Node) -> String {
    part(node, &["abbr"]).as_str().unwrap().to_owned()
}

fn dataset(node: &Node) -> SummaryDataset {
    let inferencer = Component::parse(part(node, &["infer_cfg", "inferencer"])).unwrap();
    SummaryDataset {
        abbr: abbr(node),
        version: prompt_version(part(node, &["infer_cfg"])),
        mode: infer::build(&inferencer).unwrap().summary_mode().to_owned(),
    }
}

fn summary(run: &Path, config: &Config) -> Summary {
    let datasets: Vec<SummaryDataset> = list(config, "datasets").iter().map(dataset).collect();
    let models: Vec<String> = list(config, "models").iter().map(abbr).collect();
    let stored = |model: &String, dataset: &SummaryDataset| {
        let path = format!("expected/results/{model}/{}.json", dataset.abbr);
        let results = serde_json::from_str(&text(&run.join(path))).unwrap();
        StoredResult { model: model.clone(), dataset: dataset.abbr.clone(), results }
    };
    let results: Vec<StoredResult> = models
        .iter()
        .flat_map(|model| datasets.iter().map(move |set| stored(model, set)))
        .collect();
    let summarizer = config.get("summarizer");
    let settings =
        summarizer.map_or_else(SummarizerConfig::default, |node| from_node(node).unwrap());
    Summary::new(&datasets, &models, &results, &settings).unwrap()
}

#[test]
fn golden_summary_files() {
    for (run, file) in RUNS {
        let run = fixtures().join(run);
        let summary = summary(&run, &config::load(&run.join(file)).unwrap());
        let expected =
            |end: &str| text(&run.join("expected/summary/summary_TIMESTAMP").with_extension(end));
        assert_eq!(summary.to_txt("TIMESTAMP"), expected("txt"));
        assert_eq!(summary.to_csv(), expected("csv"));
        assert_eq!(summary.to_md(), expected("md"));
    }
}

/// Predictions and results of every data set of both runs.
fn files() -> Vec<(PathBuf, PathBuf)> {
    let entries =
        |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files = Vec::new();
    for (run, _) in RUNS {
        let expected = fixtures().join(run).join("expected");
        for predictions in entries(expected.join("predictions")).flat_map(entries) {
            let name = predictions.strip_prefix(expected.join("predictions")).unwrap();
            let results = expected.join("results").join(name);
            files.push((predictions, results));
        }
    }
    assert!(!files.is_empty());
    files
}

#[test]
fn golden_json_files_are_written_byte_for_byte() {
    for path in files().into_iter().flat_map(<[PathBuf; 2]>::from) {
        let text = text(&path);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(to_string_indented(&value), text, "{}", path.display());
    }
}

#[test]
fn golden_details_come_from_the_records() {
    for (predictions, results) in files() {
        let records: Map<String, Value> = serde_json::from_str(&text(&predictions)).unwrap();
        let results: Value = serde_json::from_str(&text(&results)).unwrap();
        let expected = &results["details"];
        if expected.is_array() {
            continue;
        }
        let row = |index: usize| {
            let detail = &expected[index.to_string()];
            let (prediction, reference) =
                (detail["predictions"].clone(), detail["references"].clone());
            Row { prediction, reference, ..Row::default() }
        };
        let rows: Vec<Row<'static>> = (0..records.len()).map(row).collect();
        let records: Vec<Value> = records.into_values().collect();
        let found = details::of_records(&records, &rows).unwrap_or_default();
        assert_eq!(
            to_string_indented(&found),
            to_string_indented(expected),
            "{}",
            predictions.display()
        );
    }
}
