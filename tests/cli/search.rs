//! `search`: passages of a corpus, and how well queries find them.

use serde_json::Value as Json;

use super::scratch::{Scratch, copy_folder, fixtures, stderr, stdout};

const CORPUS: &str = r#"{"_id": "mill", "title": "Mill", "text": "A water wheel drives the stones. They grind wheat."}
{"_id": "river", "text": "The river is deep and slow."}
{"_id": "磨坊", "text": "磨坊在河边。石头磨小麦。"}
"#;

const QUERIES: &str = r#"{"query": "what drives the stones?", "relevant": ["mill"]}
{"query": "deep wheel", "relevant": ["mill", "river"]}
{"query": "小麦", "relevant": ["磨坊"]}
{"query": " ", "relevant": ["river"]}
"#;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("corpus.jsonl", CORPUS);
    scratch.write("queries.jsonl", QUERIES);
    scratch
}

/// What a successful `--json` says.
fn said(scratch: &Scratch, arguments: &[&str]) -> Json {
    let all = [&["search", "corpus.jsonl", "--json"], arguments].concat();
    let output = scratch.run(&all);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn ids(query: &Json) -> Vec<&str> {
    query["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap()).collect()
}

#[test]
fn passages_are_shown_with_where_they_stand() {
    let scratch = scratch();
    let arguments = ["search", "corpus.jsonl", "-q", "wheat", "-q", "磨坊", "--passage-words", "7"];
    let output = scratch.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = stdout(&output);
    assert!(shown.contains("query: wheat\n") && shown.contains("mill#2"), "{shown}");
    assert!(shown.contains("33–50"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(stderr(&output).contains("5 passages of 3 documents"), "{}", stderr(&output));
    let found = said(&scratch, &["-q", "wheat", "--passage-words", "7"]);
    let hit = &found["queries"][0]["hits"][0];
    assert_eq!(hit["text"], "They grind wheat.");
    assert_eq!(
        (&hit["start"], &hit["end"], &hit["document"]),
        (&33.into(), &50.into(), &"mill".into())
    );
}

#[test]
fn figures_are_those_of_the_ranks() {
    let scratch = scratch();
    let found = said(&scratch, &["--queries", "queries.jsonl", "-k", "2"]);
    let queries = found["queries"].as_array().unwrap();
    assert_eq!(queries.iter().map(ids).map(|ids| ids.len()).collect::<Vec<_>>(), [2, 2, 1, 0]);
    let figure = |name: &str| {
        let figures = found["figures"].as_array().unwrap();
        figures.iter().find(|figure| figure["name"] == name).unwrap()["value"].as_f64().unwrap()
    };
    for name in ["recall@2", "hit@2", "MRR@2", "MAP@2", "nDCG@2"] {
        assert!((figure(name) - 0.75).abs() < 1e-12, "{name}: {}", figure(name));
    }
    assert!((figure("precision@2") - 0.5).abs() < 1e-12);
    let output = scratch.run(&["search", "corpus.jsonl", "--queries", "queries.jsonl"]);
    assert!(stdout(&output).contains("MRR@10"), "{}", stdout(&output));
    assert!(
        stderr(&output).contains("empty queries, which find nothing: 1 of 4"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn vectors_are_made_once_and_ranks_are_fused() {
    let scratch = scratch();
    copy_folder(&fixtures().join("embeddings/minilm-mean"), &scratch.path().join("encoder"));
    let by = |way| ["-q", "the river is deep", "--by", way, "--encoder", "encoder", "-w", "out"];
    let dense = said(&scratch, &by("dense"));
    let hits = dense["queries"][0]["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 3);
    assert!(hits.iter().all(|hit| hit["score"].as_f64().unwrap().abs() < 1.0 + 1e-6), "{hits:?}");
    let hybrid = said(&scratch, &by("hybrid"));
    let best = hybrid["queries"][0]["hits"][0]["score"].as_f64().unwrap();
    assert!(best <= 2.0 / 61.0 + 1e-12, "{best}");
    let again = scratch.run(&[&["search", "corpus.jsonl"][..], &by("hybrid")].concat());
    assert!(stderr(&again).contains("4 of them were kept in out already"), "{}", stderr(&again));
    let other = scratch
        .run(&[&["search", "corpus.jsonl", "--query-prompt", "q: "][..], &by("dense")].concat());
    assert!(stderr(&other).contains("3 of them were kept"), "{}", stderr(&other));
}

#[test]
fn mistakes_are_told_with_what_to_do() {
    let scratch = scratch();
    scratch.write("bad.jsonl", "{\"query\": \"x\", \"relevant\": [\"mill\", \"moon\"]}\n");
    scratch.write("whole.jsonl", "{\"query\": \"x\", \"relevant\": [\"mill\"]}\n");
    for (arguments, expected) in [
        (&["--queries", "bad.jsonl"][..], "bad.jsonl, row 1: the corpus has no passage `moon`"),
        (&["--queries", "whole.jsonl", "--passage-words", "5"], "whose first passage is `mill#1`"),
        (&["-q", "x", "--by", "dense"], "--encoder"),
        (&["-q", "x", "--text-column", "body"], "no column `body`"),
        (&["-q", "x", "--passage-words", "5", "--overlap-words", "5"], "fewer than 5 words"),
        (&["-q", "x", "--index", "milvus", "--encoder", "e"], "--milvus"),
        (&["-q", "x", "--index", "milvus", "--milvus", "http://127.0.0.1"], "--encoder"),
        (
            &["-q", "x", "--index", "milvus", "--milvus", "http://127.0.0.1", "--encoder", "e"],
            "add --by dense or --by hybrid",
        ),
        (
            &["-q", "x", "--by", "dense", "--encoder", "e", "--milvus", "http://127.0.0.1"],
            "add --index milvus",
        ),
        (&[], "--query"),
    ] {
        let output = scratch.run(&[&["search", "corpus.jsonl"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    }
}

#[cfg(not(feature = "milvus"))]
#[test]
fn a_database_needs_a_build_that_asks_it() {
    let scratch = scratch();
    let output = scratch.run(&[
        "search",
        "corpus.jsonl",
        "-q",
        "x",
        "--by",
        "dense",
        "--encoder",
        "e",
        "--index",
        "milvus",
        "--milvus",
        "http://127.0.0.1:19530",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "error: `--index milvus` needs a build with `--features milvus`; this build has none of it: cargo build --release --features milvus\n"
    );
}
