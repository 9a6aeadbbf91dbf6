//! Models that see their whole prompt both ways, run by the program.

use std::fs;

use serde_json::Value as Json;

use super::{
    media_runs::{Asked, case, greedy, last_ids, refused, run},
    scratch::{Scratch, fixtures, stdout},
};

const PART: &str = "image=dict(type='image_url', image_url='file://{image}')";

const SEEN: &str =
    "<AIS_IMAGE_START>picture.png<AIS_CONTENT_TAG><AIS_TEXT_START>caption en<AIS_CONTENT_TAG>";

fn asked() -> Asked<'static> {
    Asked { model: "paligemma", part: PART, question: SEEN, options: "" }
}

fn put(scratch: &Scratch) {
    let picture = fixtures().join("vision/images/rgb.png");
    fs::copy(picture, scratch.path().join("picture.png")).unwrap();
}

#[test]
fn a_run_answers_as_transformers_does() {
    let scratch = asked().answered();
    put(&scratch);
    run(&scratch);
    let case = case("paligemma", "image");
    // Torchvision's pixels were continued; the margin is wider than what Pillow's change.
    let change = case["pil"]["nll_max_abs_vs_torchvision"].as_f64().unwrap();
    assert!(case["greedy_margin"].as_f64().unwrap() > 2.0 * change);
    let wanted = greedy(&case);
    assert_eq!(last_ids(&scratch, wanted.len()), wanted);
}

#[test]
fn only_what_follows_the_prompt_is_scored() {
    let scratch = asked().ranked(&["a red circle", "a blue square"]);
    put(&scratch);
    run(&scratch);
    let case = case("paligemma", "image");
    let from = case["scored_from"].as_u64().unwrap() as usize;
    let ids: Vec<u64> = serde_json::from_value(case["ids"].clone()).unwrap();
    let nlls: Vec<Option<f64>> = serde_json::from_value(case["pil"]["nll"].clone()).unwrap();
    let view = scratch.run(&["view", "config.py", "--json"]);
    let view: Json = serde_json::from_str(&stdout(&view)).unwrap();
    assert_eq!(view[0]["prompts"][0]["scored_from_token"], case["scored_from"]);
    let tokens = scratch.export("work", "tokens");
    let own: Vec<_> = tokens.iter().filter(|token| token["label"] == "a red circle").collect();
    let found: Vec<u64> = own.iter().map(|token| token["id"].as_u64().unwrap()).collect();
    assert_eq!(found, ids[from..], "{tokens:?}");
    for (token, wanted) in own.iter().zip(&nlls[from - 1..]) {
        let found = token["nll_nats"].as_f64().unwrap();
        assert!((found - wanted.unwrap()).abs() < 2e-4, "{token} and {wanted:?}");
    }
}

#[test]
fn other_prompts_are_refused() {
    let scratch = asked().answered();
    put(&scratch);
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    let told = |config: &str, wanted: &str| {
        scratch.write("config.py", config);
        let told = refused(&scratch);
        assert!(told.contains(wanted), "{wanted}: {told}");
    };
    told(
        &config.replace(
            "round=[",
            "round=[dict(role='HUMAN', prompt='Look.'), dict(role='BOT', prompt='Yes.'), ",
        ),
        "give it one turn",
    );
    let ranked = asked().ranked(&["a", "b"]);
    let ranked = fs::read_to_string(ranked.path().join("config.py")).unwrap();
    let without_answers = ranked.replace(r#", dict(role='BOT', prompt="a")"#, "");
    let without_answers = without_answers.replace(r#", dict(role='BOT', prompt="b")"#, "");
    assert!(!without_answers.contains("BOT"), "{without_answers}");
    told(&without_answers, "role BOT");
    let rows = fs::read_to_string(scratch.path().join("rows.jsonl")).unwrap();
    scratch.write("rows.jsonl", &rows.replace("<AIS_IMAGE_START>picture.png<AIS_CONTENT_TAG>", ""));
    told(&config, "reads an image before its text");
}
