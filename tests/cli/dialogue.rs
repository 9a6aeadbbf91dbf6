//! Dialogues from the config to the predictions file: what a turn shows of the turns before it.

use std::{fmt::Write as _, fs, path::Path};

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr};

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

/// Of each sample's dialogue, the whole text of the last turn and all replies.
fn dialogues(scratch: &Scratch, dataset: &str) -> Vec<(String, Vec<String>)> {
    let samples = scratch.export_of("out", "samples", dataset);
    let text = |sample: &Json, field: &str| sample[field].as_str().unwrap().to_owned();
    let replies = |sample: &Json| serde_json::from_str(&text(sample, "prediction")).unwrap();
    samples.iter().map(|sample| (text(sample, "prompt"), replies(sample))).collect()
}

fn predictions(run: &Path, dataset: &str) -> Json {
    let text = fs::read_to_string(run.join(format!("predictions/tiny/{dataset}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_turn_shows_the_replies_or_the_golds_before_it() {
    let scratch = scratch();
    let arguments = ["run", "config.py", "-w", "out"];
    let output = scratch.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run = scratch.only_run("out");

    for kind in ["turns", "chat"] {
        for (third, replies) in dialogues(&scratch, &format!("{kind}_every")) {
            let [one, two, _] = &replies[..] else { panic!("{replies:?}") };
            assert!(third.contains(&format!("B: {one}; H: upon; B: {two}; H: a time")), "{third}");
            assert!(!third.contains("gold"), "{third}");
        }
        let golden = "B: gold one; H: upon; B: gold two; H: a time; B: ";
        for (last, replies) in dialogues(&scratch, &format!("{kind}_every_with_gt")) {
            assert_eq!(replies.len(), 3);
            assert!(last.ends_with(golden), "{last}");
        }
        for (last, replies) in dialogues(&scratch, &format!("{kind}_last")) {
            assert_eq!(replies.len(), 1);
            assert!(last.ends_with(golden), "{last}");
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
fn a_dialogue_whose_answers_are_lost_is_held_again() {
    let scratch = scratch();
    let arguments = ["run", "config.py", "-w", "out"];
    assert_eq!(scratch.run(&arguments).status.code(), Some(0));
    let expected = dialogues(&scratch, "turns_every");
    let database = rusqlite::Connection::open(scratch.path().join("out/surprisal.db")).unwrap();
    let lost = "DELETE FROM answer WHERE question IN (SELECT question FROM answer LIMIT 100)";
    assert_eq!(database.execute(lost, []).unwrap(), 100);
    database.close().unwrap();
    // Nothing is told wrong: the export refuses, and the command asks for what is missing.
    let refused = scratch.run(&["export", "latest", "-w", "out"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("repeat the run's command"), "{}", stderr(&refused));
    let output = scratch.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!stderr(&output).contains("0 tokens computed"), "{}", stderr(&output));
    assert_eq!(dialogues(&scratch, "turns_every"), expected);
}
