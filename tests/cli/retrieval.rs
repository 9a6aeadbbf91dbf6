//! Examples that are found with sentence encoders and language models.

use super::scratch::{Scratch, copy_folder, fixtures, stderr, stdout};

const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
template = dict(type='PromptTemplate', ice_token='</E>',
    template={'a': '</E>{text} the cat', 'b': '</E>{text} the dog'})
near = dict(abbr='near', path='data/rows',
    reader_cfg=dict(input_columns=['text'], output_column='answer'),
    infer_cfg=dict(
        ice_template=template,
        retriever=dict(RETRIEVER, sentence_transformers_model_name='encoders/minilm-mean',
            tokenizer_name='models/tiny-llama-bos'),
        inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
datasets = [near]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

const TOPK: &str = "type='TopkRetriever', ice_num=1";
const MDL: &str = "type='MDLRetriever', ice_num=1, candidate_num=3, select_time=2, ice_template=template, \
                   ce_model_name='models/tiny-llama-bos'";

fn scratch(retriever: &str) -> Scratch {
    let scratch = Scratch::new();
    copy_folder(
        &fixtures().join("embeddings/minilm-mean"),
        &scratch.path().join("encoders/minilm-mean"),
    );
    let row =
        |(text, answer): &(&str, &str)| format!("{{\"text\": {text:?}, \"answer\": {answer:?}}}\n");
    let train = [("the sun rose over", "a"), ("one hundred and two", "b"), ("rain fell on", "a")];
    let test = [("rain fell on", "b"), ("the sun rose over", "a")];
    scratch.write("data/rows/train.jsonl", &train.iter().map(row).collect::<String>());
    scratch.write("data/rows/test.jsonl", &test.iter().map(row).collect::<String>());
    scratch.write("config.py", &CONFIG.replace("RETRIEVER", retriever));
    scratch
}

#[test]
fn what_is_embedded_is_told_and_embedded_once() {
    let scratch = scratch(TOPK);
    let checked = scratch.run(&["check", "config.py", "-w", "out"]);
    assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
    // Two of the five texts are the same as two others.
    let line = "embedded with encoders/minilm-mean: 3 texts";
    assert!(stderr(&checked).contains(line), "{}", stderr(&checked));
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let line = format!("{line}; 3 of them were kept in out already");
    assert!(stderr(&output).contains(&line), "{}", stderr(&output));
    let viewed = scratch.run(&["view", "config.py", "-w", "out", "--all", "--json"]);
    // The same text is its own nearest one.
    let text = stdout(&viewed);
    assert!(text.contains("rain fell on the cat\\nrain fell on the cat"), "{text}");
    assert!(text.contains("the sun rose over the cat\\nthe sun rose over the dog"), "{text}");
}

#[test]
fn an_encoder_that_changed_is_asked_again() {
    let scratch = scratch(TOPK);
    let first = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    scratch.write("encoders/minilm-mean/sentence_bert_config.json", r#"{"max_seq_length": 4}"#);
    let second = scratch.run(&["run", "config.py", "-w", "out"]);
    let told = stderr(&second);
    assert!(told.contains("embedded with encoders/minilm-mean: 3 texts\n"), "{told}");
}

#[test]
fn a_language_model_that_chooses_examples_is_told_of() {
    let scratch = scratch(MDL);
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("scored with models/tiny-llama-bos to choose examples: "), "{told}");
    let again = scratch.run(&["check", "config.py", "-w", "out"]);
    assert!(stderr(&again).contains("of them were kept in out already"), "{}", stderr(&again));
}

#[test]
fn a_missing_encoder_is_refused_by_its_name() {
    let scratch = scratch(TOPK);
    let config = CONFIG.replace("RETRIEVER", TOPK);
    for (from, to, field) in [
        ("encoders/minilm-mean", "encoders/none", "sentence_transformers_model_name"),
        (
            "tokenizer_name='models/tiny-llama-bos'",
            "tokenizer_name='models/none'",
            "tokenizer_name",
        ),
    ] {
        scratch.write("config.py", &config.replace(from, to));
        let output = scratch.run(&["check", "config.py", "-w", "out"]);
        assert_eq!(output.status.code(), Some(2));
        let told = stderr(&output);
        assert!(told.contains(field) && told.contains("/none"), "{told}");
    }
}
