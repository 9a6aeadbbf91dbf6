//! Images of prompts as `view` and the page show them.

use std::fs;

use serde_json::Value as Json;
use surprisal::image::{Transparency, decode};

use super::images::{run, scratch, show};
use super::read_page::ReadPage;
use super::scratch::{Scratch, fixtures, stderr, stdout};

/// The case of the fixtures that the scratch folder asks, and the id of the token for rows of its image.
fn case(model: &str) -> (Json, u64) {
    let path = fixtures().join("vision/models").join(model).join("expected.json");
    let expected: Json = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let cases = expected["cases"].as_array().unwrap();
    let own = cases.iter().find(|case| case["name"] == "image").unwrap();
    (own.clone(), expected["multimodal_token_ids"][0].as_u64().unwrap())
}

/// What is told on the standard output.
fn told(scratch: &Scratch, arguments: &[&str]) -> String {
    let output = scratch.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

fn view(scratch: &Scratch) -> Json {
    let views: Json =
        serde_json::from_str(&told(scratch, &["view", "config.py", "--json"])).unwrap();
    views[0].clone()
}

fn number(value: &Json) -> u64 {
    value.as_u64().unwrap()
}

/// Tokens, rows and first token of the image in the ids that transformers makes of the case.
fn of_ids(ids: &[u64], row: u64) -> (u64, u64) {
    let rows = ids.iter().filter(|id| **id == row).count();
    (ids.iter().position(|id| *id == row).unwrap() as u64, rows as u64)
}

#[test]
fn view_counts_the_tokens_of_an_image_as_transformers_does() {
    for model in ["llava", "qwen2_vl", "gemma3", "idefics3", "pixtral"] {
        let scratch = scratch(model, "rgb.png");
        let view = view(&scratch);
        let prompt = &view["prompts"][0];
        let (case, row) = case(model);
        let ids: Vec<u64> = serde_json::from_value(case["ids"].clone()).unwrap();
        let (first_row, rows) = of_ids(&ids, row);
        let image = &prompt["images"][0];
        assert_eq!(number(&prompt["token_count"]), ids.len() as u64, "{model}");
        assert_eq!(number(&image["rows"]), rows, "{model}");
        let (first, tokens) = (number(&image["first_token"]), number(&image["tokens"]));
        assert!(first <= first_row && first + tokens >= first_row + rows, "{model}: {image}");
        // Everything else is a token of the text, in its order.
        let listed = prompt["tokens"].as_array().unwrap();
        let of_text: Vec<u64> = listed
            .iter()
            .filter(|own| own["image"].is_null())
            .map(|own| number(&own["id"]))
            .collect();
        let (before, rest) = ids.split_at(first as usize);
        assert_eq!(of_text, [before, &rest[tokens as usize..]].concat(), "{model}");
        let places: Vec<&Json> = listed.iter().filter(|own| own["image"] == 0).collect();
        let [place] = places[..] else { panic!("{model}: {places:?}") };
        assert_eq!(
            (&place["start_char"], &place["end_char"]),
            (&image["start_char"], &image["end_char"])
        );
        let sections = prompt["sections"].as_array().unwrap();
        let sum: u64 = sections.iter().map(|own| number(&own["tokens"])).sum();
        assert_eq!(sum, ids.len() as u64, "{model}: {sections:?}");
        let pieces = prompt["pieces"].as_array().unwrap();
        let text: String = pieces.iter().map(|own| own["text"].as_str().unwrap()).collect();
        assert_eq!(text, prompt["text"].as_str().unwrap(), "{model}");
        assert_eq!(pieces.iter().filter(|own| own["kind"] == "image").count(), 1, "{model}");
    }
}

#[test]
fn view_names_an_image_where_it_stands() {
    let scratch = scratch("idefics3", "rgb.png");
    let image = &view(&scratch)["prompts"][0]["images"][0];
    let words = format!(
        "[image picture.png · {} × {} px · {} tokens]",
        image["width"], image["height"], image["tokens"]
    );
    let pixels =
        decode(&fs::read(scratch.path().join("picture.png")).unwrap(), Transparency::Dropped);
    let size = pixels.unwrap().size();
    assert_eq!(
        (number(&image["width"]), number(&image["height"])),
        (size.width as u64, size.height as u64)
    );
    let shown = told(&scratch, &["view", "config.py"]);
    assert!(shown.contains(&format!("{words}What is in this picture?")), "{shown}");
    assert!(!shown.contains("file://"), "{shown}");
    let tokens = told(&scratch, &["view", "config.py", "--tokens"]);
    assert!(tokens.contains(&words), "{tokens}");
    assert!(tokens.contains(&format!("×{}", image["tokens"])), "{tokens}");
}

#[test]
fn sections_roles_and_columns_are_known_beside_an_image() {
    let scratch = scratch("llava", "rgb.png");
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    let dialogue = "template=dict(round=[dict(role='HUMAN', prompt_mm=shown)])";
    let answered = "template={l: dict(round=[dict(role='HUMAN', prompt_mm=shown), dict(role='BOT', prompt=l)]) for l in ['S', 'picture']}";
    let scored = config
        .replace(dialogue, answered)
        .replace("GenInferencer', max_out_len=8", "PPLInferencer'");
    scratch.write("config.py", &scored);
    for prompt in view(&scratch)["prompts"].as_array().unwrap() {
        let text = |piece: &Json, name: &str| piece[name].as_str().unwrap_or("").to_owned();
        let pieces = prompt["pieces"].as_array().unwrap().iter();
        let said: Vec<[String; 4]> = pieces
            .filter(|piece| piece["kind"] != "markup" && piece["kind"] != "image")
            .map(|piece| ["text", "section", "role", "kind"].map(|name| text(piece, name)))
            .collect();
        let label = prompt["label"].as_str().unwrap();
        let question = ["What is in this picture?", "round", "user", "field"];
        assert_eq!(said, [question, [label, "round", "assistant", "template"]], "{prompt}");
    }
}

/// Scores what could be answered, each answer a dialogue of its own.
fn ranked(scratch: &Scratch) {
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    let dialogue = "template=dict(round=[dict(role='HUMAN', prompt_mm=shown)])";
    assert!(config.contains(dialogue));
    let labels = "template={label: dict(round=[dict(role='HUMAN', prompt_mm=shown), dict(role='BOT', prompt=label)]) for label in ['x', 'y']}";
    let config = config.replace(dialogue, labels);
    scratch.write(
        "config.py",
        &config.replace("type='GenInferencer', max_out_len=8", "type='PPLInferencer'"),
    );
}

/// The page of the newest run.
fn page(scratch: &Scratch) -> ReadPage {
    told(scratch, &["report", "latest", "-w", "work", "-o", "page.html"]);
    ReadPage::of(&scratch.path().join("page.html"))
}

#[test]
fn the_page_has_the_picture_that_the_model_was_shown() {
    let asked = [("llava", false), ("qwen2_vl", true), ("idefics3", false), ("pixtral", true)];
    for (model, is_ranked) in asked {
        let scratch = scratch(model, "rgb.png");
        if is_ranked {
            ranked(&scratch);
        }
        let image = view(&scratch)["prompts"][0]["images"][0].clone();
        run(&scratch);
        let page = page(&scratch);
        let picture = &page.summary["pictures"][0];
        assert_eq!(picture["name"], "picture.png");
        assert_eq!((&picture["width"], &picture["height"]), (&image["width"], &image["height"]));
        let file = fs::read(scratch.path().join("picture.png")).unwrap();
        assert_eq!((page.picture(0), &picture["type"]), (file.as_slice(), &"image/png".into()));
        let tokens = ["rows", "tokens"].map(|name| number(&image[name]));
        assert_eq!(page.images(), [[0, tokens[0], tokens[1]]], "{model}");
        // The text is what was asked, without the name, and the answer is where it was.
        let body = &page.bodies()[0];
        let texts = page.texts();
        let own = &texts[ReadPage::last_segment(body, 0)];
        let text = String::from_utf8_lossy(&own.bytes).into_owned();
        assert!(
            text.contains("What is in this picture?") && !text.contains("picture.png"),
            "{text}"
        );
        let answer = [&body["texts"]["answer_from"][0], &body["texts"]["answer_to"][0]].map(number);
        assert_eq!(answer[1], own.tokens.len() as u64, "{model}");
        if is_ranked {
            let scored = own.tokens.iter().filter(|(_, nll)| *nll != u64::from(u16::MAX)).count();
            let exported = scratch.export("work", "candidates");
            assert_eq!(scored as u64 + 1, number(&exported[0]["tokens"]), "{model}");
        }
    }
}

#[test]
fn a_large_image_is_made_smaller() {
    let scratch = scratch("llava", "rgb.png");
    // As a bitmap it is larger than a page takes of any.
    let pixels =
        decode(&fs::read(scratch.path().join("picture.png")).unwrap(), Transparency::Dropped)
            .unwrap();
    let side = surprisal::image::Size { width: 400, height: 300 };
    let large = pixels.resized(side, surprisal::image::Filter::Bicubic).unwrap();
    fs::write(scratch.path().join("picture.png"), bitmap(&large)).unwrap();
    run(&scratch);
    let page = page(&scratch);
    assert_eq!(page.summary["pictures"][0]["width"], 400);
    assert!(page.picture(0).len() <= 64 << 10);
    let shown = decode(page.picture(0), Transparency::Dropped).unwrap().size();
    // Each side is off by half a pixel at most.
    let off = (shown.width * 300).abs_diff(shown.height * 400);
    assert!(2 * off <= 300 + 400, "{shown}");
}

/// Pixels as a BMP.
fn bitmap(pixels: &surprisal::image::Pixels) -> Vec<u8> {
    let size = pixels.size();
    let mut file = b"BM".to_vec();
    let (width, height) = (size.width as u32, size.height as u32);
    for number in [54 + 3 * width * height, 0, 54, 40, width, height, 0x0018_0001, 0, 0, 0, 0, 0, 0]
    {
        file.extend(number.to_le_bytes());
    }
    assert_eq!(size.width % 4, 0, "rows are not filled up");
    for row in pixels.levels().chunks(3 * size.width).rev() {
        file.extend(row.chunks(3).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]));
    }
    file
}

#[test]
fn an_image_that_is_gone_or_was_changed_is_never_shown() {
    let scratch = scratch("llava", "rgb.png");
    run(&scratch);
    let missing = |reason: &str| {
        let page = page(&scratch);
        let picture = &page.summary["pictures"][0];
        assert_eq!((&picture["name"], &picture["block"]), (&"picture.png".into(), &Json::Null));
        assert!(picture["missing"].as_str().unwrap().contains(reason), "{picture}");
    };
    show(&scratch, "wide.png");
    missing("has changed since the model was shown it");
    fs::remove_file(scratch.path().join("picture.png")).unwrap();
    missing("cannot be read any more: No such file");
}

#[test]
fn prompts_alone_have_their_pictures() {
    let scratch = scratch("gemma3", "photo.jpg");
    told(&scratch, &["view", "config.py", "--html", "prompts.html"]);
    let page = ReadPage::of(&scratch.path().join("prompts.html"));
    let file = fs::read(scratch.path().join("picture.png")).unwrap();
    assert_eq!(
        (page.picture(0), &page.summary["pictures"][0]["type"]),
        (file.as_slice(), &"image/jpeg".into())
    );
    let image = &view(&scratch)["prompts"][0]["images"][0];
    // Here no token of an image stands behind it.
    assert_eq!(page.images(), [[0, number(&image["tokens"]), number(&image["tokens"])]]);
}

#[test]
fn tables_name_images_in_words() {
    let scratch = scratch("llava", "rgb.png");
    run(&scratch);
    let samples = scratch.export("work", "samples");
    let prompt = samples[0]["prompt"].as_str().unwrap();
    let (_, shown) = prompt.split_once("[image ").unwrap();
    let (file, text) = shown.split_once(']').unwrap();
    assert!(file.ends_with("picture.png") && text.contains("What is in this picture?"), "{prompt}");

    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    let scored = config
        .replace("template=dict(round", "template={own: dict(round")
        .replace(
            "prompt_mm=shown)])",
            "prompt_mm=shown), dict(role='BOT', prompt=own)]) for own in 'xy'}",
        )
        .replace("type='GenInferencer', max_out_len=8", "type='PPLInferencer'");
    scratch.write("config.py", &scored);
    let output = scratch.run(&["run", "config.py", "-w", "scored"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let candidates = scratch.export("scored", "candidates");
    let prompt = candidates[0]["prompt"].as_str().unwrap();
    assert!(prompt.contains("picture.png]"), "{prompt}");
    let file = scratch.only_run("scored").join("predictions/seeing/words.json");
    let file: Json = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(file["0"]["label: x"]["prompt"], prompt);
}
