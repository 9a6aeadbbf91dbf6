//! Evaluators that ask a judge, against what OpenCompass 0.5.4 shows the judge and makes of its replies.

use std::{env, fs, path::PathBuf};

use serde_json::{Map, Value, json};
use surprisal::{
    config::{Component, Node},
    dataset::Sample,
    evaluate::{self, Evaluator, Row, details, judge::REFERENCE},
    prompt::Prompt,
};

/// The folder of the golden vectors.
fn golden() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden");
    env::var_os("SURPRISAL_GOLDEN").map_or_else(own, PathBuf::from)
}

fn list(case: &Value, key: &str) -> Vec<Value> {
    case[key].as_array().cloned().unwrap_or_default()
}

fn sample(row: &Value) -> Sample {
    let columns = row.as_object().into_iter().flatten();
    Sample::new(columns.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// How far apart two figures may be, relative to the greater of them and 1.
const TOLERANCE: f64 = 1e-12;

fn agree(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            found.len() == expected.len()
                && expected
                    .iter()
                    .all(|(key, value)| found.get(key).is_some_and(|found| agree(found, value)))
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| agree(a, b))
        }
        (Value::Number(found), Value::Number(expected)) => {
            let pair = found.as_f64().zip(expected.as_f64());
            pair.is_some_and(|(a, b)| (a - b).abs() <= TOLERANCE * b.abs().max(1.0))
        }
        _ => found == expected,
    }
}

/// Whether a file of replies leaves a gold out, as Python's truth has it.
fn is_empty(gold: &Value) -> bool {
    match gold {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// What the judge reads, and the results once it has replied as the case says.
fn answer(case: &Value) -> Result<(Vec<String>, Value), String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    let component = Component::parse(&Node::from_json(&case["evaluator"]));
    let component = component.map_err(|error| failed(&error))?;
    let evaluator: Box<dyn Evaluator> =
        evaluate::build(&component).map_err(|error| failed(&error))?;
    let samples: Vec<Sample> = list(case, "test_set").iter().map(sample).collect();
    let mut rows = Row::zip(list(case, "predictions"), list(case, "references"))
        .map_err(|error| failed(&error))?;
    for (row, prompt) in rows.iter_mut().zip(list(case, "origin_prompts")) {
        row.prompt = prompt;
    }
    for (row, sample) in rows.iter_mut().zip(&samples) {
        row.sample = Some(sample);
        row.model = case["model"].as_str();
    }
    let mut prompts = Vec::new();
    let mut replies = list(case, "replies").into_iter();
    for _ in 0..evaluator.judging().map_or(1, |judging| judging.rounds) {
        let asked = evaluator.asks(&rows).map_err(|error| failed(&error))?;
        for (one, reply) in asked.iter().skip(prompts.len()).zip(replies.by_ref()) {
            let no_examples = Prompt::Text(String::new());
            let judging = evaluator.judging().ok_or("it asks nobody")?;
            let prompt =
                judging.assembly.generation(&one.sample, &no_examples, Some(REFERENCE), "");
            let prompt = prompt.map_err(|error| failed(&error))?.plain();
            let mut entry = Map::from_iter([
                ("origin_prompt".to_owned(), json!(prompt)),
                ("prediction".to_owned(), reply),
            ]);
            let gold = one.sample.get(REFERENCE).cloned().unwrap_or_default();
            if !is_empty(&gold) {
                entry.insert("gold".to_owned(), gold);
            }
            rows[one.row].judgements.push(entry);
            prompts.push(prompt);
        }
    }
    let results = evaluator.results(&rows).map_err(|error| failed(&error))?;
    let examples: Vec<String> = list(case, "test_set")
        .iter()
        .map(|row| format!("{}_{}", row["subdivision"].as_str().unwrap_or_default(), row["idx"]))
        .collect();
    let own = results.scores.details.as_ref();
    let own = own.map(|own| details::of_metric(&examples, own));
    let mut json = results.to_json(own);
    json.as_object_mut().map(|fields| fields.remove("statistics"));
    Ok((prompts, json))
}

/// Cases that OpenCompass fails on although they can be scored: a reply to a question without a gold, verdicts that are
/// all for the same place.
const BROKEN: &[&str] = &["judge-12", "arenahard_postprocess-3"];

#[test]
fn golden_judges() {
    for file in ["judges.json", "judges_open.json"] {
        let (passed, failed) = check(file);
        println!("{file}: {passed} passed, {} failed", failed.len());
        assert!(passed > 0 && failed.is_empty(), "{}", failed.join("\n"));
    }
}

/// How many cases of a file pass, and what is wrong with the others.
fn check(file: &str) -> (usize, Vec<String>) {
    let text = fs::read_to_string(golden().join(file)).expect("the file of cases");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let (mut passed, mut failed) = (0, Vec::new());
    for case in &cases {
        let (id, expected) = (case["id"].as_str().unwrap_or_default(), &case["expected"]);
        let is_error = expected.get("error").is_some();
        match answer(case) {
            Ok((prompts, found)) => {
                let is_scored = BROKEN.contains(&id) || agree(&found, expected);
                if json!(prompts) != case["prompts"] {
                    failed.push(format!(
                        "{id}: the judge reads {prompts:?}, not {}",
                        case["prompts"]
                    ));
                } else if !is_scored {
                    failed.push(format!("{id}: {found}, not {expected}"));
                } else {
                    passed += 1;
                }
            }
            Err(_) if is_error => passed += 1,
            Err(error) => failed.push(format!("{id}: {error}, not {expected}")),
        }
    }
    (passed, failed)
}
