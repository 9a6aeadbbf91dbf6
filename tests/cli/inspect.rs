//! `surprisal inspect`: a checkpoint in facts, good or bad.

use std::fs;

use serde_json::{Value, json};

use super::scratch::{Scratch, copy_folder, fixtures, stderr, stdout};

const MODEL: &str = "models/tiny-llama-bos";

#[test]
fn a_good_checkpoint_is_told_whole() {
    let scratch = Scratch::new();
    let output = scratch.run(&["inspect", MODEL]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).is_empty());
    let text = stdout(&output);
    for says in [
        "llama · LlamaForCausalLM · models/tiny-llama-bos",
        "\nlayers ",
        "\nattention ",
        "\npositions    rotary, base 10,000",
        "\nfeed-forward gated SiLU of ",
        "\nparameters ",
        "\nstored       F32 ",
        " for 1,000 tokens, ",
        "\ntokenizer    BPE of ",
        " before every text; EOS ",
        "\nchat         ",
        "\ngeneration   ends at ",
    ] {
        assert!(text.contains(says), "{says:?} is not in\n{text}");
    }
}

#[test]
fn numbers_agree_with_the_files() {
    let scratch = Scratch::new();
    copy_folder(&fixtures().join("models/mixtral"), &scratch.path().join("mixtral"));
    let output = scratch.run(&["inspect", "mixtral", "--json"]);
    let facts: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let bytes = fs::read(scratch.path().join("mixtral/model.safetensors")).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let stored: usize = tensors.tensors().iter().map(|(_, tensor)| tensor.data().len()).sum();
    assert_eq!(facts["stored"].as_array().unwrap().len(), 1);
    assert_eq!(facts["stored"][0]["bytes"], stored);
    assert_eq!(facts["stored"][0]["tensors"], tensors.len());
    let numbers: usize =
        tensors.tensors().iter().map(|(_, it)| it.shape().iter().product::<usize>()).sum();
    assert_eq!(facts["parameters"]["total"], numbers);
    // A token goes through some of the experts only.
    let config: Value =
        serde_json::from_slice(&fs::read(scratch.path().join("mixtral/config.json")).unwrap())
            .unwrap();
    let count = |field: &str| config[field].as_u64().unwrap();
    let idle = count("num_local_experts") - count("num_experts_per_tok");
    let each = 3 * count("hidden_size") * count("intermediate_size");
    let active = numbers as u64 - count("num_hidden_layers") * idle * each;
    assert_eq!(facts["parameters"]["active"], active);
    assert_eq!(facts["sizes"]["layers"], config["num_hidden_layers"]);
    assert_eq!(facts["problems"], json!([]));
}

#[test]
fn of_a_bad_checkpoint_the_rest_is_told() {
    let scratch = Scratch::new();
    fs::remove_file(scratch.path().join(MODEL).join("model.safetensors")).unwrap();
    scratch.write(&format!("{MODEL}/pytorch_model.bin"), "");
    let output = scratch.run(&["inspect", MODEL]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains("\nattention ") && stdout(&output).contains("\ntokenizer "));
    assert!(!stdout(&output).contains("\nmemory "));
    let complaint = stderr(&output);
    assert!(complaint.starts_with("error: models/tiny-llama-bos/pytorch_model.bin is a pickle"));
    assert!(complaint.contains("save_pretrained('models/tiny-llama-bos')"), "{complaint}");
    assert_eq!(complaint.lines().count(), 1, "{complaint}");

    scratch.write(&format!("{MODEL}/config.json"), "{\"model_type\": \"mamba\"}");
    let output = scratch.run(&["inspect", MODEL, "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let facts: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(facts["model_type"], "mamba");
    assert_eq!(facts["decoder"], json!([]));
    assert_eq!(facts["tokenizer"]["kind"], "BPE");
    let problems = facts["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].as_str().unwrap().contains("`model_type` = \"mamba\""));

    let output = scratch.run(&["inspect", "models/nowhere"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).is_empty() && stderr(&output).contains("models/nowhere"));
}

#[test]
fn an_adapter_is_told_with_its_base() {
    let scratch = Scratch::new();
    copy_folder(&fixtures().join("adapters/llama"), &scratch.path().join("adapters/adapter"));
    copy_folder(&fixtures().join("models/llama"), &scratch.path().join("models/llama"));
    let path = scratch.path().join("adapters/adapter/adapter_config.json");
    let mut config: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    config["base_model_name_or_path"] = json!("models/llama");
    fs::write(&path, config.to_string()).unwrap();
    let output = scratch.run(&["inspect", "adapters/adapter"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("llama · LlamaForCausalLM · models/llama\n"), "{text}");
    assert!(text.contains("\nadapter      adapters/adapter/adapter_config.json"), "{text}");
    assert!(text.contains("F32 ") && text.contains("BF16 "), "{text}");

    fs::remove_file(scratch.path().join("adapters/adapter/adapter_model.safetensors")).unwrap();
    let output = scratch.run(&["inspect", "adapters/adapter"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("adapter_model.safetensors"));
}
