//! `surprisal list`: every part that a config may name.

use serde_json::Value;

use super::scratch::{Scratch, stderr, stdout};

#[test]
fn every_registry_is_listed_with_all_names() {
    let scratch = Scratch::new();
    let listed: Value = serde_json::from_str(&stdout(&scratch.run(&["list", "--json"]))).unwrap();
    let table = stdout(&scratch.run(&["list"]));
    for (parts, name, alias) in [
        ("retrievers", "bm25", "BM25Retriever"),
        ("templates", "fields", "PromptTemplate"),
        ("inferencers", "ppl", "PPLInferencer"),
        ("rules", "per_char", "acc_norm"),
        ("postprocessors", "first_capital", "first_capital_postprocess"),
        ("evaluators", "acc", "AccEvaluator"),
        ("models", "chat", "HuggingFacewithChatTemplate"),
        ("families", "llama", "LlamaForCausalLM"),
    ] {
        let lines = listed[parts].as_array().unwrap();
        let line = lines.iter().find(|line| line["name"] == name).unwrap();
        assert!(line["aliases"].as_array().unwrap().iter().any(|one| one == alias), "{line}");
        assert!(!line["about"].as_str().unwrap().is_empty());
        for text in [parts, name, alias] {
            assert!(table.contains(text), "{text}");
        }
    }
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

#[test]
fn one_registry_is_listed_alone() {
    let scratch = Scratch::new();
    let table = stdout(&scratch.run(&["list", "evaluators"]));
    assert!(table.contains("AveragePPLEvaluator") && !table.contains("Retriever"), "{table}");
    let refused = scratch.run(&["list", "evaluator"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("evaluators"), "{}", stderr(&refused));
}

#[test]
fn a_config_may_use_our_names_and_gives_the_same_scores() {
    let opencompass = scores(|text| text);
    let ours = scores(|text| {
        [
            ("type=HuggingFaceCausalLM", "type='causal'"),
            ("type=PromptTemplate", "type='fields'"),
            ("type=ZeroRetriever", "type='zero'"),
            ("type=FixKRetriever", "type='fix_k'"),
            ("type=BM25Retriever", "type='bm25'"),
            ("type=GenInferencer", "type='gen'"),
            ("type=PPLInferencer", "type='ppl'"),
            ("type=PPLOnlyInferencer", "type='ppl_only'"),
            ("type=AccEvaluator", "type='acc'"),
            ("type=AccwithDetailsEvaluator", "type='acc_with_details'"),
            ("type=AveragePPLEvaluator", "type='average_ppl'"),
            ("type=first_option_postprocess", "type='first_option'"),
        ]
        .iter()
        .fold(text, |text, (theirs, ours)| {
            assert!(text.contains(theirs), "{theirs}");
            text.replace(theirs, ours)
        })
    });
    assert!(opencompass.iter().any(|line| line.contains("ppl")), "{opencompass:?}");
    assert_eq!(ours, opencompass);
}

/// Every line of the summary of a run, without the version of the prompts, which hashes the names.
fn scores(change: impl Fn(String) -> String) -> Vec<String> {
    let scratch = Scratch::new();
    scratch.copy("e2e_run1");
    let config = std::fs::read_to_string(scratch.path().join("eval_tiny.py")).unwrap();
    scratch.write("named.py", &change(config));
    let output = scratch.run(&["run", "named.py", "-w", "out", "--limit", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary = scratch.only_run("out").join("summary");
    let files = std::fs::read_dir(summary).unwrap().map(|file| file.unwrap().path());
    let is_summary = |name: &str| name.starts_with("summary_") && name.contains(".csv");
    let csv =
        files.into_iter().find(|file| is_summary(&file.file_name().unwrap().to_string_lossy()));
    let text = std::fs::read_to_string(csv.unwrap()).unwrap();
    let without_version = |line: &str| {
        let cells = line.split(',').enumerate().filter(|(column, _)| *column != 1);
        cells.map(|(_, cell)| cell).collect::<Vec<_>>().join(",")
    };
    text.lines().map(without_version).collect()
}
