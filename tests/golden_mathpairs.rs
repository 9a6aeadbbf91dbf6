//! Pairs of mathematical answers against what OpenCompass 0.5.4 finds of them.

use std::{env, fs, path::PathBuf};

use serde_json::{Value, json};
use surprisal::{
    config::{Component, Node},
    evaluate::{self, Row},
};

/// The folder of the golden vectors.
fn golden() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden");
    env::var_os("SURPRISAL_GOLDEN").map_or_else(own, PathBuf::from)
}

/// The details that an evaluator notes of one pair; null where it notes none.
fn details(config: &Value, prediction: &Value, reference: &Value) -> Value {
    let component = Component::parse(&Node::from_json(config)).expect("the class is named");
    let evaluator = evaluate::build(&component).expect("the parameters are OpenCompass's");
    let rows = Row::zip(vec![prediction.clone()], vec![reference.clone()]).expect("one row");
    match evaluator.evaluate(&rows) {
        Ok(scores) => scores
            .details
            .and_then(|details| details.first().map(|row| json!(row)))
            .unwrap_or_default(),
        Err(error) => json!({ "failed": error.to_string() }),
    }
}

/// What `MATHVerifyEvaluator` finds, in the shape of the file.
fn verified(prediction: &str, reference: &Value) -> Value {
    let found = details(&json!({"type": "MATHVerifyEvaluator"}), &prediction.into(), reference);
    if found.is_null() {
        return json!({ "skipped": true });
    }
    json!({ "correct": found["correct"], "pred_parsed": found["pred"], "gold_parsed": found["answer"] })
}

#[test]
fn golden_mathpairs() {
    let text = fs::read_to_string(golden().join("mathpairs.json")).expect("the file of pairs");
    let pairs: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let (mut passed, mut failed) = (0, Vec::new());
    for pair in &pairs {
        let (prediction, gold) = (&pair["pred"], &pair["gold"]);
        let boxed = format!(r"\boxed{{{}}}", prediction.as_str().unwrap_or_default());
        let equivalent = |version: &str| {
            let config = json!({"type": "MATHEvaluator", "version": version});
            details(&config, prediction, gold)["correct"].clone()
        };
        let found = [
            ("is_equiv_v1", equivalent("v1")),
            ("is_equiv_v2", equivalent("v2")),
            ("verify", verified(pair["verify_text"].as_str().unwrap_or_default(), gold)),
            ("verify_boxed", verified(&boxed, gold)),
        ];
        for (name, found) in found {
            let expected = &pair[name];
            let is_skipped = found.get("skipped").is_some() && expected.get("skipped").is_some();
            if found == *expected || is_skipped {
                passed += 1;
            } else {
                failed.push(format!("{} {name}: {found}, not {expected}", pair["id"]));
            }
        }
    }
    println!("mathpairs.json: {passed} passed, {} failed", failed.len());
    assert!(passed > 0 && failed.is_empty(), "{}", failed.join("\n"));
}
