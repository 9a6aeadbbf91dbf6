//! Evaluators against the scores that OpenCompass 0.5.4 gives.

use std::{env, fs, path::PathBuf};

use serde_json::{Map, Value, json};
use surprisal::{
    config::{Component, Node},
    dataset::Sample,
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
    for (row, steps) in rows.iter_mut().zip(list(input, "steps")) {
        row.steps = steps;
    }
    let samples: Vec<Sample> = list(input, "test_set").iter().map(sample).collect();
    // The rows of a case live as long as the test.
    for (row, sample) in rows.iter_mut().zip(Box::leak(samples.into_boxed_slice())) {
        row.sample = Some(sample);
    }
    Ok(rows)
}

fn sample(row: &Value) -> Sample {
    let columns = row.as_object().into_iter().flatten();
    Sample::new(columns.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// The scores in the shape in which OpenCompass returns them: details of some are a dict by index.
fn returned(input: &Value, scores: &Scores, expected: &Value) -> Value {
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
        } else if expected["details"].is_object() {
            Value::Object(rows.iter().enumerate().map(by_index).collect())
        } else {
            json!(rows)
        };
        returned.insert("details".to_owned(), details);
    }
    Value::Object(returned)
}

/// What this crate answers to a case, or nothing if it cannot run it yet.
fn answer(input: &Value, expected: &Value) -> Option<Result<Value, String>> {
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
        Ok(returned(input, &scores, expected))
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
        // Sums are taken in another order, and 0 and 0.0 are one number.
        (Value::Number(found), Value::Number(expected)) => {
            let (found, expected) = (found.as_f64(), expected.as_f64());
            let pair = found.zip(expected);
            pair.is_some_and(|(a, b)| (a - b).abs() <= TOLERANCE * b.abs().max(1.0))
        }
        _ => found == expected,
    }
}

/// How far apart two figures may be, relative to the greater of them and 1.
const TOLERANCE: f64 = 1e-12;

/// Cases in which OpenCompass fails on what can be scored: it cannot take lists as predictions.
const BROKEN: &[&str] = &["AccEvaluator-v3"];

/// Compares all cases of a file; `input` finds what is asked in a case.
fn compare(file: &str, input: fn(&Value) -> &Value) -> (String, Vec<String>) {
    let text = fs::read_to_string(golden().join(file)).expect("the file of cases");
    // Python writes NaN; both sides have null for it.
    let cases: Vec<Value> = serde_json::from_str(&text.replace(": NaN", ": null")).expect("JSON");
    let (mut passed, mut not_yet, mut failed) = (0, 0, Vec::new());
    for case in &cases {
        let expected = &case["expected"];
        match answer(input(case), expected) {
            None => not_yet += 1,
            Some(Ok(found)) if agree(&found, expected) => passed += 1,
            Some(Err(_)) if expected.get("error").is_some() => passed += 1,
            Some(found) => {
                let found = found.unwrap_or_else(|error| json!({ "error": error }));
                failed.push(format!("{}: {found}, not {expected}", case["id"]));
            }
        }
    }
    let summary = format!("{file}: {passed} passed, {} failed, {not_yet} not yet", failed.len());
    assert!(passed > 0, "no case of {file} was compared");
    (summary, failed)
}

#[test]
fn golden_evaluators() {
    let (summary, failed) = compare("evaluators.json", |case| &case["input"]);
    println!("{summary}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn golden_evaluators2() {
    let (summary, mut failed) = compare("evaluators2.json", |case| case);
    println!("{summary}");
    failed.retain(|case| !BROKEN.iter().any(|id| case.starts_with(&format!("{id:?}:"))));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
