//! Models that see and hear: towers, rows in the place of tokens, and what is seen both ways.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Output;

use serde_json::Value as Json;

use super::gpu::EmulatedGpu;
use super::is_long;
use super::journal::{Call, Journal};

/// The checkpoints that see or hear, and pictures.
const CHECKPOINTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/vision/models");
const PICTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/vision/images");

/// One for each way that rows go: seen both ways within windows, a prompt that is seen both ways, windows in the tower and places of
/// three parts, rows that are added behind layers, a tower with biases on its scores, and sound.
const USUAL_CHECKPOINTS: [&str; 6] =
    ["gemma3", "paligemma", "phi4_multimodal", "qwen2_5_vl", "qwen2_audio", "qwen3_vl"];

/// Kernels of candle's that attend where none of ours does.
const PLAIN_ATTENTION: &str = "softmax";

const CONFIG: &str = r"from opencompass.models import HuggingFacewithChatTemplate
shown = dict(
    text=dict(type='text', text='{question}'),
    image=dict(type='image_url', image_url='file://{image}'))
said = {label: dict(round=[dict(role='HUMAN', prompt_mm=shown), dict(role='BOT', prompt=label)]) for label in ['yes', 'no']}
pictures = dict(abbr='pictures', path='rows.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='MMPromptTemplate', template=said),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
datasets = [pictures]
models = [dict(type=HuggingFacewithChatTemplate, abbr='seeing', path='MODEL')]
";

fn stdout(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The rows of `selftest` with some checkpoints, all of which must have agreed.
fn tested(dtypes: &str, is_one: impl Fn(&str) -> bool) -> Option<Vec<Json>> {
    let gpu = EmulatedGpu::new()?;
    let folder = gpu.path().join("seeing");
    std::fs::create_dir(&folder).unwrap();
    for checkpoint in std::fs::read_dir(CHECKPOINTS).unwrap().map(|entry| entry.unwrap()) {
        let has_weights = checkpoint.path().join("model.safetensors").exists();
        if has_weights && is_one(&checkpoint.file_name().to_string_lossy()) {
            symlink(checkpoint.path(), folder.join(checkpoint.file_name())).unwrap();
        }
    }
    let arguments = ["selftest", "--device", "cuda", "--checkpoints", "seeing", "--json"];
    let output = gpu.run(&[&arguments[..], &["--dtype", dtypes]].concat());
    let rows: Vec<Json> = serde_json::from_str(&stdout(&output)).unwrap();
    for row in &rows {
        assert_eq!(row["problem"], Json::Null, "{row}");
    }
    Some(rows)
}

fn subjects<'r>(rows: &'r [Json], words: &str) -> Vec<&'r str> {
    let subjects = rows.iter().map(|row| row["subject"].as_str().unwrap());
    subjects.filter(|subject| subject.contains(words)).collect()
}

#[test]
fn what_checkpoints_see_and_hear_agrees_with_the_cpu() {
    let is_one = |name: &str| is_long() || USUAL_CHECKPOINTS.contains(&name);
    let Some(rows) = tested("f32", is_one) else { return };
    for name in USUAL_CHECKPOINTS {
        let kind = if name == "qwen2_audio" { "sounds" } else { "images" };
        for words in ["rows of", "texts behind"] {
            assert_eq!(subjects(&rows, &format!("{name}, {words} {kind}")).len(), 1, "{name}");
        }
    }
    // Nothing that it is asked is text alone.
    assert!(!subjects(&rows, "paligemma").contains(&"paligemma"));
    let videos = if is_long() { 6 } else { 2 };
    assert_eq!(subjects(&rows, "rows of videos").len(), videos);
}

#[test]
fn what_checkpoints_see_and_hear_agrees_in_types_of_half_the_size() {
    let is_one = |name: &str| is_long() || ["gemma3", "phi4_multimodal"].contains(&name);
    let Some(rows) = tested("bf16,f16", is_one) else { return };
    let of_towers: Vec<&Json> = rows.iter().filter(|row| !row["mean_of_size"].is_null()).collect();
    assert!(of_towers.len() >= 4, "{} rows", of_towers.len());
    assert!(of_towers.iter().all(|row| !row["bound"].is_null() && row["judged"] != 0.0));
}

/// The log-likelihoods of what could be said of two pictures, and what was asked of the device.
fn log_likelihoods(model: &str, device: &str) -> Option<(Vec<f64>, Journal)> {
    let gpu = EmulatedGpu::new()?;
    let path = Path::new(CHECKPOINTS).join(model);
    std::fs::write(gpu.path().join("seeing.py"), CONFIG.replace("MODEL", &path.to_string_lossy()))
        .unwrap();
    let row = |picture: &str| {
        std::fs::copy(Path::new(PICTURES).join(picture), gpu.path().join(picture)).unwrap();
        format!(
            "{{\"question\": \"<AIS_IMAGE_START>{picture}<AIS_CONTENT_TAG><AIS_TEXT_START>Is it?<AIS_CONTENT_TAG>\", \"answer\": \"yes\"}}\n"
        )
    };
    std::fs::write(gpu.path().join("rows.jsonl"), ["rgb.png", "wide.png"].map(row).concat())
        .unwrap();
    let arguments = ["run", "seeing.py", "-w", "work", "--device", device, "--dtype", "f32"];
    let (output, journal) = gpu.run_with_journal(&arguments);
    stdout(&output);
    let table = gpu.run(&["export", "latest", "-w", "work", "--table", "candidates"]);
    let number = |line: &str| {
        let row: Json = serde_json::from_str(line).unwrap();
        row["sum_nll_nats"].as_f64().unwrap()
    };
    Some((stdout(&table).lines().map(number).collect(), journal))
}

#[test]
fn questions_about_pictures_end_in_the_figures_of_the_cpu() {
    let models: &[&str] =
        if is_long() { &["gemma3", "llava_next", "qwen2_vl", "internvl"] } else { &["gemma3"] };
    for model in models {
        let Some((wanted, _)) = log_likelihoods(model, "cpu") else { return };
        let Some((found, journal)) = log_likelihoods(model, "cuda") else { return };
        assert_eq!((wanted.len(), found.len()), (4, 4), "{model}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!((found - wanted).abs() < 1e-3, "{model}: {found} instead of {wanted}");
        }
        // Neither tower nor decoder leaves attention to plain tensor operations.
        let launched = |kernel: &str| {
            journal.count(|call| matches!(call, Call::Launch(name) if name.starts_with(kernel)))
        };
        assert_eq!(launched(PLAIN_ATTENTION), 0, "{model}");
        assert!(launched("attention_prefill") > 0, "{model}");
    }
}
