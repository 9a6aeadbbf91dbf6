//! `search` by vectors: kinds of indexes, given vectors, and what is kept of both.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::Duration,
};

use serde_json::Value as Json;
use surprisal::{
    hub::Silent,
    passages::{Corpus, CorpusOptions, PassageEncoder as _, TextRole},
    prepare::{CheckpointEncoder, CheckpointModels},
};

use super::scratch::{Scratch, copy_folder, fixtures, stderr, stdout};

/// More passages than a search looks at by default.
const PASSAGES: usize = 300;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let row = |number: usize| {
        let words = ["mill", "river", "stone", "wheat", "bridge"];
        format!(
            "{{\"id\": {number}, \"text\": \"{} {} {number}\"}}\n",
            words[number % 5],
            words[number / 5 % 5]
        )
    };
    scratch.write("corpus.jsonl", &(0..PASSAGES).map(row).collect::<String>());
    scratch.write(
        "queries.jsonl",
        "{\"query\": \"a mill\"}\n{\"query\": \" \"}\n{\"query\": \"stone bridge\"}\n",
    );
    copy_folder(&fixtures().join("embeddings/minilm-mean"), &scratch.path().join("encoder"));
    scratch
}

/// Writes a matrix as NumPy does.
fn write_npy(path: &Path, width: usize, numbers: &[f32]) {
    let rows = numbers.len() / width;
    let header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {width}), }}\n");
    let length = (header.len() as u16).to_le_bytes();
    let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    fs::write(path, [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &numbers].concat())
        .unwrap();
}

/// Vectors that differ from each other.
fn numbers(rows: usize, width: usize) -> Vec<f32> {
    (0..rows * width).map(|place| ((place * place + 7 * place) % 101) as f32 - 50.0).collect()
}

const DENSE: &[&str] = &["search", "corpus.jsonl", "--by", "dense", "--json"];
const ENCODED: &[&str] = &["--queries", "queries.jsonl", "--encoder", "encoder", "-w", "out"];

/// What a successful search found, and what it said.
fn found(scratch: &Scratch, arguments: &[&[&str]]) -> (Json, String) {
    let output = scratch.run(&[&[DENSE], arguments].concat().concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let found: Json = serde_json::from_str(&stdout(&output)).unwrap();
    (found["queries"].clone(), stderr(&output))
}

fn refused(scratch: &Scratch, arguments: &[&[&str]]) -> String {
    let output = scratch.run(&arguments.concat());
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(stdout(&output), "");
    stderr(&output)
}

fn only_graph(scratch: &Scratch) -> PathBuf {
    let graphs = fs::read_dir(scratch.path().join("out/passage_graphs")).unwrap();
    let graphs: Vec<PathBuf> = graphs.map(|file| file.unwrap().path()).collect();
    assert_eq!(graphs.len(), 1, "{graphs:?}");
    graphs[0].clone()
}

#[test]
fn a_kept_graph_is_used_again_unless_it_is_damaged_or_of_other_vectors() {
    let scratch = scratch();
    let (exact, _) = found(&scratch, &[ENCODED]);
    assert!(!scratch.path().join("out/passage_graphs").exists());
    let hnsw: &[&[&str]] = &[ENCODED, &["--index", "hnsw"]];
    let (first, said) = found(&scratch, hnsw);
    assert_eq!(first, exact);
    assert!(!said.contains("graphs of vectors"), "{said}");
    let whole = fs::read(only_graph(&scratch)).unwrap();
    let (again, said) = found(&scratch, hnsw);
    assert_eq!(again, exact);
    assert!(
        said.contains("graphs of vectors: 1; 1 of them were kept in out/passage_graphs already"),
        "{said}"
    );
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 8;
    fs::write(only_graph(&scratch), flipped).unwrap();
    let (mended, said) = found(&scratch, hnsw);
    assert_eq!(mended, exact);
    assert!(said.contains("damaged and made again: 1"), "{said}");
    assert_eq!(fs::read(only_graph(&scratch)).unwrap(), whole);
    // Another encoder has a graph of its own, and finds what it finds alone.
    copy_folder(&fixtures().join("embeddings/bge-cls"), &scratch.path().join("other"));
    let other = ["--queries", "queries.jsonl", "--encoder", "other", "-w", "out"];
    let (alone, _) = found(&scratch, &[&other]);
    let (by_graph, said) = found(&scratch, &[&other, &["--index", "hnsw"]]);
    assert_eq!(by_graph, alone);
    assert!(!said.contains("graphs of vectors"), "{said}");
    assert_eq!(fs::read_dir(scratch.path().join("out/passage_graphs")).unwrap().count(), 2);
}

#[test]
fn given_vectors_take_the_place_of_an_encoder() {
    let scratch = scratch();
    let passages = numbers(PASSAGES, 6);
    write_npy(&scratch.path().join("p.npy"), 6, &passages);
    write_npy(
        &scratch.path().join("q.npy"),
        6,
        &[&passages[6 * 40..6 * 41], &[0.0; 6], &passages[..6]].concat(),
    );
    let given: &[&str] = &[
        "--queries",
        "queries.jsonl",
        "--vectors",
        "p.npy",
        "--query-vectors",
        "q.npy",
        "-w",
        "out",
    ];
    let (exact, _) = found(&scratch, &[given]);
    assert_eq!(
        (&exact[0]["hits"][0]["id"], &exact[2]["hits"][0]["id"]),
        (&"40".into(), &"0".into())
    );
    assert_eq!(exact[1]["hits"].as_array().unwrap().len(), 0);
    assert!(!scratch.path().join("out").exists());
    let (by_graph, _) = found(&scratch, &[given, &["--index", "hnsw"]]);
    assert_eq!(by_graph, exact);
    only_graph(&scratch);
}

#[test]
fn vectors_that_do_not_belong_here_are_refused() {
    let scratch = scratch();
    write_npy(&scratch.path().join("p.npy"), 6, &numbers(PASSAGES, 6));
    write_npy(&scratch.path().join("wide.npy"), 32, &numbers(PASSAGES, 32));
    write_npy(&scratch.path().join("few.npy"), 6, &numbers(3, 6));
    write_npy(&scratch.path().join("narrow.npy"), 5, &numbers(3, 5));
    let dense = |more: &[&'static str]| {
        [
            &["search", "corpus.jsonl", "--queries", "queries.jsonl", "--by", "dense", "-w", "out"],
            more,
        ]
        .concat()
    };
    let width = {
        let config = fs::read_to_string(scratch.path().join("encoder/config.json")).unwrap();
        serde_json::from_str::<Json>(&config).unwrap()["hidden_size"].as_u64().unwrap()
    };
    assert_eq!(width, 32);
    for (arguments, expected) in [
        (dense(&[]), "nothing says what makes vectors of queries"),
        (dense(&["--vectors", "p.npy"]), "nothing says what makes vectors of queries"),
        (
            dense(&["--vectors", "few.npy", "--encoder", "encoder"]),
            "few.npy: it has 3 vectors for 300 passages",
        ),
        (
            dense(&["--vectors", "p.npy", "--encoder", "encoder"]),
            "p.npy: its vectors have 6 numbers and the encoder's 32: it was made by another encoder",
        ),
        (dense(&["--vectors", "wide.npy", "--encoder", "encoder"]), "wide.npy: the cosine of row"),
        (
            dense(&["--vectors", "p.npy", "--query-vectors", "p.npy"]),
            "p.npy: it has 300 vectors for 3 queries",
        ),
        (
            dense(&["--vectors", "p.npy", "--query-vectors", "narrow.npy"]),
            "vectors of queries have 5 numbers and those of passages 6: they are of different encoders",
        ),
        (dense(&["--vectors", "corpus.jsonl", "--encoder", "encoder"]), "it is no .npy file"),
        (dense(&["--vectors", "no.npy", "--encoder", "encoder"]), "no.npy: "),
        (
            dense(&[
                "--vectors",
                "p.npy",
                "--query-vectors",
                "few.npy",
                "--index",
                "hnsw",
                "-k",
                "257",
            ]),
            "HNSW finds at most 256 passages for a query, not 257",
        ),
    ] {
        let said = refused(&scratch, &[&arguments]);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    for option in [&["--encoder", "encoder"][..], &["--vectors", "p.npy"], &["--index", "hnsw"]] {
        let said = refused(&scratch, &[&["search", "corpus.jsonl", "-q", "mill"], option]);
        assert!(said.contains(&format!("{} is for vectors", option[0])), "{said}");
    }
}

#[test]
fn given_vectors_of_the_encoder_itself_are_taken() {
    let scratch = scratch();
    let (own, _) = found(&scratch, &[ENCODED]);
    let corpus = scratch.path().join("corpus.jsonl");
    let texts = Corpus::read(&corpus, &CorpusOptions::default()).unwrap().searched_texts();
    let models = CheckpointModels::new(None, &Silent);
    let folder = scratch.path().join("encoder");
    let name = folder.to_str().unwrap();
    let encoder =
        CheckpointEncoder { models: &models, name, query_prompt: None, passage_prompt: None };
    let vectors = encoder.vectors(&texts, TextRole::Passage).unwrap();
    write_npy(&scratch.path().join("own.npy"), vectors[0].len(), &vectors.concat());
    let (given, said) = found(&scratch, &[ENCODED, &["--vectors", "own.npy"]]);
    assert_eq!(given, own);
    // Eight passages were looked at, and two queries.
    assert!(said.contains("10 texts; 10 of them were kept in out already"), "{said}");
}

/// Texts that take an encoder a moment.
const MANY: usize = 4000;

#[test]
fn embedding_that_is_killed_goes_on_where_it_was() {
    let scratch = scratch();
    let row = |number| {
        format!("{{\"id\": {number}, \"text\": \"the mill of {number} stones by the river\"}}\n")
    };
    scratch.write("corpus.jsonl", &(0..MANY).map(row).collect::<String>());
    let database = scratch.path().join("out/surprisal.db");
    let count = || {
        let open = rusqlite::Connection::open_with_flags(
            &database,
            rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY,
        );
        open.and_then(|database| {
            database.query_row("SELECT count(*) FROM vector", [], |row| row.get::<_, i64>(0))
        })
        .map_or(0, |count| usize::try_from(count).unwrap())
    };
    let mut child = scratch
        .command(&[DENSE, ENCODED].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while count() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = count();
    assert!(0 < kept && kept < MANY, "{kept}");
    let (resumed, said) = found(&scratch, &[ENCODED]);
    // Two queries that are not empty were embedded behind the passages.
    let expected = format!("{} texts; {kept} of them were kept in out already", MANY + 2);
    assert!(said.contains(&expected), "{said}, not {expected}");
    assert_eq!(count(), MANY + 2);
    let afresh = ["--queries", "queries.jsonl", "--encoder", "encoder", "-w", "other"];
    let (whole, said) = found(&scratch, &[&afresh]);
    assert_eq!(resumed, whole);
    assert!(!said.contains("were kept"), "{said}");
}
