//! Whole runs against files that OpenCompass wrote for the same configs, data and checkpoints.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::scratch::{Scratch, fixtures, stderr};
use serde_json::Value as Json;

/// How far a perplexity may be from OpenCompass's, in nats per token.
const PPL_TOLERANCE: f64 = 1e-4;

#[test]
fn run_1_equals_opencompass() {
    equals_opencompass("e2e_run1", "eval_tiny.py");
}

#[test]
fn run_3_equals_opencompass() {
    equals_opencompass("e2e_run3", "eval_tiny3.py");
}

/// `n` and `k`, options turned round, files of one's own.
#[test]
fn repeats_circles_and_own_files_equal_opencompass() {
    equals_opencompass("e2e_repeats", "eval_repeats.py");
}

fn equals_opencompass(fixture: &str, config: &str) {
    let scratch = Scratch::new();
    scratch.copy(fixture);
    let output = scratch.run(&["run", config, "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run = scratch.only_run("out");
    let expected = fixtures().join(fixture).join("expected");
    let mut compared = 0;
    for kind in ["predictions", "results"] {
        for file in files(&expected.join(kind)) {
            let name = file.strip_prefix(&expected).unwrap();
            let wanted = without_padding(json(&file), name, &fixtures().join(fixture));
            contains(&json(&run.join(name)), &wanted, &name.display().to_string());
            compared += 1;
        }
    }
    assert!(compared >= 4);
    let time_stamp = run.file_name().unwrap().to_string_lossy().into_owned();
    for extension in ["txt", "csv", "md"] {
        let text =
            fs::read_to_string(run.join(format!("summary/summary_{time_stamp}.{extension}")))
                .unwrap();
        let wanted =
            fs::read_to_string(expected.join(format!("summary/summary_TIMESTAMP.{extension}")))
                .unwrap();
        assert_same_summary(&text.replace(&time_stamp, "TIMESTAMP"), &wanted);
    }
}

/// With `batch_padding` OpenCompass pads prompts of one batch on the right and continues them after
/// the padding, which changes the shorter ones. This engine never pads; `unpadded.json` holds what
/// transformers continues each of these prompts with on its own.
fn without_padding(mut expected: Json, name: &Path, fixture: &Path) -> Json {
    let Ok(text) = fs::read_to_string(fixture.join("unpadded.json")) else { return expected };
    let unpadded: Json = serde_json::from_str(&text).unwrap();
    let mut parts = name
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect::<Vec<_>>();
    let (dataset, model, kind) = (parts.pop().unwrap(), parts.pop().unwrap(), parts.pop().unwrap());
    for (id, continuation) in unpadded[&model][&dataset].as_object().into_iter().flatten() {
        if kind == "predictions" {
            expected[id]["prediction"] = continuation.clone();
        } else {
            let detail = expected["details"][id].as_object_mut().unwrap();
            detail.insert("origin_prediction".to_owned(), continuation.clone());
            // Post-processed from the padded text.
            detail.remove("predictions");
        }
    }
    expected
}

/// Everything that OpenCompass wrote is there with the same value; more may be there.
fn contains(got: &Json, expected: &Json, place: &str) {
    match (got, expected) {
        (Json::Object(got), Json::Object(expected)) => {
            for (key, value) in expected {
                let own = got.get(key).unwrap_or_else(|| panic!("{place}: no {key:?}"));
                contains(own, value, &format!("{place}.{key}"));
            }
        }
        (Json::Array(got), Json::Array(expected)) => {
            assert_eq!(got.len(), expected.len(), "{place}");
            for (index, (got, expected)) in got.iter().zip(expected).enumerate() {
                contains(got, expected, &format!("{place}[{index}]"));
            }
        }
        (Json::Number(got), Json::Number(expected)) if expected.is_f64() => {
            let (got, expected) = (got.as_f64().unwrap(), expected.as_f64().unwrap());
            // BPB is a perplexity times tokens per byte.
            let tolerance = PPL_TOLERANCE * if place.ends_with("BPB") { 10.0 } else { 1.0 };
            assert!((got - expected).abs() <= tolerance, "{place}: {got} is not {expected}");
        }
        _ => assert_eq!(got, expected, "{place}"),
    }
}

/// Byte for byte, except that numbers of the raw block may differ by rounding.
fn assert_same_summary(got: &str, expected: &str) {
    let number = |word: &str| word.trim_end_matches(['}', ',']).parse::<f64>().ok();
    let (got_lines, expected_lines): (Vec<&str>, Vec<&str>) =
        (got.lines().collect(), expected.lines().collect());
    assert_eq!(got_lines.len(), expected_lines.len(), "{got}\n---\n{expected}");
    for (got, expected) in got_lines.iter().zip(expected_lines) {
        let words = got.split(' ').zip(expected.split(' '));
        for (got_word, expected_word) in words {
            let close = match (number(got_word), number(expected_word)) {
                (Some(got), Some(expected)) => (got - expected).abs() <= PPL_TOLERANCE,
                _ => got_word == expected_word,
            };
            assert!(close, "{got}\n is not\n{expected}");
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

fn json(path: &Path) -> Json {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}
