//! What the documentation promises: the demo's scores, the viewer, the check.

use std::{path::Path, process::Command};

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr, stdout};

/// The checkpoint that ships.
const POCKET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/pocket");

/// The binary in the repository's root, as its commands run it.
fn at_the_root(arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_surprisal"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("SURPRISAL_CACHE", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    (stdout(&output), stderr(&output))
}

#[test]
fn the_demo_scores_far_above_chance() {
    let work = tempfile::tempdir().unwrap();
    let work_dir = work.path().to_string_lossy().into_owned();
    let (out, _) = at_the_root(&["demo", "-w", &work_dir, "--limit", "40", "--json"]);
    let outcome: Json = serde_json::from_str(&out).unwrap();
    let results = outcome["results"].as_array().unwrap();
    let names: Vec<&str> = results.iter().map(|row| row["dataset"].as_str().unwrap()).collect();
    assert_eq!(names, ["sums", "choices_0shot", "choices_2shot", "rewriting", "sums_chat"]);
    for row in results {
        assert!(row["value"].as_f64().unwrap() > 80.0, "{row}");
        assert!(row["standard_error"].is_f64(), "{row}");
        assert_eq!(row["samples"], 40);
    }
    assert!(Path::new(outcome["folder"].as_str().unwrap()).join("summary").is_dir());
}

#[test]
fn the_demo_ends_with_a_comparison_that_finds_the_bad_wordings() {
    let work = tempfile::tempdir().unwrap();
    let work_dir = work.path().to_string_lossy().into_owned();
    let (out, said) = at_the_root(&["demo", "-w", &work_dir, "--limit", "40"]);
    assert!(said.contains("configs/variants/choices.py"), "{said}");
    assert!(out.contains("choices: 6 variants, model pocket"), "{out}");

    let config = "configs/variants/choices.py";
    let (out, _) = at_the_root(&["compare", config, "-w", &work_dir, "--json"]);
    let found: Json = serde_json::from_str(&out).unwrap();
    let comparison = &found["comparisons"][0];
    let name =
        |place: &Json| comparison["members"][place.as_u64().unwrap() as usize]["name"].clone();
    let is_bad = |place: &Json| name(place) == "stripped" || name(place) == "unlettered";
    let pairs = comparison["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 15);
    for pair in pairs {
        let (left, right) = (&pair["left"], &pair["right"]);
        // The two bad ones are bad in different ways, and one of them is worse.
        let differ = is_bad(left) || is_bad(right);
        assert_eq!(pair["is_real"], differ, "{pair}");
        if is_bad(left) != is_bad(right) {
            let better = if is_bad(left) { right } else { left };
            let start = format!("{} beats ", name(better).as_str().unwrap());
            assert!(pair["verdict"].as_str().unwrap().starts_with(&start), "{pair}");
        }
    }
}

#[test]
fn the_viewer_shows_markup_and_masking() {
    let (out, _) = at_the_root(&["view", "configs/demo.py", "--dataset", "sums_chat"]);
    assert!(out.contains("<|im_start|>system"), "{out}");
    assert!(out.contains("column \"answer\""), "{out}");
    let (out, _) =
        at_the_root(&["view", "configs/demo.py", "--dataset", "0shot", "--label", "B", "--json"]);
    let views: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(views[0]["prompts"].as_array().unwrap().len(), 1);
    assert!(views[0]["prompts"][0]["text"].as_str().unwrap().ends_with("Answer: B"), "{out}");
}

#[test]
fn the_check_counts_without_weights() {
    let (out, _) = at_the_root(&["check", "configs/demo.py", "--json"]);
    let rows: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(rows[1]["dataset"], "choices_0shot");
    assert_eq!(rows[1]["prompts"], 800);
    let count = |row: &Json, field: &str| row[field].as_u64().unwrap();
    for row in rows.as_array().unwrap() {
        assert!(count(row, "computed_tokens") < count(row, "prompt_tokens"), "{row}");
        assert!(count(&row["memory"], "kv_bytes") > 0, "{row}");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/pocket/model.safetensors");
    let held = count(&rows[0]["memory"], "weight_bytes") as f64;
    let stored = file.metadata().unwrap().len() as f64;
    assert!((0.9..1.2).contains(&(held / stored)), "{held} bytes of {stored}");
}

#[test]
fn the_bench_accounts_for_all_its_time_and_tokens() {
    let measure = ["bench", "--model", "models/pocket", "--workload", "gen", "--limit", "3"];
    let (out, _) = at_the_root(&[&measure[..], &["--json", "--repeat", "2"]].concat());
    let reports: Json = serde_json::from_str(&out).unwrap();
    let report = &reports[0];
    let number = |value: &Json| value.as_f64().unwrap();
    assert_eq!(report["requests"], 3);
    assert_eq!(report["tokens"]["generated_tokens"], 3 * 64);
    assert_eq!(report["tokens"]["forgotten_blocks"], 0);
    let rows = number(&report["prefill"]["tokens"]) + number(&report["decode"]["tokens"]);
    assert!((rows - number(&report["tokens"]["computed_tokens"])).abs() < 0.5, "{report}");
    let operations = report["operations"].as_array().unwrap();
    let spent = |phase: &str| operations.iter().map(|one| number(&one[phase])).sum::<f64>();
    let wall_seconds = number(&report["wall_seconds"]);
    let known = spent("prefill_seconds") + spent("decode_seconds");
    let other = number(&report["other_seconds"]);
    assert!((known + other - wall_seconds).abs() < 1e-6, "{report}");
    assert!(number(&report["flops"]) > 0.0);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("before.json");
    std::fs::write(&file, &out).unwrap();
    let (out, _) = at_the_root(&[&measure[..], &["--compare", &file.to_string_lossy()]].concat());
    assert!(out.contains("now / before"), "{out}");
    let compare = ["--compare", &file.to_string_lossy(), "--threads", "1", "--batch-tokens", "64"];
    let (_, said) = at_the_root(&[&measure[..], &compare].concat());
    assert!(said.contains("settings differ: "), "{said}");
    assert!(said.contains("rows a pass 64 now and 512 before"), "{said}");
}

#[test]
fn a_bench_of_nothing_or_of_other_work_is_an_error() {
    let scratch = Scratch::new();
    let measure = ["bench", "--model", POCKET, "--workload", "gen", "--limit", "1"];
    let before = scratch.run(&[&measure[..], &["--json"]].concat());
    scratch.write("before.json", &stdout(&before));
    let bench = ["bench", "--model", POCKET];
    for (arguments, says) in [
        (vec!["bench"], "what is to be measured?"),
        ([&bench[..], &["--repeat", "0"]].concat(), "from 1"),
        ([&bench[..], &["--limit", "0"]].concat(), "from 1"),
        ([&bench[..], &["--threads", "20000"]].concat(), "from 1 to 1024"),
        (
            [&bench[..], &["--workload", "gen", "--limit", "2", "--compare", "before.json"]]
                .concat(),
            "measure both with the same questions",
        ),
        (
            [&bench[..], &["--workload", "mmlu5", "--limit", "1", "--compare", "before.json"]]
                .concat(),
            "no report of mmlu5",
        ),
    ] {
        let output = scratch.run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(says), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_config_is_printed_as_it_evaluates() {
    let (out, _) = at_the_root(&["config", "configs/models/pocket.py", "--json"]);
    let variables: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(variables["models"][0]["abbr"], "pocket");
}

#[test]
fn a_chat_model_is_given_its_own_template() {
    let work = tempfile::tempdir().unwrap();
    let config = work.path().join("chat.py");
    let text = "from opencompass.models import HuggingFacewithChatTemplate\n\
                with read_base():\n    from configs.datasets.sums.sums_chat_gen import sums_chat_datasets as datasets\n\
                models = [dict(type=HuggingFacewithChatTemplate, abbr='chat', path='models/pocket', max_seq_len=512)]\n";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs").display().to_string();
    std::fs::write(&config, text).unwrap();
    let copy = work.path().join("configs");
    super::scratch::copy_folder(Path::new(&root), &copy);
    let work_dir = work.path().join("out").to_string_lossy().into_owned();
    let config = config.to_string_lossy().into_owned();
    let (out, _) = at_the_root(&["run", &config, "-w", &work_dir, "--limit", "40", "--json"]);
    let outcome: Json = serde_json::from_str(&out).unwrap();
    assert!(outcome["results"][0]["value"].as_f64().unwrap() > 80.0, "{out}");
    let (out, _) = at_the_root(&["view", &config]);
    assert!(out.contains("<|bos|><|im_start|>user\n"), "{out}");
}
