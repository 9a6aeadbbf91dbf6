//! Dialogues from the config to the predictions file: what a turn shows of the turns before it.

use std::{fmt::Write as _, fs, path::Path};

use serde_json::Value as Json;

use crate::scratch::{Scratch, stderr};

const CONFIG: &str = r"
turn_reader = dict(input_columns=['question', 'answer'], output_column='answer')
chat_reader = dict(input_columns=['question'], output_column='answer')
turns = dict(type='MultiTurnPromptTemplate', template=dict(round=[
    dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')]))
datasets = [
    dict(abbr='turns_' + mode, path='data/turns.jsonl', reader_cfg=turn_reader, infer_cfg=dict(
        prompt_template=turns, retriever=dict(type='ZeroRetriever'),
        inferencer=dict(type='MultiTurnGenInferencer', infer_mode=mode, max_out_len=4)),
        eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
    for mode in ['every', 'every_with_gt', 'last']
] + [
    dict(abbr='chat_' + mode, path='data/turns.jsonl', reader_cfg=chat_reader, infer_cfg=dict(
        retriever=dict(type='ZeroRetriever'),
        inferencer=dict(type='ChatInferencer', infer_mode=mode, max_out_len=4)))
    for mode in ['every', 'every_with_gt', 'last']
]
models = [dict(type='HuggingFaceCausalLM', abbr='tiny', path='models/tiny-llama-bos', max_seq_len=40,
    meta_template=dict(round=[dict(role='HUMAN', begin='H: ', end='; '),
                              dict(role='BOT', begin='B: ', end='; ', generate=True)]))]
";

/// Enough for more than one chunk of records.
const SAMPLES: usize = 70;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    let mut rows = String::new();
    for index in 0..SAMPLES {
        let _ = writeln!(
            rows,
            r#"{{"question": ["once {index}", "upon", "a time"], "answer": ["gold one", "gold two", "gold three"]}}"#
        );
    }
    scratch.write("data/turns.jsonl", &rows);
    scratch
}

fn records(run: &Path, dataset: &str) -> Vec<Json> {
    let text = fs::read_to_string(run.join(format!("records/tiny/{dataset}.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn predictions(run: &Path, dataset: &str) -> Json {
    let text = fs::read_to_string(run.join(format!("predictions/tiny/{dataset}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The texts that were continued and the replies, turn by turn.
fn held(record: &Json) -> Vec<(&str, &str)> {
    let exchanges = record["exchanges"].as_array().unwrap().iter();
    exchanges
        .map(|own| (own["prompt"].as_str().unwrap(), own["prediction"].as_str().unwrap()))
        .collect()
}

#[test]
fn a_turn_shows_the_replies_or_the_golds_before_it() {
    let scratch = scratch();
    let arguments = ["run", "config.py", "-w", "out"];
    let output = scratch.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run = scratch.only_run("out");

    for kind in ["turns", "chat"] {
        for record in records(&run, &format!("{kind}_every")) {
            let held = held(&record);
            let [(_, one), (second, two), (third, _)] = held[..] else { panic!("{held:?}") };
            assert!(second.contains(&format!("B: {one}; H: upon; B: ")), "{second}");
            assert!(third.contains(&format!("B: {one}; H: upon; B: {two}; H: a time")), "{third}");
            assert!(!third.contains("gold"), "{third}");
        }
        let golden = "B: gold one; H: upon; B: gold two; H: a time; B: ";
        for record in records(&run, &format!("{kind}_every_with_gt")) {
            let held = held(&record);
            assert_eq!(held.len(), 3);
            assert!(held[2].0.ends_with(golden), "{held:?}");
        }
        for record in records(&run, &format!("{kind}_last")) {
            let held = held(&record);
            assert_eq!(held.len(), 1);
            assert!(held[0].0.ends_with(golden), "{held:?}");
        }
    }

    let every = predictions(&run, "turns_every");
    assert_eq!(every["0"]["prediction"].as_array().map(Vec::len), Some(3));
    assert_eq!(every["0"]["gold"], serde_json::json!(["gold one", "gold two", "gold three"]));
    assert!(predictions(&run, "turns_last")["0"]["prediction"].is_string());
    let last = predictions(&run, "chat_last");
    assert_eq!(last["3"]["gold"], "gold three");
    assert_eq!(last["3"]["origin_prompt"][0]["content"], "once 3");
    // Turn t of sample i stands at i + t: two entries more than samples.
    let with_gt = predictions(&run, "chat_every_with_gt");
    assert_eq!(with_gt.as_object().map(serde_json::Map::len), Some(SAMPLES + 2));

    // The first question fits, and what was said since does not.
    let said = stderr(&output);
    let cut = "70 more samples were cut to fit 40 tokens as their dialogue went on";
    assert!(said.contains(&format!("data set turns_every, model tiny: {cut}")), "{said}");
}

#[test]
fn a_dialogue_that_was_cut_off_is_held_again() {
    let scratch = scratch();
    let arguments = ["run", "config.py", "-w", "out"];
    assert_eq!(scratch.run(&arguments).status.code(), Some(0));
    let run = scratch.only_run("out");
    let kept = ["turns_every", "chat_every"]
        .map(|dataset| run.join(format!("records/tiny/{dataset}.jsonl")))
        .map(|file| (fs::read(&file).unwrap(), file));
    for (bytes, file) in &kept {
        fs::write(file, &bytes[..bytes.len() * 97 / 100]).unwrap();
    }
    let manifest = fs::read_to_string(run.join("run.json")).unwrap();
    fs::write(run.join("run.json"), manifest.replace("true", "false")).unwrap();
    assert_eq!(scratch.run(&arguments).status.code(), Some(0));
    for (bytes, file) in &kept {
        assert!(fs::read(file).unwrap() == *bytes, "{} differs", file.display());
    }
}
