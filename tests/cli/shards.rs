//! Shards of a run, asked apart and merged: the same files as one run, and nothing is merged that is not of that run.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use super::scratch::{CHOICES, Scratch, stderr, stdout};

const SHARDS: usize = 3;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CHOICES);
    let row = |index: usize| {
        let start = ["once upon a time", "in the morning", "there was"][index % 3];
        format!("{{\"text\": \"{start} {index}\", \"answer\": \"{}\"}}\n", ["a", "b"][index % 2])
    };
    scratch.write("data/rows.jsonl", &(0..30).map(row).collect::<String>());
    scratch
}

/// Asks shards and gives the exit code of each.
fn ask(scratch: &Scratch, numbers: impl Iterator<Item = usize>, count: usize) -> Vec<Option<i32>> {
    numbers
        .map(|number| {
            let shard = format!("{number}/{count}");
            scratch.run(&["run", "config.py", "-w", "out", "--shard", &shard]).status.code()
        })
        .collect()
}

fn merge(scratch: &Scratch) -> (Option<i32>, String, String) {
    let output = scratch.run(&["merge", "out"]);
    (output.status.code(), stdout(&output), stderr(&output))
}

/// Every file of a run but its page, without the time that names its folder.
pub(super) fn files(run: &Path) -> BTreeMap<String, String> {
    let time = run.file_name().unwrap().to_string_lossy().into_owned();
    let mut files = BTreeMap::new();
    let mut folders: Vec<PathBuf> = vec![run.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|ending| ending != "html") {
                let name = path.strip_prefix(run).unwrap().to_string_lossy().replace(&time, "TIME");
                files.insert(name, fs::read_to_string(&path).unwrap().replace(&time, "TIME"));
            }
        }
    }
    files
}

#[test]
fn merged_shards_are_one_run_byte_for_byte() {
    let scratch = scratch();
    let whole = scratch.run(&["run", "config.py", "-w", "whole"]);
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    assert_eq!(ask(&scratch, [1, 3].into_iter(), SHARDS), [Some(0), Some(0)]);
    let (code, _, said) = merge(&scratch);
    assert_eq!(code, Some(75), "{said}");
    assert!(said.contains("shard 2/3 is not there") && said.contains("--shard 2/3"), "{said}");
    // Any other number of shards asks what is missing, and nothing else.
    assert_eq!(ask(&scratch, 1..=2, 2), [Some(0), Some(0)]);
    let (code, table, said) = merge(&scratch);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(table, stdout(&whole));
    assert_eq!(files(&scratch.only_run("out")), files(&scratch.only_run("whole")));
    // What was merged is a run like any other.
    let again = scratch.run(&["run", "config.py", "-w", "out"]);
    assert!(stderr(&again).contains("0 tokens computed"), "{}", stderr(&again));
}

#[test]
fn shares_of_questions_about_pictures_are_the_same_in_every_process() {
    // Which thread sees which picture first differs from process to process.
    let scratch = super::images::scratch("llava", "rgb.png");
    let mut rows = String::new();
    for index in 0..24_u8 {
        let name = format!("picture{}.png", index % 8);
        let colour = image::Rgb([index % 8 * 30, 90, 200 - index % 8 * 20]);
        let picture = image::ImageBuffer::from_pixel(60 + u32::from(index % 8), 40, colour);
        picture.save(scratch.path().join(&name)).unwrap();
        let question = format!(
            "<AIS_IMAGE_START>{name}<AIS_CONTENT_TAG><AIS_TEXT_START>Number {index}?<AIS_CONTENT_TAG>"
        );
        rows += &serde_json::json!({"question": question, "answer": "x"}).to_string();
        rows.push('\n');
    }
    scratch.write("rows.jsonl", &rows);
    for attempt in 0..3 {
        assert_eq!(ask(&scratch, 1..=SHARDS, SHARDS), [Some(0); SHARDS], "{attempt}");
        let (code, _, said) = merge(&scratch);
        assert_eq!(code, Some(0), "{said}");
        fs::remove_dir_all(scratch.path().join("out")).unwrap();
    }
}

#[test]
fn a_shard_that_is_not_what_its_record_says_is_refused() {
    let scratch = scratch();
    assert_eq!(ask(&scratch, 1..=SHARDS, SHARDS), [Some(0); SHARDS]);
    let database = scratch.path().join("out/shards/2-of-3/surprisal.db");
    let mut bytes = fs::read(&database).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&database, bytes).unwrap();
    let (code, _, said) = merge(&scratch);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("2-of-3") && said.contains("not what its record says"), "{said}");
    // Asked once more, it is whole.
    assert_eq!(ask(&scratch, 2..=2, SHARDS), [Some(0)]);
    assert_eq!(merge(&scratch).0, Some(0));
    let record = scratch.path().join("out/shards/3-of-3/shard.json");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace("\"failed_samples\": 0", "\"failed_samples\": 1")).unwrap();
    let (code, _, said) = merge(&scratch);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("its record is not as it was written"), "{said}");
}

#[test]
fn shards_of_other_rows_or_another_config_are_refused() {
    let scratch = scratch();
    assert_eq!(ask(&scratch, 1..=2, SHARDS), [Some(0), Some(0)]);
    let rows = fs::read_to_string(scratch.path().join("data/rows.jsonl")).unwrap();
    scratch.write("data/rows.jsonl", &rows.replace("in the morning", "in the evening"));
    assert_eq!(ask(&scratch, 3..=3, SHARDS), [Some(0)]);
    let (code, _, said) = merge(&scratch);
    assert_eq!(code, Some(2), "{said}");
    // Of three shards two agree: the third is named.
    assert!(said.contains("with other rows than shard") && said.contains("3-of-3"), "{said}");
    assert!(!said.contains("1-of-3") && !said.contains("2-of-3"), "{said}");
    // The shards agree, and what lies here now does not.
    scratch.write("data/rows.jsonl", &rows);
    assert_eq!(ask(&scratch, 3..=3, SHARDS), [Some(0)]);
    scratch.write("data/rows.jsonl", &rows.replace("there was", "there is"));
    let (code, _, said) = merge(&scratch);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("has changed since the shards were asked"), "{said}");
}

#[test]
fn what_cannot_be_asked_in_parts_is_refused_by_name() {
    let scratch = scratch();
    for option in ["--fresh", "--posix"] {
        let output = scratch.run(&["run", "config.py", "-w", "out", "--shard", "1/2", option]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(option), "{}", stderr(&output));
    }
    let output = scratch.run(&["run", "config.py", "-w", "out", "--shard", "auto"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}
