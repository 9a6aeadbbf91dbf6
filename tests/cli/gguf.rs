//! A GGUF file in the place of a checkpoint folder.

use std::fs;

use serde_json::Value;

use super::scratch::{Scratch, fixtures, stderr, stdout};

const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
from opencompass.openicl import PromptTemplate, ZeroRetriever, PPLInferencer, GenInferencer, AccEvaluator
ppl = dict(
    abbr='choices',
    path='rows.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type=PromptTemplate, template={'A': '{question} yes', 'B': '{question} no'}),
        retriever=dict(type=ZeroRetriever),
        inferencer=dict(type=PPLInferencer)),
    eval_cfg=dict(evaluator=dict(type=AccEvaluator)))
gen = dict(
    abbr='words',
    path='rows.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type=PromptTemplate, template='{question}'),
        retriever=dict(type=ZeroRetriever),
        inferencer=dict(type=GenInferencer, max_out_len=4)),
    eval_cfg=dict(evaluator=dict(type=AccEvaluator)))
datasets = [ppl, gen]
models = [dict(type=HuggingFaceCausalLM, abbr='small', path='small.gguf')]
";

const ROWS: &str = "{\"question\": \"the cat\", \"answer\": \"A\"}\n{\"question\": \"the dog\", \"answer\": \"B\"}\n";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    scratch.write("rows.jsonl", ROWS);
    let file = fixtures().join("gguf/llama-q4_0.gguf");
    fs::copy(file, scratch.path().join("small.gguf")).unwrap();
    scratch
}

#[test]
fn a_file_is_run_as_a_config_or_the_command_line_names_it() {
    let scratch = scratch();
    let scores = |arguments: &[&str]| {
        let output = scratch.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let table: Value = serde_json::from_str(&stdout(&output)).unwrap();
        table.to_string().replace("outputs/b", "outputs/a")
    };
    let by_config = scores(&["run", "config.py", "-w", "a", "--json"]);
    assert!(by_config.contains("small"), "{by_config}");
    let tokens = |work_dir: &str| {
        let mut lines = scratch.export(work_dir, "tokens");
        for line in &mut lines {
            line["run"] = Value::Null;
        }
        lines
    };
    scores(&["run", "config.py", "--model", "small.gguf", "-w", "b", "--json"]);
    assert!(!tokens("a").is_empty());
    assert_eq!(tokens("a"), tokens("b"));
    let check = scratch.run(&["check", "config.py", "--model", "small.gguf"]);
    assert_eq!(check.status.code(), Some(0), "{}", stderr(&check));
}

#[test]
fn answers_of_rounded_activations_are_kept_apart() {
    let scratch = scratch();
    let run = |more: &[&str]| {
        let output = scratch.run(&[&["run", "config.py", "-w", "a", "--json"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let mut tokens = scratch.export("a", "tokens");
        for line in &mut tokens {
            line["run"] = Value::Null;
        }
        (tokens, stderr(&output))
    };
    let (exact, _) = run(&[]);
    let (rounded, said) = run(&["--activations", "q8"]);
    assert_ne!(exact, rounded);
    let is_kept = |said: &str| said.lines().any(|line| line.starts_with("0 tokens computed"));
    assert!(!is_kept(&said), "{said}");
    // Each finds its own again.
    for (more, tokens) in [(&[] as &[&str], &exact), (&["--activations", "q8"], &rounded)] {
        let (found, said) = run(more);
        assert_eq!(found, *tokens);
        assert!(is_kept(&said), "{said}");
    }
    // Rounding moves a surprisal a little, and no further.
    let nats = |line: &Value| line["nll_nats"].as_f64();
    let scored = exact.iter().zip(&rounded).filter(|(exact, _)| exact["is_answer"] != true);
    let pairs: Vec<(f64, f64)> =
        scored.filter_map(|(exact, rounded)| Some((nats(exact)?, nats(rounded)?))).collect();
    assert!(!pairs.is_empty());
    assert!(pairs.iter().all(|(exact, rounded)| (exact - rounded).abs() < 0.1), "{pairs:?}");
}

#[test]
fn activations_are_not_rounded_before_weights_that_are_not_quantised() {
    let scratch = scratch();
    let model = fixtures().join("models/llama");
    let model = model.to_str().unwrap();
    let arguments = ["run", "config.py", "--model", model, "-w", "a", "--activations", "q8"];
    let output = scratch.run(&arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("its weights are not quantised"), "{}", stderr(&output));
    let output = scratch.run(&["run", "config.py", "--activations", "q4"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("activations can be exact or q8"), "{}", stderr(&output));
}

#[test]
fn a_damaged_file_and_a_missing_one_end_with_their_names() {
    let scratch = scratch();
    let path = scratch.path().join("small.gguf");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    for (model, says) in
        [("small.gguf", "small.gguf"), ("other.gguf", "no checkpoint `other.gguf`")]
    {
        let output = scratch.run(&["run", "config.py", "--model", model, "-w", "a"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
    }
}

#[test]
fn its_chat_template_is_written() {
    let scratch = scratch();
    let output = scratch.run(&["chat-template", "small.gguf", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output =
        scratch.run(&["chat-template", "small.gguf", "--template", "{{ messages[1].role }}"]);
    assert_eq!(stdout(&output), "user\n");
}
