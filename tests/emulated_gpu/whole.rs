//! Commands as a person runs them.

use std::path::Path;
use std::process::Output;

use serde_json::Value as Json;

use super::gpu::EmulatedGpu;
use super::is_long;
use super::journal::{Call, Journal};

/// The checkpoint of each family.
const FAMILIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/models");

/// One for each way of attention, of experts and of weights.
const USUAL_FAMILIES: [&str; 9] = [
    "bloom",
    "deepseek_v3",
    "gemma2",
    "gpt2",
    "gpt_oss",
    "llama",
    "llama-fp8-outputs",
    "mixtral",
    "qwen3_moe",
];

/// The checkpoint that ships, of 3.1 MB, and the memory of devices neither of which holds it.
const POCKET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/pocket");
const SPLIT_MIB: usize = 3;

fn stdout(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_operation_and_every_family_agrees_with_the_cpu() {
    let Some(gpu) = EmulatedGpu::new() else { return };
    let families = gpu.path().join("families");
    std::fs::create_dir(&families).unwrap();
    let mut count = 0;
    for family in std::fs::read_dir(FAMILIES).unwrap().map(|family| family.unwrap()) {
        let name = family.file_name();
        let is_usual = USUAL_FAMILIES.iter().any(|usual| name == *usual);
        if family.path().is_dir() && (is_long() || is_usual) {
            std::os::unix::fs::symlink(family.path(), families.join(name)).unwrap();
            count += 1;
        }
    }
    assert!(count >= USUAL_FAMILIES.len(), "{count} families");
    let families = families.display().to_string();
    let arguments = ["selftest", "--device", "cuda", "--checkpoints", &families, "--json"];
    let rows: Vec<Json> = serde_json::from_str(&stdout(&gpu.run(&arguments))).unwrap();
    assert!(rows.len() > 20 + count, "{} rows of {count} families", rows.len());
    for row in &rows {
        assert_eq!(row["problem"], Json::Null, "{row}");
    }
}

#[test]
fn types_of_half_the_size_agree_with_the_cpu() {
    let Some(gpu) = EmulatedGpu::new() else { return };
    let arguments = ["selftest", "--device", "cuda", "--dtype", "bf16,f16", "--json"];
    let rows: Vec<Json> = serde_json::from_str(&stdout(&gpu.run(&arguments))).unwrap();
    for row in &rows {
        assert_eq!(row["problem"], Json::Null, "{row}");
    }
}

/// The figures of the demo, by data set.
fn demo(gpu: &EmulatedGpu, device: &str) -> Vec<(String, f64)> {
    let folder = format!("work-{}", device.replace([':', ','], "-"));
    let limit = if is_long() { "12" } else { "3" };
    let arguments =
        ["demo", "-w", &folder, "--limit", limit, "--device", device, "--dtype", "f32", "--json"];
    let outcome: Json = serde_json::from_str(&stdout(&gpu.run(&arguments))).unwrap();
    let figure =
        |row: &Json| (row["dataset"].as_str().unwrap().to_owned(), row["value"].as_f64().unwrap());
    outcome["results"].as_array().unwrap().iter().map(figure).collect()
}

#[test]
fn the_demo_ends_in_the_figures_of_the_cpu_on_one_device_and_on_two() {
    let Some(gpu) = EmulatedGpu::new() else { return };
    let gpu = gpu.with("EMULATED_GPUS", &2);
    let wanted = demo(&gpu, "cpu");
    assert!(!wanted.is_empty());
    assert_eq!(demo(&gpu, "cuda:0"), wanted);
    assert_eq!(demo(&gpu, "cuda:0,cuda:1"), wanted);
}

#[test]
fn two_devices_share_the_work() {
    let Some(gpu) = EmulatedGpu::new() else { return };
    let gpu = gpu.with("EMULATED_GPUS", &2);
    let limit = if is_long() { "8" } else { "2" };
    let arguments =
        ["demo", "-w", "work", "--limit", limit, "--device", "cuda:0,cuda:1", "--dtype", "f32"];
    let (output, journal) = gpu.run_with_journal(&arguments);
    stdout(&output);
    for device in [0, 1] {
        assert!(journal.of(device).passes().len() > 1, "device {device} computes nothing");
    }
    assert!(Path::new(&gpu.path().join("work")).is_dir());
}

/// The log-likelihoods of some candidates, by the checkpoint that ships, in the type that it is stored in.
fn log_likelihoods(gpu: &EmulatedGpu, device: &str) -> (Vec<f64>, Journal) {
    let row = |row: usize| format!("{{\"text\": \"row {row} of it\", \"answer\": \"a\"}}\n");
    std::fs::write(gpu.path().join("rows.jsonl"), (0..6).map(row).collect::<String>()).unwrap();
    let config = format!(
        r"from opencompass.models import HuggingFaceCausalLM
both = dict(abbr='both', path='rows.jsonl',
    reader_cfg=dict(input_columns=['text'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template=dict(a='{{text}} and more', b='{{text}} or less')),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
datasets = [both]
models = [dict(type=HuggingFaceCausalLM, abbr='pocket', path='{POCKET}', max_seq_len=128)]
"
    );
    std::fs::write(gpu.path().join("both.py"), config).unwrap();
    let arguments =
        ["run", "both.py", "--fresh", "-w", "work", "--device", device, "--batch-tokens", "64"];
    let (output, journal) = gpu.run_with_journal(&arguments);
    stdout(&output);
    let table = gpu.run(&["export", "latest", "-w", "work", "--table", "candidates"]);
    let number = |line: &str| {
        let row: Json = serde_json::from_str(line).unwrap();
        row["sum_nll_nats"].as_f64().unwrap()
    };
    (stdout(&table).lines().map(number).collect(), journal)
}

#[test]
fn a_model_that_fits_neither_of_two_devices_lies_on_both() {
    let Some(gpu) = EmulatedGpu::new() else { return };
    let (wanted, _) = log_likelihoods(&gpu, "cuda:0");
    assert_eq!(wanted.len(), 12);
    let gpu = gpu.with("EMULATED_GPUS", &2).with("EMULATED_GPU_MIB", &SPLIT_MIB);
    let (found, journal) = log_likelihoods(&gpu, "cuda:0,cuda:1");
    assert_eq!(found, wanted);
    // Embeddings and the head are on the first device alone, layers on both.
    assert!(!journal.of(0).passes().is_empty() && journal.of(1).passes().is_empty());
    let keeps = |call: &Call| matches!(call, Call::Launch(name) if name.starts_with("rotary_kv"));
    assert!(journal.of(0).count(keeps) > 0 && journal.of(1).count(keeps) > 0);
}
