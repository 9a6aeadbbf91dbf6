//! The dialogues that ship: what their columns promise, that their script writes them, and that the model which rewrites
//! their questions was trained on nothing of them.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value as Json;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/datasets/dialogues")
}

fn rows(name: &str) -> Vec<Json> {
    let text = fs::read_to_string(folder().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'a>(row: &'a Json, column: &str) -> &'a str {
    row[column].as_str().unwrap_or_else(|| panic!("{column} of {row}"))
}

/// Runs a script that needs nothing but Python's standard library. Without Python there is nothing to try.
#[expect(clippy::print_stderr, reason = "says why a test passes without having tested")]
fn python(script: &Path, arguments: &[&str]) -> Option<Output> {
    let output = Command::new("python3").arg("-B").arg(script).args(arguments).output();
    if output.is_err() {
        eprintln!("skipped: there is no python3 for {}", script.display());
    }
    output.ok()
}

fn succeeds(script: &Path, arguments: &[&str]) {
    let Some(output) = python(script, arguments) else { return };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn each_language_has_the_same_number_of_passages_and_of_dialogues_of_each_phenomenon() {
    let mut passages = BTreeMap::new();
    for row in rows("passages.jsonl") {
        *passages.entry(text(&row, "lang").to_owned()).or_insert(0) += 1;
    }
    assert_eq!(passages, BTreeMap::from([("en".to_owned(), 200), ("zh".to_owned(), 200)]));
    let mut dialogues = BTreeMap::new();
    for row in rows("test.jsonl") {
        let kind = (text(&row, "lang").to_owned(), text(&row, "phenomenon").to_owned());
        *dialogues.entry(kind).or_insert(0) += 1;
    }
    for lang in ["en", "zh"] {
        for (phenomenon, count) in [
            ("pronoun", 30),
            ("two_antecedents", 20),
            ("ellipsis", 20),
            ("time", 20),
            ("none_needed", 15),
            ("none_possible", 15),
        ] {
            let kind = (lang.to_owned(), phenomenon.to_owned());
            assert_eq!(dialogues.remove(&kind), Some(count), "{lang} {phenomenon}");
        }
    }
    assert!(dialogues.is_empty(), "{dialogues:?}");
}

#[test]
fn columns_agree_with_each_other_and_with_the_passages() {
    let passages: BTreeMap<String, Json> =
        rows("passages.jsonl").into_iter().map(|row| (text(&row, "id").to_owned(), row)).collect();
    assert_eq!(passages.len(), 400);
    let mut ids = HashSet::new();
    for row in rows("test.jsonl") {
        let id = text(&row, "id");
        assert!(ids.insert(id.to_owned()), "{id} twice");
        let changed = text(&row, "question") != text(&row, "gold_rewriting");
        assert_eq!(row["needs_rewriting"], Json::Bool(changed), "{id}");
        let turns = row["history"].as_array().unwrap().iter();
        let lines: Vec<String> = turns
            .map(|turn| {
                format!("Q: {}\nA: {}", turn[0].as_str().unwrap(), turn[1].as_str().unwrap())
            })
            .collect();
        assert_eq!(text(&row, "dialogue"), lines.join("\n"), "{id}");
        let relevant = row["relevant"].as_array().unwrap();
        let possible = text(&row, "phenomenon") != "none_possible";
        assert_eq!((!relevant.is_empty(), !text(&row, "answer").is_empty()), (possible, possible));
        let texts = relevant.iter().map(|known| {
            let passage = &passages[known.as_str().unwrap()];
            assert_eq!(passage["lang"], row["lang"], "{id}");
            format!("{}\n{}", text(passage, "title"), text(passage, "text")).to_lowercase()
        });
        let texts: String = texts.collect();
        // An answer in numbers with its unit, or in a word, stands in the passages.
        let answer = text(&row, "answer").to_lowercase();
        assert!(texts.contains(&answer) || answer.contains(['人', '米']), "{id}: {answer}");
    }
}

#[test]
fn the_script_writes_the_same_bytes_again() {
    succeeds(&folder().join("make.py"), &["--check"]);
}

#[test]
fn the_model_that_rewrites_saw_nothing_of_the_test() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/pocket_dialogue");
    succeeds(&model.join("check.py"), &[]);
}

#[test]
fn a_name_that_training_has_is_found() {
    let scratch = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for own in ["configs/datasets/dialogues", "models/pocket_dialogue"] {
        fs::create_dir_all(scratch.path().join(own)).unwrap();
        for file in fs::read_dir(root.join(own)).unwrap().map(|file| file.unwrap().path()) {
            if file.extension().is_some_and(|kind| kind == "py" || kind == "jsonl") {
                let copy = scratch.path().join(own).join(file.file_name().unwrap());
                fs::copy(file, copy).unwrap();
            }
        }
    }
    // Two names of the test become one of the first texts of training each.
    let make = scratch.path().join("configs/datasets/dialogues/make.py");
    let script = fs::read_to_string(&make).unwrap();
    let planted =
        script.replace(r#""Drake": "Draket""#, r#""Drake": "Breageastaix", "樊雨月": "扣项弘""#);
    assert_ne!(script, planted);
    fs::write(make, planted).unwrap();
    let check = scratch.path().join("models/pocket_dialogue/check.py");
    let Some(output) = python(&check, &["30"]) else { return };
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for found in ["word of a name Breageastaix\n", "name 扣项弘\n", ": 2 things of the test"] {
        assert!(said.contains(found), "no {found:?} in {said}");
    }
}
