//! Local models that are shown images, run by the program.

use std::fs;

use serde_json::Value as Json;

use super::scratch::{Scratch, fixtures, stderr};

const CONFIG: &str = r"from opencompass.models import HuggingFaceBaseModel, HuggingFacewithChatTemplate
shown = dict(
    text=dict(type='text', text='{question}'),
    image=dict(type='image_url', image_url='file://{image}'))
words = dict(abbr='words', path='rows.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='MMPromptTemplate', template=dict(round=[dict(role='HUMAN', prompt_mm=shown)])),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=8)),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
datasets = [words]
models = [dict(type=HuggingFacewithChatTemplate, abbr='seeing', path='MODEL')]
";

const ROW: &str = r#"{"question": "<AIS_IMAGE_START>picture.png<AIS_CONTENT_TAG><AIS_TEXT_START>What is in this picture?<AIS_CONTENT_TAG>", "answer": "x"}"#;

/// A folder with one row about `picture.png`, for one of the models that see.
pub(super) fn scratch(model: &str, picture: &str) -> Scratch {
    let scratch = Scratch::new();
    let path = fixtures().join("vision/models").join(model);
    scratch.write("config.py", &CONFIG.replace("MODEL", &path.to_string_lossy()));
    scratch.write("rows.jsonl", ROW);
    show(&scratch, picture);
    scratch
}

/// Puts a picture of the fixtures where the row finds it.
pub(super) fn show(scratch: &Scratch, picture: &str) {
    let from = fixtures().join("vision/images").join(picture);
    fs::copy(from, scratch.path().join("picture.png")).unwrap();
}

pub(super) fn run(scratch: &Scratch) -> String {
    let output = scratch.run(&["run", "config.py", "-w", "work"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stderr(&output)
}

/// The last ids of the newest run's only sample.
fn last_ids(scratch: &Scratch, count: usize) -> Vec<u64> {
    let tokens = scratch.export("work", "tokens");
    let ids: Vec<u64> = tokens.iter().map(|token| token["id"].as_u64().unwrap()).collect();
    ids[ids.len() - count..].to_vec()
}

#[test]
fn a_run_answers_as_transformers_does() {
    for model in ["llava", "qwen2_vl", "gemma3", "idefics3"] {
        let scratch = scratch(model, "rgb.png");
        run(&scratch);
        let expected = fixtures().join("vision/models").join(model).join("expected.json");
        let expected: Json = serde_json::from_slice(&fs::read(expected).unwrap()).unwrap();
        let mut cases = expected["cases"].as_array().unwrap().iter();
        let case = cases.find(|case| case["name"] == "image").unwrap();
        let wanted: Vec<u64> = serde_json::from_value(case["pil"]["greedy"].clone()).unwrap();
        assert_eq!(last_ids(&scratch, wanted.len()), wanted, "{model}");
    }
}

#[test]
fn another_picture_under_the_same_name_is_asked_again() {
    let scratch = scratch("llava", "rgb.png");
    run(&scratch);
    let first = last_ids(&scratch, 8);
    assert!(run(&scratch).contains("the same run is finished and kept"));
    show(&scratch, "wide.png");
    let told = run(&scratch);
    assert!(!told.contains("finished and kept"), "{told}");
    assert_ne!(last_ids(&scratch, 8), first);
    // What was answered of the first picture is known, whatever was looked at since.
    show(&scratch, "rgb.png");
    assert!(run(&scratch).contains("the same run is finished and kept"));
    assert_eq!(last_ids(&scratch, 8), first);
}

#[test]
fn an_image_that_cannot_be_shown_is_refused() {
    let scratch = scratch("llava", "rgb.png");
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    let refused = |config: &str, wanted: &str| {
        scratch.write("config.py", config);
        let output = scratch.run(&["run", "config.py", "-w", "work"]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(wanted), "{wanted}: {}", stderr(&output));
    };
    refused(&config.replace("file://{image}", "file://none.png"), "none.png: No such file");
    refused(&config.replace("file://{image}", "https://example.org/{image}"), "is on the network");
    let of_text = config.replace("type=HuggingFacewithChatTemplate", "type=HuggingFaceBaseModel");
    refused(&of_text, "holds more than text");
    scratch.write("picture.png", "no picture");
    refused(&config, "picture.png: this is no image");
}
