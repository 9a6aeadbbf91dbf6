//! A data set with a cell of many megabytes.

#![cfg(target_os = "linux")]

use std::fs;

use serde_json::{Value, json};

use super::scratch::{Scratch, stderr, stdout};

const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
from opencompass.openicl import PromptTemplate, ZeroRetriever, FixKRetriever, PPLInferencer, GenInferencer, AccEvaluator
reader = dict(input_columns=['question'], output_column='answer')
ppl = dict(
    abbr='choices',
    path='rows.jsonl',
    reader_cfg=reader,
    infer_cfg=dict(
        ice_template=dict(type=PromptTemplate, template={'A': '{question} yes', 'B': '{question} no'}),
        prompt_template=dict(type=PromptTemplate, template={'A': '</E>{question} yes', 'B': '</E>{question} no'}, ice_token='</E>'),
        retriever=dict(type=FixKRetriever, fix_id_list=[1]),
        inferencer=dict(type=PPLInferencer)),
    eval_cfg=dict(evaluator=dict(type=AccEvaluator)))
gen = dict(
    abbr='words',
    path='rows.jsonl',
    reader_cfg=reader,
    infer_cfg=dict(
        prompt_template=dict(type=PromptTemplate, template='{question}'),
        retriever=dict(type=ZeroRetriever),
        inferencer=dict(type=GenInferencer, max_out_len=4)),
    eval_cfg=dict(evaluator=dict(type=AccEvaluator)))
datasets = [ppl, gen]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=64)]
";

/// Tokenised whole, the cell alone would take several times as much.
const MOST_KILOBYTES: usize = 2 << 20;

#[test]
fn it_is_cut_before_it_is_tokenised() {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    let cell = "the cat sat on the mat ".repeat(3 << 20);
    let rows = [json!({"question": cell, "answer": "A"}), json!({"question": "b", "answer": "B"})];
    scratch.write("rows.jsonl", &rows.map(|row| row.to_string() + "\n").concat());
    let within = |command: &str| {
        let line =
            format!("ulimit -v {MOST_KILOBYTES}; RAYON_NUM_THREADS=2 exec surprisal {command}");
        let output = scratch.shell(&line).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: {}", stderr(&output));
        output
    };
    let check: Value = serde_json::from_str(&stdout(&within("check config.py --json"))).unwrap();
    for row in check.as_array().unwrap() {
        assert_eq!(row["samples_cut"], 1, "{row}");
    }
    let view = within("view config.py --sample 0 --json");
    // A megabyte of text, token by token; all of it would be seventy times as much.
    assert!(view.stdout.len() < 256 << 20, "{} bytes", view.stdout.len());
    let run = within("run config.py --device cpu -w out");
    assert!(stdout(&run).contains("choices"));
    let predictions = scratch.only_run("out").join("predictions/tiny/words.json");
    assert!(fs::metadata(predictions).unwrap().len() < 4 << 20);
}
