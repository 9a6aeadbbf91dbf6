//! Evaluators against the scores that OpenCompass 0.5.4 gives.

use std::{env, fs, path::PathBuf};

use serde_json::{Map, Value, json};
use surprisal::{
    config::{Component, Node},
    evaluate::{self, Row, Scores, details},
};

/// The folder of the golden vectors.
fn golden() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden");
    env::var_os("SURPRISAL_GOLDEN").map_or_else(own, PathBuf::from)
}

fn list(input: &Value, key: &str) -> Vec<Value> {
    input[key].as_array().cloned().unwrap_or_default()
}

/// The rows of a case, or why there are none.
fn rows(input: &Value) -> Result<Vec<Row<'static>>, String> {
    if input.get("ppl").is_some() {
        let row = |ppl: Value| Row { ppl_nats: ppl.as_f64(), ..Row::default() };
        return Ok(list(input, "ppl").into_iter().map(row).collect());
    }
    let rows = Row::zip(list(input, "predictions"), list(input, "references"));
    let mut rows = rows.map_err(|error| error.to_string())?;
    for (row, prompt) in rows.iter_mut().zip(list(input, "origin_prompt")) {
        row.prompt = prompt;
    }
    Ok(rows)
}

/// The scores in the shape in which OpenCompass returns them.
fn returned(input: &Value, scores: &Scores) -> Value {
    let metrics = scores.metrics.iter().map(|metric| (metric.name.clone(), json!(metric.value)));
    let mut returned: Map<String, Value> = metrics.collect();
    if let Some(rows) = &scores.details {
        let by_index = |(index, row): (usize, &Map<String, Value>)| (index.to_string(), json!(row));
        let details = if input["via"] == "evaluate" {
            let example = |row: &Value| {
                format!("{}_{}", row["subdivision"].as_str().unwrap_or_default(), row["idx"])
            };
            let examples: Vec<String> = list(input, "rows").iter().map(example).collect();
            details::of_metric(&examples, rows)
        } else if input["evaluator"] == "AccwithDetailsEvaluator" {
            Value::Object(rows.iter().enumerate().map(by_index).collect())
        } else {
            json!(rows)
        };
        returned.insert("details".to_owned(), details);
    }
    Value::Object(returned)
}

/// What this crate answers to a case, or nothing if it cannot run it yet.
fn answer(input: &Value) -> Option<Result<Value, String>> {
    let runs = input.get("n").and_then(Value::as_i64).unwrap_or(1);
    if runs > 1 || evaluate::EVALUATORS.find(input["evaluator"].as_str()?).is_none() {
        return None;
    }
    let mut config = input["kwargs"].clone();
    config["type"] = input["evaluator"].clone();
    let component = Component::parse(&Node::from_json(&config)).expect("a case names a class");
    let evaluator = evaluate::build(&component).expect("the parameters are OpenCompass's");
    Some(rows(input).and_then(|rows| {
        let scores = evaluator.evaluate(&rows).map_err(|error| error.to_string())?;
        Ok(returned(input, &scores))
    }))
}

/// Equal, but for the order of `answer`, which OpenCompass takes from a set, and for NaN.
fn agree(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            let same = |(key, value): (&String, &Value)| {
                let (mut found, mut value) = (found.get(key).cloned(), value.clone());
                if key == "answer" {
                    for side in [found.as_mut(), Some(&mut value)].into_iter().flatten() {
                        if let Some(items) = side.as_array_mut() {
                            items.sort_by_key(Value::to_string);
                        }
                    }
                }
                found.is_some_and(|found| agree(&found, &value))
            };
            found.len() == expected.len() && expected.iter().all(same)
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| agree(a, b))
        }
        _ => found == expected,
    }
}

#[test]
fn golden_evaluators() {
    let text = fs::read_to_string(golden().join("evaluators.json")).unwrap();
    // Python writes NaN; both sides have null for it.
    let cases: Vec<Value> = serde_json::from_str(&text.replace(": NaN", ": null")).unwrap();
    let (mut passed, mut not_yet, mut failed) = (0, 0, Vec::new());
    for case in &cases {
        let expected = &case["expected"];
        match answer(&case["input"]) {
            None => not_yet += 1,
            Some(Ok(found)) if agree(&found, expected) => passed += 1,
            Some(Err(_)) if expected.get("error").is_some() => passed += 1,
            Some(found) => {
                let found = found.unwrap_or_else(|error| json!({ "error": error }));
                failed.push(format!("{}: {found}, not {expected}", case["id"]));
            }
        }
    }
    println!("evaluators.json: {passed} passed, {} failed, {not_yet} not yet", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(passed > 0, "no case was compared");
}
