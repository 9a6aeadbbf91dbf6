//! A sentence encoder on the hub: its modules lie in folders of their own.

use std::{
    fs,
    path::{Path, PathBuf},
};

use surprisal::{
    hub::{CheckpointPart, Hub, HubError, HubName, HubSettings},
    model::EncoderCheckpoint,
};

use super::{
    server::Files,
    setting::{COMMIT, Heard, Setting},
};

/// The files of an encoder with a dense layer, and some that must not be fetched.
fn files() -> Files {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/embeddings/labse-dense");
    let names = [
        "1_Pooling/config.json",
        "2_Dense/config.json",
        "2_Dense/model.safetensors",
        "config.json",
        "config_sentence_transformers.json",
        "model.safetensors",
        "modules.json",
        "sentence_bert_config.json",
        "tokenizer.json",
        "tokenizer_config.json",
    ];
    let read = |name: &str| (name.to_owned(), fs::read(folder.join(name)).unwrap());
    let mut files: Files = names.map(read).into();
    for name in ["pytorch_model.bin", "2_Dense/pytorch_model.bin", "onnx/model.safetensors"] {
        files.insert(name.to_owned(), b"x".to_vec());
    }
    files
}

fn ask(settings: HubSettings) -> Result<PathBuf, HubError> {
    let name = HubName::parse("org/encoder").unwrap();
    Hub::new(settings, &Heard::default()).checkpoint(&name, CheckpointPart::Encoder)
}

#[test]
fn an_encoder_comes_with_its_modules_and_then_needs_no_network() {
    let setting = Setting::new();
    setting.hub.commit("models/org/encoder", "main", COMMIT, &files());
    let folder = ask(setting.settings()).unwrap();
    EncoderCheckpoint::open_folder(&folder).unwrap();
    for name in ["pytorch_model.bin", "2_Dense/pytorch_model.bin", "onnx"] {
        assert!(!folder.join(name).exists(), "{name}");
    }
    let requests = setting.lines().len();
    assert_eq!(ask(setting.settings()).unwrap(), folder);
    assert_eq!(setting.lines().len(), requests, "the second asking asked the hub");
    let offline = || HubSettings { offline: true, ..setting.settings() };
    assert_eq!(ask(offline()).unwrap(), folder);
    for name in ["2_Dense/model.safetensors", "1_Pooling/config.json", "modules.json"] {
        fs::remove_file(folder.join(name)).unwrap();
        let error = ask(offline()).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
}
