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
fn rows_are_kept_for_later_runs_where_that_is_asked() {
    // One family whose rows are added behind layers, too.
    for model in ["llava", "qwen3_vl"] {
        let scratch = scratch(model, "rgb.png");
        let told = |arguments: &[&str]| {
            let run = [&["run", "config.py", "-w", "work", "--fresh"], arguments].concat();
            let output = scratch.run(&run);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            (stderr(&output), last_ids(&scratch, 8))
        };
        let (plain, first) = told(&[]);
        assert!(!plain.contains("rows of images"), "{plain}");
        let keep = ["--keep-image-rows"];
        let (written, second) = told(&keep);
        assert!(written.contains("rows of images: 0 read, 1 written"), "{written}");
        let (read, third) = told(&keep);
        assert!(read.contains("rows of images: 1 read, 0 written"), "{read}");
        assert_eq!((&second, &third), (&first, &first));

        // A file that was changed is made again, and another picture has one of its own.
        let folder = scratch.path().join("work/image_rows");
        let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        let mut bytes = fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&file, bytes).unwrap();
        let (mended, fourth) = told(&keep);
        assert!(
            mended.contains("rows of images: 0 read, 1 written, 1 damaged and made again"),
            "{mended}"
        );
        assert_eq!(fourth, first);
        show(&scratch, "wide.png");
        let (other, fifth) = told(&keep);
        assert!(other.contains("rows of images: 0 read, 1 written"), "{other}");
        assert_ne!(fifth, first);
    }
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

#[test]
fn a_row_that_has_the_marks_of_an_image_names_none() {
    let scratch = scratch("llava", "rgb.png");
    let forged = "{\"question\": \"\u{f8e0}file://picture.png\u{f8e1}What?\", \"answer\": \"x\"}";
    scratch.write("rows.jsonl", forged);
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    let of_text = config
        .replace("type='MMPromptTemplate'", "type='PromptTemplate'")
        .replace("prompt_mm=shown", "prompt='{question}'");
    for class in ["HuggingFacewithChatTemplate", "HuggingFaceBaseModel"] {
        scratch.write(
            "config.py",
            &of_text.replace("type=HuggingFacewithChatTemplate", &format!("type={class}")),
        );
        let output = scratch.run(&["run", "config.py", "-w", "work"]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains("U+F8E0"), "{}", stderr(&output));
    }
}

#[test]
fn what_a_row_says_without_a_tag_is_warned_of() {
    let scratch = scratch("llava", "rgb.png");
    let told = |question: &str| {
        let row = serde_json::json!({"question": question, "answer": "x"});
        scratch.write("rows.jsonl", &row.to_string());
        let output = scratch.run(&["run", "config.py", "-w", "work", "--fresh"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output)
    };
    let image = "<AIS_IMAGE_START>picture.png<AIS_CONTENT_TAG>";
    assert!(
        !told(&format!("{image}<AIS_TEXT_START>What?<AIS_CONTENT_TAG>\n")).contains("untagged")
    );
    for question in [format!("{image}What?"), format!("Look: {image}"), "What?".to_owned()] {
        let told = told(&question);
        assert!(told.contains("untagged_text") && told.contains("without a tag"), "{told}");
    }
}

#[test]
fn a_turn_shows_pieces_or_says_a_text() {
    let scratch = scratch("llava", "rgb.png");
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    scratch
        .write("config.py", &config.replace("prompt_mm=shown", "prompt='What?', prompt_mm=shown"));
    let output = scratch.run(&["run", "config.py", "-w", "work"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("both prompt and prompt_mm"), "{}", stderr(&output));
}

#[test]
fn gray_of_16_bits_that_turns_white_is_told_of() {
    let scratch = scratch("llava", "rgb.png");
    let gray = |level: u16| image::ImageBuffer::from_pixel(40, 30, image::Luma([level]));
    for (level, is_told) in [(200, false), (300, true)] {
        gray(level).save(scratch.path().join("picture.png")).unwrap();
        let output = scratch.run(&["run", "config.py", "-w", "work", "--fresh"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let told = stderr(&output);
        assert_eq!(told.contains("picture.png: its gray has 16 bits"), is_told, "{told}");
    }
}

#[test]
fn a_model_of_texts_says_that_it_sees_nothing() {
    let scratch = scratch("llava", "rgb.png");
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    let seeing = fixtures().join("vision/models/llava");
    let blind = concat!(env!("CARGO_MANIFEST_DIR"), "/models/pocket_dialogue");
    scratch.write("config.py", &config.replace(&*seeing.to_string_lossy(), blind));
    let output = scratch.run(&["run", "config.py", "-w", "work"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("sees no images"), "{}", stderr(&output));
}

#[test]
fn tags_that_are_text_and_fields_in_names_of_files_are_warned_of() {
    let scratch = scratch("llava", "rgb.png");
    let told = |row: &Json| {
        scratch.write("rows.jsonl", &row.to_string());
        let output = scratch.run(&["run", "config.py", "-w", "work", "--fresh"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output)
    };
    let shown = |image: &str, text: &str| {
        format!("<AIS_IMAGE_START>{image}<AIS_CONTENT_TAG><AIS_TEXT_START>{text}<AIS_CONTENT_TAG>")
    };
    let row = |question: &str, hint: &str| serde_json::json!({"image": "", "question": question, "hint": hint, "answer": "x"});
    let plain = told(&row(&shown("picture.png", "What?"), ""));
    assert!(!plain.contains("unread_tag") && !plain.contains("filled_data"), "{plain}");
    let hint = "<AIS_IMAGE_START>other.png<AIS_CONTENT_TAG>";
    let tagged = told(&row(&shown("picture.png", "{hint} What?"), hint));
    assert!(tagged.contains("unread_tag") && tagged.contains("<AIS_IMAGE_START>"), "{tagged}");
    let named = told(&row(&shown("{hint}.png", "What?"), "picture"));
    assert!(named.contains("filled_data hint"), "{named}");
}
