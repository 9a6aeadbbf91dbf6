//! Low-rank adapters on tiny checkpoints against PEFT's numbers.
//!
//! Every folder of `tests/fixtures/adapters`, or of the one named by the environment variable
//! `SURPRISAL_ADAPTER_FIXTURES`, is run by one loop; `make.py` there made them.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device};
use serde::Deserialize;
use serde_json::{Value, json};
use surprisal::engine::{Engine, EngineOptions, ScoreRequest};
use surprisal::{
    hub::Silent,
    model::{Checkpoint, ModelError},
};

/// Largest difference from PEFT's surprisals, in nats.
const NLL_TOLERANCE: f32 = 2e-4;

#[derive(Deserialize)]
struct Expected {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    ids: Vec<u32>,
    nll: Vec<f32>,
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/adapters")
}

#[test]
fn adapted_checkpoints_agree_with_peft() {
    let folder = std::env::var_os("SURPRISAL_ADAPTER_FIXTURES").map_or_else(kept, PathBuf::from);
    let mut folders: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("expected.json").is_file())
        .collect();
    folders.sort();
    assert!(!folders.is_empty(), "no adapters in {}", folder.display());
    let mut failures = String::new();
    for folder in &folders {
        match Checkpoint::open_folder(folder).and_then(|checkpoint| furthest(folder, &checkpoint)) {
            Ok(furthest) if furthest <= NLL_TOLERANCE => {}
            Ok(furthest) => writeln!(failures, "{}: off by {furthest}", folder.display()).unwrap(),
            Err(error) => writeln!(failures, "{error}").unwrap(),
        }
    }
    println!("adapters: {} of {} passed", folders.len() - failures.lines().count(), folders.len());
    assert!(failures.is_empty(), "\n{failures}");
}

/// The largest difference from what the folder expects.
fn furthest(folder: &Path, checkpoint: &Checkpoint) -> Result<f32, ModelError> {
    let expected = fs::read(folder.join("expected.json")).unwrap();
    let expected: Expected = serde_json::from_slice(&expected).unwrap();
    let model = checkpoint.load(&Device::Cpu, DType::F32)?;
    let engine = Engine::new(model, EngineOptions::default());
    let requests: Vec<ScoreRequest> = expected
        .cases
        .iter()
        .map(|case| ScoreRequest { ids: case.ids.as_slice().into(), first_target: 0 })
        .collect();
    let mut furthest = 0.0_f32;
    for (case, score) in expected.cases.iter().zip(engine.score(&requests, &mut |_| ())) {
        let nlls = score.unwrap().nlls;
        assert_eq!(nlls.len(), case.nll.len());
        for (found, expected) in nlls.iter().zip(&case.nll) {
            furthest = furthest.max((found - expected).abs());
        }
    }
    Ok(furthest)
}

/// A copy of an adapter whose base is named in full, to be damaged.
fn copy(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["adapter_config.json", "adapter_model.safetensors"] {
        fs::copy(kept().join(name).join(file), folder.path().join(file)).unwrap();
    }
    let base = kept().join("../models/llama");
    set(folder.path(), "base_model_name_or_path", json!(base.to_string_lossy()));
    folder
}

fn set(folder: &Path, field: &str, value: Value) {
    let path = folder.join("adapter_config.json");
    let mut config: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    config[field] = value;
    fs::write(path, config.to_string()).unwrap();
}

#[test]
fn adapters_that_cannot_be_merged_exactly_are_refused_by_name() {
    let refusal = |damage: &dyn Fn(&Path)| {
        let folder = copy("llama");
        damage(folder.path());
        Checkpoint::open_folder(folder.path()).unwrap_err().to_string()
    };
    let with = |field: &'static str, value: Value| {
        refusal(&move |folder: &Path| set(folder, field, value.clone()))
    };
    let renamed = |from: &'static str, to: &'static str| {
        refusal(&move |folder: &Path| {
            let path = folder.join("adapter_model.safetensors");
            let bytes = fs::read(&path).unwrap();
            let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
            let end = at + from.len();
            fs::write(&path, [&bytes[..at], to.as_bytes(), &bytes[end..]].concat()).unwrap();
        })
    };
    let removed = |file: &'static str| {
        refusal(&move |folder: &Path| {
            fs::remove_file(folder.join("adapter_model.safetensors")).unwrap();
            fs::write(folder.join(file), "").unwrap();
        })
    };
    for (message, says) in [
        (with("peft_type", json!("IA3")), "`peft_type` = \"IA3\""),
        (with("r", json!(5)), "lora_A.weight` has shape [4, 64], but rank 5"),
        (with("use_dora", json!(true)), "lora_magnitude_vector"),
        (with("base_model_name_or_path", json!("./nobody")), "no checkpoint `./nobody`"),
        (with("base_model_name_or_path", Value::Null), "`base_model_name_or_path` is missing"),
        (
            renamed("0.mlp.down_proj.lora_A", "0.mlp.down_proj.lora_X"),
            "lora_X.weight` is of a kind",
        ),
        (renamed("0.mlp.down_proj.lora_A", "0.mlp.gate_proj.lora_A"), "has no partner"),
        (removed("adapter_model.bin"), "adapter_model.bin is a pickle"),
        (removed("other"), "adapter_model.safetensors"),
    ] {
        assert!(message.contains(says), "{message:?} does not say {says:?}");
    }
    for (adapter, base, says) in [
        ("llama-embedding", "qwen2-tied", "an embedding that is also the head"),
        (
            "gpt2-turned",
            "llama",
            "lora_A.weight` adapts a module that the base checkpoint does not store",
        ),
        ("llama-bias", "llama", "bias` has no counterpart in the base checkpoint"),
    ] {
        let base = kept().join("../models").join(base);
        let adapter = kept().join(adapter);
        let (base, adapter) = (base.to_string_lossy(), adapter.to_string_lossy());
        let refused = Checkpoint::open_with_adapter(&base, &adapter, &Silent);
        let message = refused.unwrap_err().to_string();
        assert!(message.contains(says), "{message:?} does not say {says:?}");
    }
}

#[test]
fn an_adapter_belongs_to_the_files_that_decide_results() {
    let folder = kept().join("llama");
    let checkpoint = Checkpoint::open_folder(&folder).unwrap();
    let base = Checkpoint::open_folder(&kept().join("../models/llama")).unwrap();
    let mut files = checkpoint.files();
    files.retain(|file| !base.files().iter().any(|known| same(known, file)));
    files.sort();
    let own = ["adapter_config.json", "adapter_model.safetensors"].map(|file| folder.join(file));
    assert_eq!(files, own);
    assert_eq!(checkpoint.parameters(), base.parameters());
    // Bf16 that became f32.
    assert!(checkpoint.weight_bytes() > base.weight_bytes());
}

fn same(one: &Path, other: &Path) -> bool {
    one.canonicalize().unwrap() == other.canonicalize().unwrap()
}
