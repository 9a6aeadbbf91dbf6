//! A GGUF file in the place of a checkpoint folder.

use std::fs;

use serde_json::Value;

use crate::scratch::{Scratch, fixtures, stderr, stdout};

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
