//! What is kept is used again, and only if it is what was asked for.

use std::fs;

use serde_json::Value as Json;

use super::scratch::{CHOICES as CONFIG, Scratch, stderr, stdout};

const SAMPLES: usize = 30;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    rows(&scratch, |index| ["a", "b"][index % 2]);
    scratch
}

fn rows(scratch: &Scratch, gold: impl Fn(usize) -> &'static str) {
    let row =
        |index| format!("{{\"text\": \"once {index} upon\", \"answer\": \"{}\"}}\n", gold(index));
    scratch.write("data/rows.jsonl", &(0..SAMPLES).map(row).collect::<String>());
}

/// What a run says, as JSON.
fn outcome(scratch: &Scratch, more: &[&str]) -> Json {
    let output = scratch.run(&[&["run", "config.py", "-w", "out", "--json"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn computed(outcome: &Json) -> u64 {
    outcome["work"]["computed_tokens"].as_u64().unwrap()
}

fn run_folders(scratch: &Scratch) -> usize {
    let entries = fs::read_dir(scratch.path().join("out")).unwrap();
    entries.filter(|entry| entry.as_ref().unwrap().path().join("configs").is_dir()).count()
}

#[test]
fn the_same_command_again_prints_what_is_kept() {
    let scratch = scratch();
    let first = outcome(&scratch, &[]);
    assert!(computed(&first) > 0);
    let again = scratch.run(&["run", "config.py", "-w", "out"]);
    assert!(stderr(&again).contains("0 tokens computed"), "{}", stderr(&again));
    let second = outcome(&scratch, &[]);
    assert_eq!(computed(&second), 0);
    assert_eq!(second["results"], first["results"]);
    assert_eq!(run_folders(&scratch), 1);
    let fresh = outcome(&scratch, &["--fresh"]);
    assert_eq!(computed(&fresh), computed(&first));
    assert_eq!(fresh["results"], first["results"]);
}

#[test]
fn what_does_not_change_an_answer_asks_nothing() {
    let scratch = scratch();
    outcome(&scratch, &[]);
    let changes = [
        ("AccEvaluator", "AccwithDetailsEvaluator"),
        ("abbr='choices'", "abbr='others'"),
        (
            "{'a': '{text} the cat', 'b': '{text} the dog'}",
            "{'b': '{text} the dog', 'a': '{text} the cat'}",
        ),
        ("eval_cfg=dict(", "eval_cfg=dict(rule='sum', "),
    ];
    for (from, to) in changes {
        scratch.write("config.py", &CONFIG.replace(from, to));
        assert_eq!(computed(&outcome(&scratch, &[])), 0, "{to}");
    }
    let more = CONFIG.replace(
        "datasets = [choices]",
        "more = dict(choices, abbr='more', infer_cfg=dict(choices['infer_cfg'], prompt_template=dict(\
         type='PromptTemplate', template={'a': '{text} a cat', 'b': '{text} the dog'})))\ndatasets = [choices, more]",
    );
    scratch.write("config.py", &more);
    let outcome = outcome(&scratch, &[]);
    assert_eq!(outcome["work"]["questions"], 3 * SAMPLES);
    assert_eq!(outcome["work"]["reused_questions"], 2 * SAMPLES);
}

#[test]
fn whatever_changes_an_answer_or_a_gold_counts() {
    let scratch = scratch();
    let first = outcome(&scratch, &[]);
    // Corrected golds: nothing is asked, and every figure is new.
    rows(&scratch, |index| ["b", "a"][index % 2]);
    let corrected = outcome(&scratch, &[]);
    assert_eq!(computed(&corrected), 0);
    let value = |outcome: &Json| outcome["results"][0]["value"].as_f64().unwrap();
    assert!((value(&first) + value(&corrected) - 100.0).abs() < 1e-9);
    // Weights that differ in the middle, at the same size and time of modification.
    let file = scratch.path().join("models/tiny-llama-bos/model.safetensors");
    let modified = file.metadata().unwrap().modified().unwrap();
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(&file, bytes).unwrap();
    fs::File::options().append(true).open(&file).unwrap().set_modified(modified).unwrap();
    assert!(computed(&outcome(&scratch, &[])) > 0);
}

#[test]
fn a_run_is_evaluated_again_without_weights_and_data() {
    let scratch = scratch();
    let first = outcome(&scratch, &[]);
    fs::remove_dir_all(scratch.path().join("models")).unwrap();
    fs::remove_dir_all(scratch.path().join("data")).unwrap();
    let evaluate = |more: &[&str]| -> Json {
        let output =
            scratch.run(&[&["evaluate", "latest"], more, &["-w", "out", "--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_str(&stdout(&output)).unwrap()
    };
    assert_eq!(evaluate(&[])["results"], first["results"]);
    let other = CONFIG.replace("AccEvaluator", "AccwithDetailsEvaluator");
    scratch.write("other.py", &other.replace("eval_cfg=dict(", "eval_cfg=dict(rule='text_sum', "));
    assert_eq!(evaluate(&["other.py"])["results"][0]["samples"], SAMPLES);
    let listed = scratch.run(&["runs", "-w", "out", "--json"]);
    let listed: Json = serde_json::from_str(&stdout(&listed)).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 3);
    assert_eq!(listed[2]["evaluates"], listed[0]["name"]);
    scratch.write("strange.py", &CONFIG.replace("abbr='choices'", "abbr='nothing'"));
    let output = scratch.run(&["evaluate", "latest", "strange.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("choices"), "{}", stderr(&output));
}

#[test]
fn processes_on_one_folder_share_the_work() {
    const PROCESSES: usize = 16;
    let scratch = scratch();
    let arguments = ["run", "config.py", "-w", "out", "--json"];
    let children: Vec<_> = (0..PROCESSES)
        .map(|_| {
            let mut command = scratch.command(&arguments);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let mut total = 0;
    let mut results = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!stderr(&output).contains("locked"), "{}", stderr(&output));
        let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
        total += usize::from(computed(&outcome) > 0);
        results.push(outcome["results"].clone());
    }
    assert_eq!(total, 1, "one of them computes");
    assert!(results.iter().all(|own| *own == results[0]));
    assert_eq!(run_folders(&scratch), 1);
    assert_eq!(scratch.export("out", "samples").len(), SAMPLES);
    assert!(!scratch.path().join("out/surprisal.claims").exists());
}

#[test]
fn flipped_bits_cost_answers_and_never_a_figure() {
    let scratch = scratch();
    let expected = outcome(&scratch, &[])["results"].clone();
    let path = scratch.path().join("out/surprisal.db");
    let whole = fs::read(&path).unwrap();
    let flips: usize =
        std::env::var("SURPRISAL_BIT_FLIPS").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    // Repeatable places (Knuth's MMIX constants).
    let mut state = 0x5eed_u64;
    let mut refused = 0;
    for flip in 0..flips {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut bytes = whole.clone();
        let bit = (state >> 20) as usize % (bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, bytes).unwrap();
        for left in ["-wal", "-shm"] {
            let _ = fs::remove_file(scratch.path().join(format!("out/surprisal.db{left}")));
        }
        // Every other time a changed config, so that answers are read and not only the table.
        let config = if flip % 2 == 0 {
            CONFIG.to_owned()
        } else {
            CONFIG.replace("'AccEvaluator'", "'acc'")
        };
        scratch.write("config.py", &config);
        let output = scratch.run(&["run", "config.py", "-w", "out", "--json"]);
        match output.status.code() {
            Some(0) => {
                let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
                assert_eq!(outcome["results"], expected, "bit {bit}: {}", stderr(&output));
            }
            Some(2) => refused += 1,
            other => panic!("bit {bit}: {other:?} {}", stderr(&output)),
        }
    }
    println!("bit flips: {flips} tried, {refused} refused, 0 other figures");
    assert!(refused * 20 <= flips, "{refused} of {flips} refused");
}
