//! Memory that runs out, memory that only the pool holds, and devices that break.

use std::fmt::Write as _;
use std::process::Output;

use serde_json::Value as Json;

use super::gpu::EmulatedGpu;
use super::is_long;
use super::journal::{Call, Journal};

/// A config of two data sets: texts that are scored, and texts that are continued, which is a session of its own.
fn two_data_sets(gpu: &EmulatedGpu, count: usize) {
    let mut rows = String::new();
    for row in 0..count {
        let _ = writeln!(rows, "{{\"text\": \"{row} {row} cats and dogs\", \"answer\": \"a\"}}");
    }
    std::fs::write(gpu.path().join("rows.jsonl"), rows).unwrap();
    let dataset = |abbr: &str, template: &str, inferencer: &str| {
        format!(
            "dict(abbr='{abbr}', path='rows.jsonl',
    reader_cfg=dict(input_columns=['text'], output_column='answer'),
    infer_cfg=dict(prompt_template=dict(type='PromptTemplate', template={template}),
        retriever=dict(type='ZeroRetriever'), inferencer={inferencer}),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))"
        )
    };
    let candidates = "dict(a='{text} sat on the mat', b='{text} ran')";
    let config = format!(
        "from opencompass.models import HuggingFaceCausalLM
datasets = [{}, {}]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
",
        dataset("first", candidates, "dict(type='PPLInferencer')"),
        dataset("second", "'what {text}'", "dict(type='GenInferencer', max_out_len=40)"),
    );
    std::fs::write(gpu.path().join("two.py"), config).unwrap();
}

fn run(gpu: &EmulatedGpu, work: &str, device: &str) -> (Output, Journal) {
    let common = ["run", "two.py", "--fresh", "--json", "-w", work, "--device", device];
    gpu.run_with_journal(&common)
}

/// The figure of every data set.
fn figures(output: &Output) -> Vec<Json> {
    let outcome: Json = serde_json::from_slice(&output.stdout).unwrap();
    let rows = outcome["results"].as_array().unwrap();
    rows.iter().map(|row| row["value"].clone()).collect()
}

#[test]
fn memory_that_runs_out_once_costs_time_or_is_told() {
    let Some(mut gpu) = EmulatedGpu::new() else { return };
    two_data_sets(&gpu, 10);
    let (output, _) = run(&gpu, "cpu", "cpu");
    let wanted = figures(&output);
    let (output, journal) = run(&gpu, "all", "cuda");
    assert_eq!(figures(&output), wanted, "{}", String::from_utf8_lossy(&output.stderr));
    let requests = journal.count(|call| *call == Call::Take);
    assert!(requests > 50, "{requests} requests for memory");
    let (mut survived, mut tried) = (0, 0);
    let step = if is_long() { 10 } else { requests / 8 };
    for full_at in (10..requests).step_by(step) {
        tried += 1;
        gpu = gpu.with("EMULATED_GPU_FULL_AT", &full_at);
        let work = format!("full-{full_at}");
        let (output, _) = run(&gpu, &work, "cuda");
        let errors = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {
                assert_eq!(figures(&output), wanted, "request {full_at}: {errors}");
                survived += 1;
            }
            // Nothing can be made smaller where a session begins.
            Some(1) => {
                let table = gpu.run(&["export", "latest", "-w", &work, "--table", "samples"]);
                for line in String::from_utf8_lossy(&table.stdout).lines() {
                    let sample: Json = serde_json::from_str(line).unwrap();
                    let is_told = |error: &str| error.to_lowercase().contains("out of memory");
                    assert!(sample["error"].as_str().is_none_or(is_told), "{full_at}: {sample}");
                }
            }
            // Nor while weights are read.
            _ => assert!(errors.to_lowercase().contains("out of memory"), "{full_at}: {errors}"),
        }
    }
    assert!(survived * 2 > tried, "{survived} of {tried} runs went on");
}

#[test]
fn a_session_after_a_session_has_the_same_budget() {
    if EmulatedGpu::new().is_none() {
        return;
    }
    // Little enough for the budget to say how many sequences are continued at once.
    let passes = |mebibytes: usize, only: &[&str]| {
        let gpu = EmulatedGpu::new().unwrap().with("EMULATED_GPU_MIB", &mebibytes);
        two_data_sets(&gpu, 24);
        let common = ["run", "two.py", "--fresh", "-w", "work", "--device", "cuda"];
        let (output, journal) = gpu.run_with_journal(&[&common, only].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        journal.passes().len()
    };
    let (first, second) = (["--dataset", "first"], ["--dataset", "second"]);
    let (scored, continued) = (passes(1, &first), passes(1, &second));
    assert!(continued > passes(64, &second), "{continued} passes");
    // What the first session leaves in the pool is still there for the second.
    assert_eq!(passes(1, &[]), scored + continued);
}

#[test]
fn a_broken_device_is_asked_no_more() {
    let Some(gpu) = EmulatedGpu::new() else { return };
    two_data_sets(&gpu, 10);
    let gpu = gpu.with("EMULATED_GPU_BREAKS_AT", &40);
    let (output, journal) = run(&gpu, "work", "cuda");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code == 1 || code == 2), "{errors}");
    let table = gpu.run(&["export", "latest", "-w", "work", "--table", "samples"]);
    let table = String::from_utf8_lossy(&table.stdout).into_owned();
    assert!(table.contains("the device is lost"), "{errors}\n{table}");
    let refused = journal.count(|call| *call == Call::Refused);
    assert!((1..20).contains(&refused), "{refused} calls of a broken device");
}
