//! Tokenizers that are read from the metadata of GGUF files give the ids of the original tools.
//!
//! `tests/gguf_tokenizers/make.py` writes the files; `SURPRISAL_GGUF_TOKENIZERS` names another folder that
//! it made.

#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use surprisal::model::gguf::GgufFile;
use surprisal::model::{SharedText, Tokenizer};

/// What a tool gives for texts.
#[derive(Deserialize)]
struct Expected {
    texts: Vec<String>,
    ids: Vec<Vec<u32>>,
    decoded: Vec<String>,
    /// Ids before and behind a sequence with special tokens.
    around: [Vec<u32>; 2],
}

fn folder() -> PathBuf {
    std::env::var_os("SURPRISAL_GGUF_TOKENIZERS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/gguf_tokenizers")),
        PathBuf::from,
    )
}

fn tokenizer(name: &str) -> Tokenizer {
    let file = GgufFile::open(&folder().join(format!("{name}.gguf"))).unwrap();
    Tokenizer::from_gguf(file.metadata()).unwrap()
}

#[test]
fn ids_and_texts_are_those_of_the_original_tools() {
    let file = std::fs::read_to_string(folder().join("expected.json")).unwrap();
    let expected: BTreeMap<String, Expected> = serde_json::from_str(&file).unwrap();
    let mut failures = Vec::new();
    for (name, Expected { texts, ids, decoded, around }) in &expected {
        let tokenizer = tokenizer(name);
        let shared = SharedText::new(&tokenizer);
        for (text, (ids, decoded)) in texts.iter().zip(ids.iter().zip(decoded)) {
            let own = tokenizer.encode(text, false).unwrap();
            if own != *ids {
                failures.push(format!("{name}: {text:?}: {ids:?}, own {own:?}"));
            }
            let [first, last] = around;
            let whole = [first.as_slice(), &own, last].concat();
            assert_eq!(tokenizer.encode(text, true).unwrap(), whole, "{name}: {text:?}");
            assert_eq!(shared.encode(text, true).unwrap(), whole, "{name}: {text:?}, shared");
            let own = tokenizer.decode(ids, false).unwrap();
            if own != *decoded {
                failures.push(format!("{name}: {ids:?}: {decoded:?}, own {own:?}"));
            }
        }
    }
    let shown = failures.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} differ:\n{shown}", failures.len());
}

#[test]
fn settings_hold_what_a_folder_would_say() {
    let templates = |name: &str| {
        let settings = tokenizer(name).settings().clone();
        (settings.bos_token.unwrap(), settings.eos_token.unwrap(), settings.chat_templates)
    };
    let named = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let (bos, eos, found) = templates("llama-bpe");
    assert_eq!((bos.as_str(), eos.as_str()), ("<s>", "<|end|>"));
    assert_eq!(found, [named("default", "a"), named("tool_use", "b")]);
    let (bos, eos, found) = templates("gemma");
    assert_eq!((bos.as_str(), eos.as_str()), ("<bos>", "<eos>"));
    assert_eq!(found, [named("default", "{{ messages }}")]);
    let llama = tokenizer("llama");
    assert_eq!((llama.bos_id(), llama.eos_id()), (Some(1), Some(2)));
    assert!(llama.is_special(0) && SharedText::new(&llama).shares());
}
