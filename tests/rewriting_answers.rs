//! Answers of models that rewrite questions, as `cot_output` reads them. `tests/fixtures/rewriting/answers.jsonl` has them
//! in the form that the prompt asks for and in others.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{fs, path::Path};

use serde_json::{Value as Json, json};
use surprisal::{
    config::{Component, Node},
    dataset::Sample,
    evaluate::{self, Row},
    infer::{Continued, Outcome, Record},
    postprocess,
};

fn component(config: &Json) -> Component {
    Component::parse(&Node::from_json(config)).unwrap()
}

/// What is wrong about an answer's question, or about what the metric takes it for.
fn problem(row: &Json) -> Option<String> {
    let text = row["text"].as_str().unwrap();
    let sample = Sample::new(vec![("question".into(), row["question"].clone())]);
    let rule = postprocess::build(&component(&json!("cot_output"))).unwrap();
    let found = rule.process(text, &sample).unwrap();
    if found != row["expected"] {
        return Some(format!("{}: {found}, not {}", row["about"], row["expected"]));
    }
    let record = Record {
        id: 0,
        gold: None,
        dropped_examples: 0,
        truncated_tokens: 0,
        images: Vec::new(),
        outcome: Outcome::Generated {
            prompt: String::new(),
            messages: None,
            thinking: None,
            continuation: Continued { text: text.to_owned(), ..Continued::default() },
        },
    };
    let compared = Row {
        prediction: found,
        reference: json!("?"),
        sample: Some(&sample),
        record: Some(&record),
        ..Row::default()
    };
    let metric = evaluate::build(&component(&json!("RewritingEvaluator"))).unwrap();
    let details = metric.evaluate(&[compared]).unwrap().details.unwrap();
    let form = match details[0]["says_so"] {
        Json::Bool(true) => "changed",
        Json::Bool(false) => "kept",
        _ => "unreadable",
    };
    (form != row["form"]).then(|| format!("{}: {form}, not {}", row["about"], row["form"]))
}

#[test]
fn answers_are_read_in_the_form_that_was_asked_for() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rewriting/answers.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let rows: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let failures: Vec<String> = rows.iter().filter_map(problem).collect();
    println!("answers.jsonl: {} passed, {} failed", rows.len() - failures.len(), failures.len());
    assert!(failures.is_empty(), "{failures:#?}");
}
