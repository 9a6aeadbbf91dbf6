//! `surprisal models`: families and files.

use serde_json::Value;

use super::scratch::{Scratch, fixtures, stdout};

#[test]
fn every_fixture_is_of_a_family_that_is_listed() {
    let scratch = Scratch::new();
    let output = scratch.run(&["models", "--json"]);
    assert!(output.status.success());
    let listed: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let families = listed["families"].as_array().unwrap();
    let table = stdout(&scratch.run(&["models"]));
    let places = std::fs::read_dir(fixtures().join("models")).unwrap();
    for folder in places.map(|entry| entry.unwrap().path()).filter(|place| place.is_dir()) {
        let config = std::fs::read(folder.join("config.json")).unwrap();
        let config: Value = serde_json::from_slice(&config).unwrap();
        let model_type = config["model_type"].as_str().unwrap();
        assert!(families.iter().any(|family| family["model_type"] == model_type), "{model_type}");
        assert!(table.lines().any(|line| line.starts_with(model_type)), "{model_type}");
    }
    for file in ["model.safetensors", "adapter_model.safetensors", "tokenizer.json", "qwen3moe"] {
        assert!(table.contains(file), "{file}");
    }
}
