//! Tokenizers that are read from `tokenizer.model` give the ids of the original tools.
//!
//! `tests/sentencepiece/make.py` trains the models and asks sentencepiece and transformers;
//! `SURPRISAL_SENTENCEPIECE_FIXTURES` names another folder that it made.

#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

use std::path::{Path, PathBuf};

use proptest::prelude::any;
use proptest::test_runner::{Config, TestRunner};
use serde::Deserialize;
use surprisal::model::Tokenizer;

#[derive(Deserialize)]
struct Expected {
    texts: Vec<String>,
    references: std::collections::BTreeMap<String, Reference>,
    with_special_tokens: Option<Encoded>,
}

/// What a tool gives for some of the texts.
#[derive(Deserialize)]
struct Reference {
    texts: Vec<usize>,
    ids: Vec<Vec<u32>>,
    decoded: Vec<Option<String>>,
}

#[derive(Deserialize)]
struct Encoded {
    text: String,
    ids: Vec<u32>,
}

fn folders() -> Vec<PathBuf> {
    let fixtures = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sentencepiece"));
    let folder = std::env::var_os("SURPRISAL_SENTENCEPIECE_FIXTURES")
        .map_or_else(|| fixtures.to_owned(), PathBuf::from);
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "there is no tokenizer to compare");
    folders
}

#[test]
fn ids_and_texts_are_those_of_the_original_tools() {
    let mut failures = Vec::new();
    for folder in folders() {
        let file = std::fs::read_to_string(folder.join("expected.json")).unwrap();
        let expected: Expected = serde_json::from_str(&file).unwrap();
        let tokenizer = Tokenizer::read(&folder).unwrap();
        assert!(tokenizer.files()[0].ends_with("tokenizer.model"));
        for (tool, reference) in &expected.references {
            assert!(!reference.texts.is_empty(), "{tool} has nothing to compare");
            let encoded = reference.ids.iter().zip(&reference.decoded);
            for (at, (ids, decoded)) in reference.texts.iter().zip(encoded) {
                let text = &expected.texts[*at];
                let own = tokenizer.encode(text, false).unwrap();
                if own != *ids {
                    failures.push(format!(
                        "{}: {text:?}: {tool} {ids:?}, own {own:?}",
                        folder.display()
                    ));
                }
                let own = tokenizer.decode(ids, false).unwrap();
                if decoded.as_ref().is_some_and(|decoded| own != *decoded) {
                    failures.push(format!(
                        "{}: {ids:?}: {tool} {decoded:?}, own {own:?}",
                        folder.display()
                    ));
                }
            }
        }
        if let Some(Encoded { text, ids }) = expected.with_special_tokens {
            assert_eq!(tokenizer.encode(&text, true).unwrap(), ids, "{}", folder.display());
        }
    }
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures[..failures.len().min(20000)].join("\n")
    );
}

#[test]
fn a_damaged_file_is_read_or_refused() {
    let damaged = tempfile::tempdir().unwrap();
    for folder in folders() {
        let whole = std::fs::read(folder.join("tokenizer.model")).unwrap();
        let damage = (0..whole.len(), any::<u8>(), 0..64_usize);
        let config = Config { cases: 100, failure_persistence: None, ..Config::default() };
        let outcome = TestRunner::new(config).run(&damage, |(at, byte, lost_bytes)| {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            bytes.truncate(whole.len().saturating_sub(lost_bytes.saturating_sub(32)));
            std::fs::write(damaged.path().join("tokenizer.model"), bytes).unwrap();
            if let Ok(tokenizer) = Tokenizer::read(damaged.path()) {
                // Some damage shows where a text needs what is damaged.
                let text = "The ﬁne\u{3000}answer 12 😀 e\u{301}\u{200b}…";
                if let Err(error) = tokenizer.encode(text, true) {
                    assert!(error.to_string().contains("is damaged"), "{error}");
                }
            }
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    }
}
