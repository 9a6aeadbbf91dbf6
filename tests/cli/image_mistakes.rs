//! Mistakes in questions about images that used to pass, or stopped a run without saying enough.

use std::fs;

use serde_json::{Value as Json, json};

use super::images::{scratch, show};
use super::scratch::{Scratch, stderr, stdout};

/// A question about the picture, as a row.
fn row(image: &str, text: &str) -> String {
    let pieces =
        format!("<AIS_IMAGE_START>{image}<AIS_CONTENT_TAG><AIS_TEXT_START>{text}<AIS_CONTENT_TAG>");
    json!({"question": pieces, "answer": "x"}).to_string()
}

fn config(scratch: &Scratch) -> String {
    fs::read_to_string(scratch.path().join("config.py")).unwrap()
}

/// What a run with such an exit code says.
fn told(scratch: &Scratch, config: &str, code: i32) -> String {
    scratch.write("config.py", config);
    let output = scratch.run(&["run", "config.py", "-w", "work", "--fresh"]);
    assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
    stderr(&output)
}

/// What `view` shows of the first sample.
fn viewed(scratch: &Scratch) -> Json {
    let output = scratch.run(&["view", "config.py", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let views: Json = serde_json::from_str(&stdout(&output)).unwrap();
    views[0].clone()
}

#[test]
fn a_place_for_an_image_that_is_not_there_is_refused() {
    let scratch = scratch("llava", "rgb.png");
    let of_text = config(&scratch)
        .replace("type='MMPromptTemplate'", "type='PromptTemplate'")
        .replace("prompt_mm=shown", "prompt='{question}'");
    let question = |text: &str| json!({"question": text, "answer": "x"}).to_string();
    let rows = ["What?", "<image>\nWhat?", "What?", "What is in <image>?", "<image>"];
    scratch.write("rows.jsonl", &rows.map(question).join("\n"));
    for class in ["HuggingFacewithChatTemplate", "HuggingFaceBaseModel"] {
        let own = of_text.replace("type=HuggingFacewithChatTemplate", &format!("type={class}"));
        let told = told(&scratch, &own, 2);
        assert!(told.contains("sample 1: "), "{told}");
        assert!(told.contains("has <image>, which stands for an image"), "{told}");
        assert!(told.contains("2 more samples cannot be asked either: 3, 4"), "{told}");
    }
    scratch.write("rows.jsonl", &question("What is an image?"));
    told(&scratch, &of_text, 0);
}

#[test]
fn every_image_that_cannot_be_read_is_told_at_once() {
    let scratch = scratch("llava", "rgb.png");
    let rows = ["picture.png", "none.png", "picture.png", "no.png"];
    scratch.write("rows.jsonl", &rows.map(|image| row(image, "What?")).join("\n"));
    let told = told(&scratch, &config(&scratch), 2);
    assert!(told.contains("sample 1: ") && told.contains("none.png: No such file"), "{told}");
    assert!(told.contains("1 more sample cannot be asked either: 3"), "{told}");
}

#[test]
fn what_a_template_leaves_out_is_warned_of() {
    let scratch = scratch("llava", "rgb.png");
    let own = config(&scratch);
    assert!(!told(&scratch, &own, 0).contains("unshown_piece"));
    let wordless = told(&scratch, &own.replace("'{question}'", "'What?'"), 0);
    assert!(wordless.contains("unshown_piece question"), "{wordless}");
    fs::copy(scratch.path().join("picture.png"), scratch.path().join("other.png")).unwrap();
    let fixed = told(&scratch, &own.replace("file://{image}", "file://other.png"), 0);
    assert!(fixed.contains("unshown_piece image"), "{fixed}");
    let same = told(&scratch, &own.replace("file://{image}", "file://picture.png"), 0);
    assert!(!same.contains("unshown_piece"), "{same}");
}

#[test]
fn bytes_among_the_words_are_warned_of() {
    let scratch = scratch("llava", "rgb.png");
    let own = config(&scratch);
    let bytes = format!("data:image/png;base64,iVBORw0KGgo{}", "A1b2".repeat(30));
    let mut cells: Json = serde_json::from_str(&row("picture.png", "What?")).unwrap();
    cells["image"] = json!(bytes);
    scratch.write("rows.jsonl", &cells.to_string());
    assert!(!told(&scratch, &own, 0).contains("bytes_as_text"));
    let said = told(&scratch, &own.replace("'{question}'", "'{image} {question}'"), 0);
    assert!(said.contains("bytes_as_text image"), "{said}");
}

#[test]
fn messages_name_what_is_wrong_in_a_template() {
    let scratch = scratch("llava", "rgb.png");
    let own = config(&scratch);
    let image = "image=dict(type='image_url', image_url='file://{image}')";
    for (written, other, wanted) in [
        (image, "imgae=dict(type='image_url', image_url='{image}')", "did you mean `image`?"),
        (
            image,
            "image=dict(type='image_url', image_url='a'), second=dict(type='text')",
            "has `second`",
        ),
        ("{image}", "{imagee}", "no column and no piece of the row fills in {imagee}"),
        ("file://{image}", "file://data:image/png;base64,AAAA", "goes on with `data:`"),
        (
            image,
            "",
            &format!(
                "of the kind image, and the template's prompt_mm shows none: it needs the entry {image}"
            ),
        ),
    ] {
        let told = told(&scratch, &own.replace(written, other), 2);
        assert!(told.contains(wanted), "{wanted}: {told}");
        assert!(!told.contains("untagged enum"), "{told}");
    }
}

/// The config with examples of text before the question, in a template that has a place for them or in one that has none.
fn with_examples(scratch: &Scratch, template: &str) -> String {
    let ask = "prompt_template=dict(type='MMPromptTemplate', template=dict(round=[dict(role='HUMAN', prompt_mm=shown)])),";
    let own = config(scratch);
    assert!(own.contains(ask), "{own}");
    let example = json!({"hint": "red", "question": "", "answer": "blood", "options": ["a", "b"]});
    let mut asked: Json = serde_json::from_str(&row("picture.png", "What?")).unwrap();
    asked["hint"] = json!("");
    asked["options"] = json!(["a", "b"]);
    fs::create_dir(scratch.path().join("rows")).unwrap();
    scratch.write("rows/train.jsonl", &example.to_string());
    scratch.write("rows/test.jsonl", &asked.to_string());
    own.replace("path='rows.jsonl'", "path='rows'")
        .replace(
            ask,
            &format!("ice_template=dict(type='PromptTemplate', template=dict(round=[dict(role='HUMAN', prompt='{{hint}}'), dict(role='BOT', prompt='{{answer}}')])), {template}"),
        )
        .replace("type='ZeroRetriever'", "type='FixKRetriever', fix_id_list=[0]")
}

#[test]
fn examples_that_a_template_has_no_place_for_are_warned_of() {
    let scratch = scratch("llava", "rgb.png");
    let template = "prompt_template=dict(type='MMPromptTemplate', template=dict(begin='</E>', \
                    round=[dict(role='HUMAN', prompt_mm=shown)]), ice_token='</E>'),";
    let told = told(&scratch, &with_examples(&scratch, template), 0);
    assert!(told.contains("unshown_examples"), "{told}");
    let view = viewed(&scratch);
    assert_eq!(view["examples"], 0);
}

#[test]
fn examples_make_room_for_the_answer_to_a_prompt_that_is_not_cut() {
    let scratch = scratch("llava", "rgb.png");
    let template = "prompt_template=dict(type='ChoicesTemplate', template=dict(begin='</E>', \
                    round=[dict(role='HUMAN', prompt_mm=shown), dict(role='BOT', prompt='{choice.label}')]), \
                    choices='{options}', ice_token='</E>'),";
    let own = with_examples(&scratch, template);
    scratch.write("config.py", &own);
    let view = viewed(&scratch);
    assert_eq!(view["examples"], 1);
    let tokens = view["prompts"][0]["token_count"].as_u64().unwrap();
    let within =
        |most: u64| own.replace("abbr='seeing'", &format!("abbr='seeing', max_seq_len={most}"));
    // Eight tokens are to follow.
    assert!(!told(&scratch, &within(tokens + 8), 0).contains("lost in-context examples"));
    let told = told(&scratch, &within(tokens + 7), 0);
    assert!(told.contains("1 of 1 samples lost in-context examples"), "{told}");
}

#[test]
fn diff_tells_that_a_file_was_changed_between_runs() {
    let scratch = scratch("llava", "rgb.png");
    let own = config(&scratch);
    let candidates = own
        .replace(
            "template=dict(round=[dict(role='HUMAN', prompt_mm=shown)])",
            "template={label: dict(round=[dict(role='HUMAN', prompt_mm=shown), dict(role='BOT', prompt=label)]) \
             for label in ['a', 'b']}",
        )
        .replace("type='GenInferencer', max_out_len=8", "type='PPLInferencer'");
    for config in [own, candidates] {
        show(&scratch, "rgb.png");
        told(&scratch, &config, 0);
        show(&scratch, "wide.png");
        told(&scratch, &config, 0);
        let listed = scratch.run(&["runs", "-w", "work", "--json"]);
        let runs: Json = serde_json::from_str(&stdout(&listed)).unwrap();
        // The oldest comes first.
        let earlier = &runs[runs.as_array().unwrap().len() - 2];
        let earlier = earlier["name"].as_str().unwrap();
        let output = scratch.run(&["diff", "latest", earlier, "-w", "work"]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let told = stdout(&output);
        assert!(told.contains("Likeliest cause: Other images"), "{told}");
        assert!(!told.contains("Rounding"), "{told}");
    }
}

#[test]
fn rows_that_show_nothing_are_counted() {
    let scratch = scratch("llava", "rgb.png");
    let own = config(&scratch);
    assert!(!told(&scratch, &own, 0).contains("show no image"));
    let text = json!({"question": "<AIS_TEXT_START>What?<AIS_CONTENT_TAG>", "answer": "x"});
    scratch.write("rows.jsonl", &[row("picture.png", "What?"), text.to_string()].join("\n"));
    let told = told(&scratch, &own, 0);
    assert!(told.contains("1 of 2 samples show no image, video or sound"), "{told}");
}

#[test]
fn transparent_parts_are_told_of() {
    let scratch = scratch("llava", "rgb.png");
    let own = config(&scratch);
    for (alpha, is_told) in [(255, false), (254, true)] {
        let image = image::RgbaImage::from_pixel(40, 30, image::Rgba([0, 0, 0, alpha]));
        image.save(scratch.path().join("picture.png")).unwrap();
        let told = told(&scratch, &own, 0);
        assert_eq!(told.contains("picture.png: it has transparent parts"), is_told, "{told}");
    }
}

#[test]
fn words_of_other_models_beside_an_image_are_warned_of() {
    let scratch = scratch("qwen2_vl", "rgb.png");
    let own = config(&scratch);
    scratch.write("rows.jsonl", &row("picture.png", "<image>\nWhat?"));
    let told = told(&scratch, &own, 0);
    assert!(told.contains("image_word question") && told.contains("<image>"), "{told}");
}

/// The config with two labels, each a letter, and options in columns of the row.
fn with_options(scratch: &Scratch, rule: &str) -> String {
    let mut cells: Json = serde_json::from_str(&row("picture.png", "Which?")).unwrap();
    cells["answer"] = json!("A");
    (cells["A"], cells["B"]) = (json!("red"), json!("blue"));
    scratch.write("rows.jsonl", &cells.to_string());
    config(scratch)
        .replace("text='{question}'", "text='{question} A. {A} B. {B} Say a letter.'")
        .replace(
            "template=dict(round=[dict(role='HUMAN', prompt_mm=shown)])",
            "template={label: dict(round=[dict(role='HUMAN', prompt_mm=shown), dict(role='BOT', prompt=label)]) for label in 'AB'}",
        )
        .replace("input_columns=['question']", "input_columns=['question', 'A', 'B']")
        .replace("type='GenInferencer', max_out_len=8", "type='PPLInferencer'")
        .replace("evaluator=dict(type='AccEvaluator')", &format!("evaluator=dict(type='AccEvaluator'), rule={rule}"))
}

#[test]
fn a_prompt_without_content_keeps_what_the_template_says() {
    let scratch = scratch("llava", "rgb.png");
    let config = with_options(&scratch, "'calibrated'");
    told(&scratch, &config, 0);
    let view = viewed(&scratch);
    let prompts = view["prompts"].as_array().unwrap();
    let empty: Vec<&str> = prompts
        .iter()
        .filter(|prompt| prompt["images"].as_array().is_none_or(Vec::is_empty))
        .map(|prompt| prompt["text"].as_str().unwrap())
        .collect();
    assert!(empty.iter().any(|text| text.contains("N/A A. N/A B. N/A Say a letter.")), "{empty:?}");
}

#[test]
fn options_that_move_are_viewed_beside_images() {
    let scratch = scratch("llava", "rgb.png");
    let config = with_options(&scratch, "dict(type='cyclic', options=['A', 'B'])");
    told(&scratch, &config, 0);
    let view = viewed(&scratch);
    let plain = view["prompts"][0]["without_markup"].as_str().unwrap();
    assert_eq!(plain, "Which? A. red B. blue Say a letter.\nA");
}
