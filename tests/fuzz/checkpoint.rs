//! The files of a checkpoint: headers of weights, configs of every family, configs of adapters.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use candle_core::{DType, Device};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};
use surprisal::{
    engine::{Engine, EngineOptions, ScoreRequest},
    model::Checkpoint,
};

use crate::{explore, node::json_value, replay};

/// A folder of fixtures and the JSON that is changed in it.
#[derive(Clone, Debug)]
struct Subject {
    folder: PathBuf,
    config: Value,
}

/// Every folder below `tests/fixtures/<kind>` that has `file`.
fn subjects(kind: &str, file: &str) -> Vec<Subject> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(kind);
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| folder.join(file).is_file());
    folders.sort();
    let read = |folder: PathBuf| Subject {
        config: serde_json::from_slice(&fs::read(folder.join(file)).unwrap()).unwrap(),
        folder,
    };
    folders.into_iter().map(read).collect()
}

static MODELS: LazyLock<Vec<Subject>> = LazyLock::new(|| subjects("models", "config.json"));
static ADAPTERS: LazyLock<Vec<Subject>> =
    LazyLock::new(|| subjects("adapters", "adapter_config.json"));

/// Names of the fields of some subjects, nested ones too.
fn fields(subjects: &[Subject]) -> Vec<String> {
    fn names(value: &Value, found: &mut Vec<String>) {
        if let Value::Object(fields) = value {
            for (name, value) in fields {
                found.push(name.clone());
                names(value, found);
            }
        }
    }
    let mut found = Vec::new();
    for subject in subjects {
        names(&subject.config, &mut found);
    }
    found.extend(
        ["head_dim", "quantization_config", "original_max_position_embeddings"].map(Into::into),
    );
    found.sort();
    found.dedup();
    found
}

/// Values that no model has, and some that another one has.
fn wild() -> impl Strategy<Value = Value> {
    let numbers = [
        json!(0),
        json!(-1),
        json!(1),
        json!(2),
        json!(3),
        json!(8),
        json!(32),
        json!(65_536),
        json!(1_u64 << 31),
        json!((1_u64 << 31) - 1),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(0.5),
        json!(-1e-300),
        json!(1e300),
        json!(1e-6),
    ];
    let texts = [
        "default",
        "linear",
        "llama3",
        "longrope",
        "yarn",
        "dynamic",
        "gelu",
        "relu2",
        "silu",
        "NaN",
        "full_attention",
        "sliding_attention",
        "",
    ];
    prop_oneof![
        6 => select(numbers.to_vec()),
        2 => select(texts.to_vec()).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => vec(select(numbers.to_vec()), 0..40).prop_map(Value::from),
        1 => (select(numbers.to_vec()), select(vec![1000_usize, 65_536]))
            .prop_map(|(number, count)| vec![number; count].into()),
        1 => json_value(),
        1 => (1..200_usize).prop_map(|depth| (0..depth).fold(json!(1), |inner, _| json!([inner]))),
    ]
}

/// A config in which a few fields have other values.
fn changed(subjects: &'static [Subject]) -> impl Strategy<Value = (PathBuf, String)> {
    let change = (select(fields(subjects)), wild(), any::<bool>());
    (select(subjects), vec(change, 1..5)).prop_map(|(subject, changes)| {
        let mut config = subject.config;
        for (field, value, nested) in changes {
            let inner = config
                .as_object_mut()
                .and_then(|fields| fields.values_mut().find_map(Value::as_object_mut));
            match inner {
                Some(inner) if nested => insert(inner, field, value),
                _ => insert(config.as_object_mut().unwrap(), field, value),
            }
        }
        (subject.folder, config.to_string())
    })
}

fn insert(fields: &mut Map<String, Value>, field: String, value: Value) {
    fields.insert(field, value);
}

#[test]
fn configs_of_models_end_in_scores_or_errors() {
    replay("model_config", |text| {
        let config: Value = serde_json::from_str(text).unwrap();
        for model in MODELS.iter().filter(|it| it.config["model_type"] == config["model_type"]) {
            open(&model.folder, "config.json", text.as_bytes());
        }
    });
    explore(changed(&MODELS), |(folder, config)| open(folder, "config.json", config.as_bytes()));
}

#[test]
fn configs_of_adapters_end_in_scores_or_errors() {
    // Bases lie beside the folder of the adapters.
    let models = MODELS[0].folder.parent().unwrap().to_string_lossy().into_owned() + "/";
    let located = |config: &str| config.replace("../../models/", &models);
    replay("adapter_config", |text| {
        for adapter in ADAPTERS.iter() {
            open(&adapter.folder, "adapter_config.json", located(text).as_bytes());
        }
    });
    explore(changed(&ADAPTERS), |(folder, config)| {
        open(folder, "adapter_config.json", located(config).as_bytes());
    });
}

/// What a header is changed into.
const PIECES: &[&str] = &[
    "0",
    "9",
    "-1",
    "99999999999999999999",
    "1e9",
    "null",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "F32",
    "F8_E4M3",
    "BF16",
    "I64",
    "[0]",
    "[0,0]",
    "[4294967296,4294967296]",
    "\\u0000",
    " ",
    "dtype",
    "shape",
    "data_offsets",
    "__metadata__",
    "model.norm.weight",
    "é",
];

#[test]
fn headers_of_weights_end_in_scores_or_errors() {
    let llama = MODELS[0].folder.with_file_name("llama");
    let bytes = fs::read(llama.join("model.safetensors")).unwrap();
    let (length, rest) = bytes.split_first_chunk::<8>().unwrap();
    let (header, numbers) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let header = String::from_utf8(header.to_vec()).unwrap();
    let write = |header: &str, claimed_bytes: u64| {
        let bytes = [&claimed_bytes.to_le_bytes(), header.as_bytes(), numbers].concat();
        open(&llama, "model.safetensors", &bytes);
    };
    replay("header", |header| write(header, header.len() as u64));
    let change = (any::<prop::sample::Index>(), 0..12_usize, select(PIECES));
    let claimed = prop_oneof![
        8 => Just(None),
        1 => select(vec![0, 1, 8, u64::MAX, 1 << 62, 100_000_000]).prop_map(Some),
    ];
    explore((vec(change, 1..4), claimed), |(changes, claimed)| {
        let mut text: Vec<char> = header.chars().collect();
        for (place, removed, piece) in changes {
            let start = place.index(text.len() + 1);
            let end = (start + removed).min(text.len());
            text.splice(start..end, piece.chars());
        }
        let text: String = text.into_iter().collect();
        write(&text, claimed.unwrap_or(text.len() as u64));
    });
}

/// Opens the checkpoint in `folder` with other content in `file`, and scores a text if it can be
/// opened.
fn open(folder: &Path, file: &str, content: &[u8]) {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    fs::write(copy.path().join(file), content).unwrap();
    let checkpoint = match Checkpoint::open_folder(copy.path()) {
        Ok(checkpoint) => checkpoint,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let model = match checkpoint.load(&Device::Cpu, DType::F32) {
        Ok(model) => model,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let engine = Engine::new(model, EngineOptions::default());
    let request = ScoreRequest { ids: [1, 2, 3, 4, 5].as_slice().into(), first_target: 0 };
    for score in engine.score(&[request], &mut |_| ()) {
        match score {
            Ok(score) => assert_eq!(score.nlls.len(), 4),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}
