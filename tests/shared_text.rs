//! Texts that are encoded in parts have the ids of the whole.
//!
//! Tokenizers of every family that texts can be cut for, and of some that they cannot, are trained on
//! a few sentences; those of the fixtures (`SURPRISAL_MODEL_FIXTURES` names another folder) follow.

#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use surprisal::model::{SharedText, Tokenizer, TruncationSide};
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::BpeTrainerBuilder;

/// What the tokenizers learn from; their vocabularies join words with what is around them.
const LEARNED: &[&str] = &[
    "The following are multiple choice questions. Question: What is the answer? Answer: A",
    "the answer is the answer, and the question is the question.\n\nQuestion: it's 12345 don't",
    "A. one thing\nB. two things\nC. three things\nD. 10 things\nAnswer: B\n\nAnswer: C\n",
    "下面是单项选择题，请选出正确答案。\n答案: A\n答案: B\n单项选择题 答案",
    "    indented code()\n    return x == 1;\n\n\tcafe\u{301} café naïve ﬁne Ⅳ ½",
];

/// Pieces that texts are made of: everything a tokenizer might look at near the end of a word.
const PIECES: &[&str] = &[
    "the",
    "answer",
    "Question",
    "is",
    "A",
    "x",
    "I'll",
    "don't",
    "O'Re",
    "1",
    "12345",
    ".",
    ",",
    "?",
    ":",
    "(",
    ")",
    "==",
    "'",
    "'s",
    " ",
    " ",
    " ",
    " ",
    "  ",
    "   ",
    "\n",
    "\n",
    "\n\n",
    " \n",
    "\r\n",
    "\t",
    "\u{a0}",
    "\u{3000}",
    "\u{200b}",
    "\u{301}",
    "e\u{301}",
    "é",
    "ﬁ",
    "Ⅳ",
    "½",
    "一",
    "答案",
    "。",
    "，",
    "か\u{3099}",
    "한국",
    "😀",
    "👩‍💻",
    "▁",
    "▁the",
    "Ġ",
    "<s>",
    "</s>",
    "<unk>",
    "<mask>",
    "<|im_start|>",
    "<0x0A>",
    "[A]",
    "word",
    "\u{0}",
    "́ ",
];

const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const DEEPSEEK: &str = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;

const POCKET: &str = r"\p{Lu}\p{Ll}+|\p{Lu}+| ?\p{Ll}+|\p{N}|[^\s\p{L}\p{N}]+ ?|\s|\p{L}+";

/// A kind of tokenizer.
struct Family {
    name: &'static str,
    normalizer: Value,
    pre_tokenizer: Value,
    /// Keys of the model beside vocabulary and merges.
    model: Value,
    added: Vec<Value>,
    /// Whether words were taken apart before anything was learned from them.
    learns_from_words: bool,
    /// Whether its texts are expected to be cut.
    shares: bool,
}

fn family(name: &'static str, normalizer: Value, pre_tokenizer: Value, shares: bool) -> Family {
    let added =
        vec![added("<s>", json!({})), added("</s>", json!({})), added("<|im_start|>", json!({}))];
    Family {
        name,
        normalizer,
        pre_tokenizer,
        model: json!({}),
        added,
        learns_from_words: false,
        shares,
    }
}

/// An added token and what is unusual about it.
fn added(content: &str, odd: Value) -> Value {
    let mut token = json!({"content": content, "single_word": false, "lstrip": false, "rstrip": false,
        "normalized": false, "special": true});
    if let (Value::Object(token), Value::Object(odd)) = (&mut token, odd) {
        token.extend(odd);
    }
    token
}

fn byte_level(add_prefix_space: bool, use_regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": add_prefix_space, "trim_offsets": true, "use_regex": use_regex})
}

fn split(pattern: &str) -> Value {
    json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false})
}

fn sequence(stages: &[Value]) -> Value {
    json!({"type": "Sequence", "pretokenizers": stages})
}

fn metaspace(scheme: &str, split: bool) -> Value {
    json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split})
}

fn families() -> Vec<Family> {
    let none = || Value::Null;
    let nfc = || json!({"type": "NFC"});
    let replace = || json!({"type": "Replace", "pattern": {"String": " "}, "content": "▁"});
    let sentencepiece = || json!({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, replace()]});
    let digits = || json!({"type": "Digits", "individual_digits": true});
    let bytes = || byte_level(false, false);
    let fallback = || json!({"byte_fallback": true, "unk_token": "<unk>", "fuse_unk": true});
    let spaces = json!({"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": false});
    let with = |family: Family, tokens: &[Value]| Family {
        added: [family.added, tokens.to_vec()].concat(),
        ..family
    };
    let model = |family: Family, model: Value| Family {
        learns_from_words: model.get("byte_fallback").is_some(),
        model,
        ..family
    };
    let odd = |content, odd| added(content, odd);
    let mask = || odd("<mask>", json!({"lstrip": true, "normalized": true}));
    vec![
        family("gpt2", none(), byte_level(false, true), true),
        family("gpt2, prefix space", none(), byte_level(true, true), true),
        with(family("gpt2, mask", none(), byte_level(false, true), true), &[mask()]),
        with(
            family("gpt2, greedy tokens", none(), byte_level(true, true), true),
            &[
                odd("<mask>", json!({"rstrip": true})),
                odd("[A]", json!({"lstrip": true, "rstrip": true})),
                odd("  ", json!({})),
                odd("\n\n", json!({})),
            ],
        ),
        with(
            family("gpt2, words as tokens", nfc(), byte_level(true, true), true),
            &[odd("answer", json!({})), odd("答案", json!({}))],
        ),
        with(
            family("gpt2, a single word", none(), byte_level(false, true), false),
            &[odd("word", json!({"single_word": true}))],
        ),
        with(
            family("gpt2, a token with a space", none(), byte_level(false, true), false),
            &[odd("the answer", json!({}))],
        ),
        model(
            family("llama3", none(), sequence(&[split(LLAMA3), bytes()]), true),
            json!({"ignore_merges": true}),
        ),
        family("qwen2", nfc(), sequence(&[split(QWEN2), bytes()]), true),
        family("pocket", none(), sequence(&[split(POCKET), bytes()]), true),
        family("o200k", none(), sequence(&[split(O200K), bytes()]), true),
        family(
            "deepseek",
            none(),
            sequence(&[split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"), split(DEEPSEEK), bytes()]),
            true,
        ),
        family("starcoder", none(), sequence(&[digits(), byte_level(false, true)]), true),
        family(
            "digits, prefix space",
            json!({"type": "NFKC"}),
            sequence(&[digits(), byte_level(true, true)]),
            true,
        ),
        family(
            "falcon",
            none(),
            sequence(&[
                json!({"type": "Punctuation", "behavior": "Contiguous"}),
                byte_level(false, true),
                digits(),
                split("[0-9][0-9][0-9]"),
            ]),
            true,
        ),
        family("bytes without words", none(), bytes(), false),
        family("unknown words", none(), sequence(&[split(r"\w+\s?|\s+"), bytes()]), false),
        family("lower case", json!({"type": "Lowercase"}), byte_level(false, true), false),
        model(family("llama2", sentencepiece(), none(), true), fallback()),
        Family {
            model: fallback(),
            ..family("llama2, words joined by merges", sentencepiece(), none(), false)
        },
        with(
            model(family("phi3", sentencepiece(), none(), true), fallback()),
            &[odd("<mask>", json!({"rstrip": true})), mask()],
        ),
        model(family("gemma", replace(), spaces, true), fallback()),
        with(
            model(family("gemma, runs", replace(), none(), true), fallback()),
            &[odd("▁▁", json!({})), odd("\n\n", json!({})), odd("\n", json!({"normalized": true}))],
        ),
        model(
            family("unknown characters", sentencepiece(), none(), false),
            json!({"unk_token": "<unk>", "fuse_unk": true}),
        ),
        model(family("metaspace first", none(), metaspace("first", false), true), fallback()),
        model(family("metaspace always", none(), metaspace("always", true), true), fallback()),
        model(family("metaspace never", nfc(), metaspace("never", true), true), fallback()),
        model(
            family(
                "metaspace, digits",
                none(),
                sequence(&[digits(), metaspace("always", true)]),
                true,
            ),
            fallback(),
        ),
        model(
            family("metaspace, merges ignored", none(), metaspace("always", false), false),
            json!({"ignore_merges": true}),
        ),
    ]
}

/// Trains the tokenizer of a family and writes it to `folder`.
fn train(family: &Family, folder: &Path) -> Tokenizer {
    // Sentencepiece learns from words, although its tokenizers are given whole texts later.
    let (normalizer, pre_tokenizer) = if family.learns_from_words {
        (Value::Null, sequence(&[split("[\r\n]"), metaspace("never", true)]))
    } else {
        (family.normalizer.clone(), family.pre_tokenizer.clone())
    };
    let untrained = json!({"version": "1.0", "added_tokens": [], "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer, "post_processor": null, "decoder": null,
        "model": {"type": "BPE", "vocab": {}, "merges": []}});
    let mut tokenizer = tokenizers::Tokenizer::from_bytes(untrained.to_string()).unwrap();
    let mut trainer: TrainerWrapper = BpeTrainerBuilder::new()
        .vocab_size(700)
        .min_frequency(1)
        .show_progress(false)
        .build()
        .into();
    tokenizer.train(&mut trainer, LEARNED.iter().copied()).unwrap();
    let mut file: Value = serde_json::from_str(&tokenizer.to_string(false).unwrap()).unwrap();
    file["normalizer"] = family.normalizer.clone();
    file["pre_tokenizer"] = family.pre_tokenizer.clone();
    let model = file["model"].as_object_mut().unwrap();
    model.extend(family.model.as_object().unwrap().clone());
    let vocabulary = model["vocab"].as_object_mut().unwrap();
    let bytes = (0..=255_u8)
        .filter(|_| family.model["byte_fallback"] == true)
        .map(|byte| format!("<0x{byte:02X}>"));
    for token in bytes.chain(["<unk>".to_owned()]) {
        let id = vocabulary.len();
        vocabulary.entry(token).or_insert(id.into());
    }
    let first_added = vocabulary.len();
    file["added_tokens"] = family
        .added
        .iter()
        .enumerate()
        .map(|(index, token)| {
            let mut token = token.clone();
            token["id"] = (first_added + index).into();
            token
        })
        .collect();
    file["post_processor"] = json!({"type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [first_added], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [first_added + 1], "tokens": ["</s>"]}}});
    std::fs::write(folder.join("tokenizer.json"), file.to_string()).unwrap();
    Tokenizer::read(folder).unwrap()
}

/// Compares many texts, each with the parts of all before it remembered.
fn compare(name: &str, tokenizer: &Tokenizer, cases: u32) {
    let shared = SharedText::new(tokenizer);
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..80);
    let texts = (pieces, 0..40_usize);
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&texts, |(pieces, most_tokens)| {
        let text = pieces.concat();
        for special in [true, false] {
            let whole = tokenizer.encode(&text, special).unwrap();
            prop_assert_eq!(shared.encode(&text, special).unwrap(), whole, "{:?}", text);
            for side in [TruncationSide::Left, TruncationSide::Right] {
                let whole = tokenizer.encode_truncated(&text, special, most_tokens, side).unwrap();
                let parts = shared.encode_truncated(&text, special, most_tokens, side).unwrap();
                prop_assert_eq!(parts, whole, "{:?} {:?}", text, side);
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
    for text in LEARNED {
        assert_eq!(
            shared.encode(text, true).unwrap(),
            tokenizer.encode(text, true).unwrap(),
            "{name}: {text:?}"
        );
    }
}

#[test]
fn parts_of_a_text_have_the_ids_of_the_whole() {
    for family in families() {
        let folder = tempfile::tempdir().unwrap();
        let tokenizer = train(&family, folder.path());
        assert_eq!(SharedText::new(&tokenizer).shares(), family.shares, "{}", family.name);
        compare(family.name, &tokenizer, 300);
    }
}

#[test]
fn the_tokenizers_of_the_fixtures_agree_with_themselves() {
    let folder = std::env::var_os("SURPRISAL_MODEL_FIXTURES").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/models")),
        PathBuf::from,
    );
    let mut checkpoints: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    checkpoints.sort();
    let mut compared = 0;
    for folder in checkpoints.iter().filter(|folder| folder.join("tokenizer.json").exists()) {
        let tokenizer = Tokenizer::read(folder).unwrap();
        assert!(SharedText::new(&tokenizer).shares(), "{}", folder.display());
        compare(&folder.display().to_string(), &tokenizer, 20);
        compared += 1;
    }
    assert!(compared > 0, "there is no tokenizer to compare");
}

#[test]
fn converted_tokenizers_agree_with_themselves() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sentencepiece"));
    for (name, shares) in [
        ("llama", true),
        ("llama_added", true),
        ("llama_no_prefix", true),
        ("llama_not_legacy", true),
        ("gemma", true),
        ("bpe_unknown", false),
        ("unigram", false),
        ("unigram_bytes", false),
    ] {
        let tokenizer = Tokenizer::read(&folder.join(name)).unwrap();
        assert_eq!(SharedText::new(&tokenizer).shares(), shares, "{name}");
        compare(name, &tokenizer, 200);
    }
}
