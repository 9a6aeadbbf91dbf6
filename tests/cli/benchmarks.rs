//! The ready benchmarks: cards, configs, and runs on invented rows that lie in folders.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr, stdout};
use crate::ready_benchmarks::{self, Ready};

/// The benchmarks of the repository, as `list` tells them.
fn listed(scratch: &Scratch) -> Vec<Json> {
    let output = scratch.run(&["list", "benchmarks", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let listed: Json = serde_json::from_str(&stdout(&output)).unwrap();
    listed["benchmarks"].as_array().unwrap().clone()
}

fn config(name: &str) -> String {
    format!("{}/configs/benchmarks/{name}.py", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn benchmarks_are_listed_with_all_that_their_cards_say() {
    let scratch = Scratch::new();
    let benchmarks = listed(&scratch);
    assert!(benchmarks.len() >= 25, "{}", benchmarks.len());
    let table = stdout(&scratch.run(&["list", "benchmarks"]));
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    for benchmark in &benchmarks {
        let name = benchmark["name"].as_str().unwrap();
        assert!(table.lines().any(|line| line.starts_with(name)), "{name}");
        for part in ["title", "source", "licence", "metric", "opencompass", "lm-eval", "unchecked"]
        {
            assert!(!benchmark[part].as_str().unwrap().is_empty(), "{name}: {part}");
        }
        assert!(benchmark["samples"].as_u64() > Some(0), "{name}");
        assert!(benchmark["shots"].is_u64(), "{name}");
    }
    let parts: Json = serde_json::from_str(&stdout(&scratch.run(&["list", "--json"]))).unwrap();
    assert!(parts["benchmarks"].is_null(), "a benchmark is no part of a config");
}

#[test]
fn every_benchmark_resolves_and_is_asked_as_its_card_says() {
    let scratch = Scratch::new();
    for benchmark in listed(&scratch) {
        let name = benchmark["name"].as_str().unwrap();
        let path = benchmark["config"].as_str().unwrap();
        let output = scratch.run(&["config", path, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        let resolved: Json = serde_json::from_str(&stdout(&output)).unwrap();
        let datasets = resolved["datasets"].as_array().unwrap();
        let mut names = BTreeSet::new();
        for dataset in datasets {
            let abbr = dataset["abbr"].as_str().unwrap();
            assert!(abbr.starts_with(name) && names.insert(abbr), "{name}: {abbr}");
            // Source in the card and path in the config are the same repository.
            let source = benchmark["source"].as_str().unwrap();
            let path = dataset["path"].as_str().unwrap();
            assert!(source.starts_with(&format!("{path},")), "{name}: {source}");
            let ids = dataset["infer_cfg"]["retriever"]["fix_id_list"].as_array();
            let shots = ids.map_or(0, Vec::len);
            assert_eq!(benchmark["shots"], shots, "{name}");
            let inferencer = dataset["infer_cfg"]["inferencer"]["type"].as_str().unwrap();
            let (mode, kind) = match benchmark["mode"].as_str().unwrap() {
                "ppl" => ("ppl", "PPLInferencer"),
                "gen" => ("gen", "GenInferencer"),
                mode => (mode, "PPLOnlyInferencer"),
            };
            assert!(inferencer.ends_with(&format!(".{kind}")), "{name}: {mode}, {inferencer}");
            let rule = dataset["eval_cfg"]["rule"].as_str();
            if let Some(rule) = rule {
                let metric = benchmark["metric"].as_str().unwrap();
                assert!(metric.contains(&format!("by {rule}")), "{name}: {rule}, {metric}");
            }
            assert_eq!(rule.is_some(), mode == "ppl", "{name}");
        }
    }
}

/// Lays the files of a benchmark out as its repository has them, below the folder that is run in.
fn lay_out(scratch: &Scratch, ready: &Ready) {
    for (name, text) in &ready.files {
        scratch.write(&format!("{}/{name}", ready.repository), text);
    }
}

#[test]
fn benchmarks_run_on_rows_in_folders() {
    let all = ready_benchmarks::all();
    assert!(all.len() >= 12);
    for ready in all {
        let scratch = Scratch::new();
        lay_out(&scratch, &ready);
        let (config, model) = (config(ready.config), ready_benchmarks::model(scratch.path()));
        let arguments = ["--model", model.to_str().unwrap(), "--dataset", ready.dataset];
        let checked = scratch.run(&[&["check", &config, "--strict"], &arguments[..]].concat());
        assert_eq!(checked.status.code(), Some(0), "{}: {}", ready.dataset, stderr(&checked));
        let output = scratch.run(&[&["run", &config, "-w", "out"], &arguments[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{}: {}", ready.dataset, stderr(&output));
        let samples = scratch.export("out", "samples");
        let candidates = scratch.export("out", "candidates");
        ready_benchmarks::compare(&ready, &samples, &candidates);
    }
}

#[test]
fn a_benchmark_without_its_rows_says_how_to_get_them() {
    let scratch = Scratch::new();
    let output = scratch.run(&["check", &config("arc_easy"), "--model", "models/tiny-llama-bos"]);
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    assert!(told.contains("hf download allenai/ai2_arc --repo-type dataset"), "{told}");
}

#[test]
fn a_card_that_lacks_a_part_is_an_error_that_names_it() {
    let scratch = Scratch::new();
    let text = fs::read_to_string(Path::new(&config("piqa"))).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("licence:")).collect();
    scratch.write("configs/benchmarks/piqa.py", &lines.join("\n"));
    let output = scratch.run(&["list", "benchmarks"]);
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    assert!(told.contains("piqa.py") && told.contains("`licence:`"), "{told}");
}
