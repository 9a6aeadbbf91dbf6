//! Evaluators that compare texts by their vectors, against what OpenCompass 0.5.4 gives with the same vectors.

use std::{env, fs, path::PathBuf};

use serde_json::{Map, Value, json};
use surprisal::{
    config::{Component, Node},
    evaluate::{self, Row},
};

/// The folder of the golden vectors.
fn golden() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden");
    env::var_os("SURPRISAL_GOLDEN").map_or_else(own, PathBuf::from)
}

fn list(case: &Value, key: &str) -> Vec<Value> {
    case[key].as_array().cloned().unwrap_or_default()
}

/// How far apart two figures may be: likenesses are in single precision.
const TOLERANCE_PERCENT: f64 = 1e-4;

/// Cases that OpenCompass fails on although they can be scored: a plan that is nothing but its end.
const BROKEN: &[&str] = &["t_eval-21", "t_eval-22"];

/// The figures of a case, and how many of its rows the original has no score for.
fn answer(case: &Value) -> Result<(Map<String, Value>, usize), String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    let component = Component::parse(&Node::from_json(&case["evaluator"]));
    let component = component.map_err(|error| failed(&error))?;
    let evaluator = evaluate::build(&component).map_err(|error| failed(&error))?;
    let rows = Row::zip(list(case, "predictions"), list(case, "references"));
    let mut rows = rows.map_err(|error| failed(&error))?;
    let texts = evaluator.texts(&rows).map_err(|error| failed(&error))?;
    for (row, texts) in rows.iter_mut().zip(&texts) {
        let vector = |text: &String| {
            let known = case["vectors"][text].as_array().ok_or(format!("no vector of {text}"))?;
            Ok(known.iter().filter_map(Value::as_f64).map(|number| number as f32).collect())
        };
        row.vectors = texts.iter().map(vector).collect::<Result<_, String>>()?;
    }
    let is_embedded = rows.iter().any(|row| !row.vectors.is_empty());
    if is_embedded && evaluator.encoder().is_none() {
        return Err("texts are embedded, and no encoder is named".to_owned());
    }
    let departures = evaluator.departures(&rows).len();
    let scores = evaluator.evaluate(&rows).map_err(|error| failed(&error))?;
    let metrics = scores.metrics.into_iter().map(|metric| (metric.name, json!(metric.value)));
    Ok((metrics.collect(), departures))
}

fn agree(found: &Map<String, Value>, expected: &Value) -> bool {
    let is_same = |(name, value): (&String, &Value)| match (
        value.as_f64(),
        found.get(name).and_then(Value::as_f64),
    ) {
        (Some(expected), Some(found)) => (expected - found).abs() <= TOLERANCE_PERCENT,
        (None, None) => found.contains_key(name),
        _ => false,
    };
    expected.as_object().is_some_and(|own| own.len() == found.len() && own.iter().all(is_same))
}

#[test]
fn golden_encoded() {
    let text = fs::read_to_string(golden().join("t_eval.json")).expect("the file of cases");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let (mut passed, mut failed) = (0, Vec::new());
    for case in &cases {
        let (id, expected) = (case["id"].as_str().unwrap_or_default(), &case["expected"]);
        let is_broken = BROKEN.contains(&id);
        match answer(case) {
            Ok((_, departures)) if is_broken && departures == 1 => passed += 1,
            Ok((found, 0)) if !is_broken && agree(&found, expected) => passed += 1,
            Ok((found, departures)) => failed.push(format!(
                "{id}: {} and {departures} departures, not {expected}",
                Value::Object(found)
            )),
            Err(_) if expected.get("error").is_some() && !is_broken => passed += 1,
            Err(error) => failed.push(format!("{id}: {error}, not {expected}")),
        }
    }
    println!("t_eval.json: {passed} passed, {} failed", failed.len());
    assert!(passed > 0 && failed.is_empty(), "{}", failed.join("\n"));
}
