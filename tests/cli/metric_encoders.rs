//! Metrics that compare texts by the vectors of a sentence encoder.

use super::scratch::{Scratch, copy_folder, fixtures, stderr, stdout};

const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
datasets = [dict(abbr='steps', path='rows.jsonl',
    reader_cfg=dict(input_columns=['text'], output_column='call'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template='{text}'),
        retriever=dict(type='ZeroRetriever'),
        inferencer=dict(type='GenInferencer', max_out_len=4)),
    eval_cfg=dict(evaluator=dict(type='TEvalEvaluator', subset='reason', encoder='encoders/minilm-mean')))]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    copy_folder(
        &fixtures().join("embeddings/minilm-mean"),
        &scratch.path().join("encoders/minilm-mean"),
    );
    let call =
        r#"{"ground_truth": {"thought": "rain fell"}, "meta_data": {"response_format": "str"}}"#;
    let row = |text: &str| format!("{{\"text\": {text:?}, \"call\": {call:?}}}\n");
    scratch.write("rows.jsonl", &[row("the sun rose"), row("one hundred")].concat());
    scratch.write("config.py", CONFIG);
    scratch
}

#[test]
fn texts_are_embedded_once_and_again_by_an_encoder_that_changed() {
    let scratch = scratch();
    let run = || scratch.run(&["run", "config.py", "-w", "out"]);
    let first = run();
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    assert!(stderr(&first).contains("embedded with encoders/minilm-mean: 3 texts\n"));
    assert!(stdout(&first).contains("thought"), "{}", stdout(&first));
    assert!(stderr(&run()).contains("the same run is finished"));
    let again = scratch.run(&["evaluate", "latest", "-w", "out"]);
    assert!(stderr(&again).contains("3 of them were kept in out already"), "{}", stderr(&again));
    scratch.write("encoders/minilm-mean/sentence_bert_config.json", r#"{"max_seq_length": 4}"#);
    let changed = stderr(&run());
    assert!(changed.contains("embedded with encoders/minilm-mean: 3 texts\n"), "{changed}");
}

#[test]
fn a_missing_encoder_is_refused_before_anything_is_asked() {
    let scratch = scratch();
    scratch.write("config.py", &CONFIG.replace("encoders/minilm-mean", "encoders/none"));
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("encoders/none") && told.contains("encoder='…'"), "{told}");
    // Looking at prompts needs no metric.
    assert_eq!(scratch.run(&["view", "config.py", "-w", "out"]).status.code(), Some(0));
}
