//! Data sets that are asked several times, with their options turned, or of a reasoning model.

use std::fs;

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr};

const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
from opencompass.datasets import CustomDataset
from opencompass.datasets.custom import CircularCustomDataset
from opencompass.datasets.circular import CircularEvaluator
infer = dict(prompt_template=dict(type='PromptTemplate', template='{question} A {A} B {B} C {C}'),
    retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=4))
reader = dict(input_columns=['question', 'A', 'B', 'C'], output_column='answer')
datasets = [
    dict(type=CustomDataset, abbr='own', path='data/rows.jsonl', n=2, k=2, reader_cfg=reader, infer_cfg=infer,
        eval_cfg=dict(evaluator=dict(type='AccwithDetailsEvaluator'), pred_postprocessor=dict(type='first-capital'))),
    dict(type=CustomDataset, abbr='plain', path='data/rows.jsonl', n=2, k=[1, 2], reader_cfg=reader, infer_cfg=infer,
        eval_cfg=dict(evaluator=dict(type='AccEvaluator'), pred_postprocessor=dict(type='first-capital'))),
    dict(type=CircularCustomDataset, abbr='turned', path='data/rows.jsonl', option_keys=['A', 'B', 'C'],
        answer_key='answer', reader_cfg=reader, infer_cfg=infer,
        eval_cfg=dict(evaluator=dict(type=CircularEvaluator), pred_postprocessor=dict(type='first-capital'))),
]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

const ROWS: &str = r#"{"question": "Which is a fruit?", "A": "pear", "B": "car", "C": "sky", "answer": "A"}
{"question": "Which is an animal?", "A": "bus", "B": "cat", "C": "sea", "answer": "B"}
"#;

fn scratch(changes: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("data/rows.jsonl", ROWS);
    let mut config = CONFIG.to_owned();
    for (from, to) in changes {
        assert!(config.contains(from), "{from}");
        config = config.replace(from, to);
    }
    scratch.write("config.py", &config);
    scratch
}

fn run(scratch: &Scratch) -> String {
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stderr(&output)
}

fn json(scratch: &Scratch, file: &str) -> Json {
    let text = fs::read_to_string(scratch.only_run("out").join(file)).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn equal_answers_are_warned_of_and_files_are_opencompass_s() {
    let scratch = scratch(&[]);
    let told = run(&scratch);
    assert!(told.contains("are equal, because nothing is drawn"), "{told}");
    let predictions = json(&scratch, "predictions/tiny/own.json");
    assert_eq!(predictions.as_object().unwrap().len(), 4);
    assert_eq!(predictions["0"], predictions["2"]);
    let results = json(&scratch, "results/tiny/own.json");
    assert!(results.get("accuracy").is_none());
    for metric in ["accuracy (2 runs average)", "own/G-Pass@2_0.0", "G-Pass@2_1.0", "mG-Pass@2"] {
        assert!(results[metric].is_number(), "{metric}: {results}");
    }
    let details = results["details"].as_array().unwrap();
    assert_eq!((details.len(), &details[1]["example_abbr"]), (2, &"own_1".into()));
    assert_eq!(details[0]["pred"].as_array().unwrap().len(), 2);
    // A metric without details: the last run's figure, and details of all runs.
    let plain = json(&scratch, "results/tiny/plain.json");
    assert!(plain["accuracy"].is_number() && plain["details"]["3"].is_object(), "{plain}");
    assert!(told.contains("those of the last of 2 runs"), "{told}");
    let turned = json(&scratch, "predictions/tiny/turned.json");
    assert_eq!(turned.as_object().unwrap().len(), 6);
    let results = json(&scratch, "results/tiny/turned.json");
    for metric in ["acc_origin", "perf_origin", "acc_circular", "more_2_circular", "perf_circular"]
    {
        assert!(results[metric].is_number(), "{metric}: {results}");
    }
}

#[test]
fn drawn_answers_differ_and_are_kept_each() {
    let drawn =
        "max_seq_len=128, n=3, generation_kwargs=dict(do_sample=True, temperature=3.0, top_k=0))]";
    let scratch =
        scratch(&[("max_seq_len=128)]", drawn), (", n=2, k=2", ""), (", n=2, k=[1, 2]", "")]);
    let told = run(&scratch);
    assert!(!told.contains("are equal"), "{told}");
    let predictions = json(&scratch, "predictions/tiny/own.json");
    let texts: Vec<&Json> =
        (0..3).map(|run| &predictions[(run * 2).to_string()]["prediction"]).collect();
    assert!(texts[0] != texts[1] && texts[1] != texts[2], "{texts:?}");
    let first =
        fs::read_to_string(scratch.only_run("out").join("predictions/tiny/own.json")).unwrap();
    let again = scratch.run(&["run", "config.py", "-w", "again"]);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    let second = scratch.only_run("again").join("predictions/tiny/own.json");
    assert_eq!(fs::read_to_string(second).unwrap(), first);
}

#[test]
fn several_answers_are_a_list_and_put_to_the_vote() {
    let scratch = scratch(&[
        (
            "max_seq_len=128)]",
            "max_seq_len=128, generation_kwargs=dict(do_sample=True, temperature=3.0, num_return_sequences=3))]",
        ),
        (", n=2, k=2", ""),
    ]);
    let told = run(&scratch);
    let predictions = json(&scratch, "predictions/tiny/own.json");
    let answers = predictions["0"]["prediction"].as_array().unwrap();
    assert!(answers.len() == 3 && answers[0] != answers[1], "{answers:?}");
    assert!(told.contains("lists of answers"), "{told}");
}

#[test]
fn thinking_is_kept_apart_and_has_a_budget() {
    // What a tiny random model writes has no marks, but any letter can be one.
    let marked =
        "max_seq_len=128, reasoning_start='<none>', reasoning_end='<never>', reasoning_budget=6)]";
    let scratch = scratch(&[("max_seq_len=128)]", marked), ("{C}'", "{C}<none>'")]);
    let told = run(&scratch);
    assert!(told.contains("cut off before its end"), "{told}");
    let predictions = json(&scratch, "predictions/tiny/own.json");
    assert!(predictions["0"]["reasoning_content"].is_string(), "{predictions}");
}
