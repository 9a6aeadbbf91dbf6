//! A first config: what `init` writes runs as it is, and its comments say what is true.

use std::{collections::BTreeSet, fs};

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr, stdout};

const LETTERED: &str = r#"{"question": "What is 1+1?", "A": "2", "B": "3", "C": "7", "answer": "A"}
{"question": "What is 2+3?", "A": "4", "B": "5", "C": "9", "answer": "B"}
"#;

const LISTED: &str = r#"[{"question": "What is 1+1?", "choices": ["2", "3"], "answer": 0}]
"#;

const FREE: &str = r#"{"question": "1+1=?", "answer": "2"}
"#;

fn ends_well(scratch: &Scratch, arguments: &[&str]) -> (String, String) {
    let output = scratch.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    (stdout(&output), stderr(&output))
}

fn refused(scratch: &Scratch, arguments: &[&str]) -> String {
    let output = scratch.run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
    stderr(&output)
}

/// Every kind of file that a config is written for, with what is typed about it.
const KINDS: [(&str, &str, &[&str]); 6] = [
    ("quiz.jsonl", LETTERED, &[]),
    ("quiz.jsonl", LETTERED, &["--infer-method", "ppl"]),
    (
        "quiz.jsonl",
        LETTERED,
        &["--infer-method", "ppl", "--shots", "1", "--examples", "shown.jsonl"],
    ),
    ("quiz.jsonl", LETTERED, &["--data-type", "circular-mcq"]),
    ("listed.json", LISTED, &["--choices", "choices"]),
    ("free.v2.jsonl", FREE, &[]),
];

#[test]
fn what_is_written_asks_the_same_as_the_file() {
    for (file, rows, typed) in KINDS {
        let scratch = Scratch::new();
        scratch.write(file, rows);
        scratch.write("shown.jsonl", LETTERED);
        let told = ends_well(&scratch, &[&["init", file, "-o", "own.py"], typed].concat()).1;
        assert!(told.contains("taken as") && told.contains("surprisal run own.py"), "{told}");
        let model = ["--model", "models/pocket", "--limit", "1", "-w", "out", "--json"];
        let of_file = ends_well(&scratch, &[&["run", file], typed, &model].concat()).0;
        let of_config = ["run", "own.py", "--limit", "1", "-w", "out", "--json"];
        let of_config = ends_well(&scratch, &of_config).0;
        let [of_file, of_config]: [Json; 2] =
            [of_file, of_config].map(|text| serde_json::from_str(&text).unwrap());
        assert_eq!(of_config["results"][0]["value"], of_file["results"][0]["value"], "{typed:?}");
        assert_eq!(of_config["work"]["computed_tokens"], 0, "{typed:?}: {of_config}");
    }
}

#[test]
fn every_field_that_a_comment_offers_may_stand_there() {
    for (file, rows, typed) in KINDS {
        let scratch = Scratch::new();
        scratch.write(file, rows);
        scratch.write("shown.jsonl", LETTERED);
        ends_well(&scratch, &[&["init", file, "-o", "own.py"], typed].concat());
        let config = fs::read_to_string(scratch.path().join("own.py")).unwrap();
        assert!(config.lines().all(|line| line.chars().count() <= 132), "{config}");
        let offers = |line: &str| {
            let name = line.trim_start().strip_prefix("# ")?.split_once('=')?.0.to_owned();
            let is_field = name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
            is_field.then_some(name)
        };
        let mut offered = BTreeSet::new();
        for (place, line) in config.lines().enumerate() {
            let Some(name) = offers(line) else { continue };
            let taken: Vec<String> = config
                .lines()
                .enumerate()
                .map(
                    |(at, line)| {
                        if at == place { line.replacen("# ", "", 1) } else { line.to_owned() }
                    },
                )
                .collect();
            scratch.write("taken.py", &taken.join("\n"));
            ends_well(&scratch, &["check", "taken.py", "--limit", "1"]);
            offered.insert(name);
        }
        assert!(offered.contains("test_range") && offered.contains("max_seq_len"), "{offered:?}");
    }
}

#[test]
fn every_part_that_a_comment_names_is_a_part() {
    let scratch = Scratch::new();
    scratch.write("quiz.jsonl", LETTERED);
    let parts = stdout(&scratch.run(&["list", "--json"]));
    for method in ["gen", "ppl"] {
        let output = format!("{method}.py");
        ends_well(&scratch, &["init", "quiz.jsonl", "--infer-method", method, "-o", &output]);
        let config = fs::read_to_string(scratch.path().join(output)).unwrap();
        let is_part = |word: &&str| {
            ["Retriever", "Inferencer", "Evaluator", "CausalLM", "ChatTemplate", "Template"]
                .iter()
                .any(|ending| word.ends_with(ending))
        };
        let words = config.split(|letter: char| !letter.is_ascii_alphanumeric());
        let named: BTreeSet<&str> = words.filter(is_part).collect();
        assert!(named.len() >= 6, "{named:?}");
        for name in named {
            assert!(parts.contains(&format!("\"{name}\"")), "{name}");
        }
    }
}

#[test]
fn an_example_is_written_where_there_is_no_file() {
    let scratch = Scratch::new();
    for (arguments, folder) in [(&["init"][..], ""), (&["init", "deep/quiz"], "deep/quiz/")] {
        let told = ends_well(&scratch, arguments).1;
        let config = format!("{folder}quiz.py");
        assert!(told.contains(&format!("surprisal run {config}")), "{told}");
        let rows = fs::read_to_string(scratch.path().join(folder).join("quiz.jsonl")).unwrap();
        assert!(rows.lines().count() >= 10);
        let outcome = ends_well(&scratch, &["run", &config, "--json", "-w", "out"]).0;
        let outcome: Json = serde_json::from_str(&outcome).unwrap();
        assert!(outcome["results"][0]["value"].as_f64().unwrap() > 80.0, "{outcome}");
        let before = fs::read_to_string(scratch.path().join(&config)).unwrap();
        let error = refused(&scratch, arguments);
        assert!(error.contains("is there already") && error.contains("another"), "{error}");
        assert_eq!(fs::read_to_string(scratch.path().join(&config)).unwrap(), before);
    }
}

#[test]
fn a_config_finds_its_file_from_other_folders() {
    let scratch = Scratch::new();
    scratch.write("data/quiz.jsonl", LETTERED);
    fs::create_dir(scratch.path().join("elsewhere")).unwrap();
    let other = tempfile::tempdir().unwrap();
    let far = other.path().join("far.py").display().to_string();
    for output in ["quiz.py", "data/quiz.py", "new/quiz.py", &far] {
        ends_well(&scratch, &["init", "data/quiz.jsonl", "-o", output]);
        let config = scratch.path().join(output).display().to_string();
        let mut command = scratch.command(&["check", &config]);
        let output = command.current_dir(scratch.path().join("elsewhere")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{config}: {}", stderr(&output));
    }
}

#[test]
fn nothing_is_written_over_and_what_is_no_file_of_rows_is_refused() {
    let scratch = Scratch::new();
    scratch.write("quiz.jsonl", LETTERED);
    scratch.write("quiz.py", "mine = 1\n");
    let error = refused(&scratch, &["init", "quiz.jsonl"]);
    assert!(error.contains("quiz.py is there already") && error.contains("-o"), "{error}");
    assert!(refused(&scratch, &["init"]).contains("quiz.py is there already"));
    assert_eq!(fs::read_to_string(scratch.path().join("quiz.py")).unwrap(), "mine = 1\n");
    for (arguments, expected) in [
        (&["init", "absent.jsonl"][..], "absent.jsonl"),
        (&["init", "quiz.jsnol"], "quiz.jsnol is not here"),
        (&["init", "new", "--gold", "x"], "there is none among new"),
        (&["init", "quiz.jsonl", "-o", "b.py", "--gold", "x"], "there is no column \"x\""),
    ] {
        let error = refused(&scratch, arguments);
        assert!(error.contains(expected), "{arguments:?}: {error}");
        assert!(!scratch.path().join("b.py").exists());
    }
    assert!(!scratch.path().join("quiz.jsnol").exists() && !scratch.path().join("new").exists());
}

#[test]
fn the_model_that_is_typed_stands_in_the_config() {
    let scratch = Scratch::new();
    scratch.write("quiz.jsonl", LETTERED);
    ends_well(
        &scratch,
        &["init", "quiz.jsonl", "--model", "models/tiny-llama-bos", "--infer-method", "ppl"],
    );
    let outcome: Json =
        serde_json::from_str(&ends_well(&scratch, &["run", "quiz.py", "--json"]).0).unwrap();
    assert_eq!(outcome["results"][0]["model"], "tiny-llama-bos");
}
