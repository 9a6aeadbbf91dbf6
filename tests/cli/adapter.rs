//! Low-rank adapters in configs and on the command line.

use std::fs;

use serde_json::{Value, json};

use super::scratch::{Scratch, copy_folder, fixtures, stderr, stdout};

const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
from opencompass.openicl import PromptTemplate, ZeroRetriever, PPLOnlyInferencer
datasets = [dict(
    abbr='texts',
    path='rows.jsonl',
    reader_cfg=dict(input_columns=['text'], output_column=None),
    infer_cfg=dict(
        prompt_template=dict(type=PromptTemplate, template='{text}'),
        retriever=dict(type=ZeroRetriever),
        inferencer=dict(type=PPLOnlyInferencer)),
    eval_cfg=dict(evaluator=dict(type='AveragePPLEvaluator')))]
models = [
    dict(type=HuggingFaceCausalLM, abbr='base', path='models/llama'),
    dict(type=HuggingFaceCausalLM, abbr='adapted', path='models/llama', peft_path='adapters/own', peft_kwargs=dict()),
]
";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    copy_folder(&fixtures().join("adapters/llama"), &scratch.path().join("adapters/own"));
    copy_folder(&fixtures().join("models/llama"), &scratch.path().join("models/llama"));
    scratch.write("config.py", CONFIG);
    scratch.write("rows.jsonl", "{\"text\": \"The cat sat.\"}\n{\"text\": \"12+34=46\"}\n");
    scratch
}

fn values(scratch: &Scratch, arguments: &[&str]) -> Vec<f64> {
    let output = scratch.run(&[&["run", "config.py", "--json"], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let outcome: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let results = outcome["results"].as_array().unwrap();
    results.iter().map(|row| row["value"].as_f64().unwrap()).collect()
}

#[test]
fn an_adapter_is_named_beside_its_base_or_alone() {
    let scratch = scratch();
    let named = values(&scratch, &[]);
    assert!((named[0] - named[1]).abs() > 0.01, "{named:?}");
    // Alone, it finds the base from its own folder.
    let alone = values(&scratch, &["--model", "adapters/own"]);
    assert_eq!(alone[0].to_bits(), named[1].to_bits());
}

#[test]
fn another_adapter_is_another_run() {
    let scratch = scratch();
    let first = values(&scratch, &["--model", "adapters/own", "-w", "out"]);
    let path = scratch.path().join("adapters/own/adapter_config.json");
    let mut config: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    config["lora_alpha"] = json!(1);
    fs::write(&path, config.to_string()).unwrap();
    let second = values(&scratch, &["--model", "adapters/own", "-w", "out"]);
    assert!((first[0] - second[0]).abs() > 1e-3);
}

#[test]
fn an_adapter_that_does_not_fit_its_base_ends_before_the_run() {
    let scratch = scratch();
    let other = fixtures().join("adapters/gpt2-turned");
    copy_folder(&other, &scratch.path().join("adapters/own"));
    let output = scratch.run(&["check", "config.py"]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("error: model adapted: ") && message.contains("lora_A"), "{message}");
}
