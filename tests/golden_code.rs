//! Evaluators that run programs, against what OpenCompass 0.5.4 says of the same answers. They run where a sandbox does, and
//! say so where none does.

use std::{env, fs, path::PathBuf};

use serde_json::{Value, json};
use surprisal::{
    config::{Component, Node},
    dataset::Sample,
    evaluate::{self, Row},
    sandbox::{Program, Sandbox},
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

/// The results in the shape in which OpenCompass returns them; nothing if Python lacks what they need.
fn answer(sandbox: &Sandbox, case: &Value) -> Option<Result<Value, String>> {
    let component = Component::parse(&Node::from_json(&case["evaluator"])).expect("a class");
    let evaluator = evaluate::build(&component).expect("the parameters are OpenCompass's");
    let modules = evaluator.needed_modules();
    if !modules.is_empty() && !sandbox.has_modules(modules).expect("the sandbox works") {
        return None;
    }
    let mut rows = Row::zip(list(case, "predictions"), list(case, "references")).expect("rows");
    let samples: Vec<Sample> = list(case, "test_set").iter().map(sample).collect();
    for (row, sample) in rows.iter_mut().zip(&samples) {
        row.sample = Some(sample);
    }
    let programs = match evaluator.programs(&rows) {
        Ok(programs) => programs,
        Err(error) => return Some(Err(error.to_string())),
    };
    let all: Vec<Program> = programs.iter().flatten().cloned().collect();
    let mut ended = sandbox.run_all(&all).expect("the sandbox works").into_iter();
    for (row, own) in rows.iter_mut().zip(&programs) {
        row.ended = ended.by_ref().take(own.len()).collect();
    }
    Some(evaluator.results(&rows).map_err(|error| error.to_string()).map(|results| {
        let mut found = results.to_json(None);
        let fields = found.as_object_mut().expect("results are a dict");
        fields.remove("statistics");
        let details = results.scores.details.filter(|_| case["expected"].get("details").is_some());
        if let Some(details) = details {
            let by_index = details.into_iter().enumerate().map(|(index, mut detail)| {
                // The original's holds the assertions as it rewrote them.
                detail.remove("programs");
                (index.to_string(), Value::Object(detail))
            });
            fields.insert("details".to_owned(), Value::Object(by_index.collect()));
        }
        found
    }))
}

/// How far apart two figures may be.
const TOLERANCE: f64 = 1e-9;

fn agree(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            let same = |(key, value): (&String, &Value)| {
                found.get(key).is_some_and(|found| agree(found, value))
            };
            found.len() == expected.len() && expected.iter().all(same)
        }
        (Value::Number(found), Value::Number(expected)) => {
            let pair = found.as_f64().zip(expected.as_f64());
            pair.is_some_and(|(a, b)| (a - b).abs() <= TOLERANCE)
        }
        _ => found == expected,
    }
}

/// The files of cases.
fn files() -> Vec<PathBuf> {
    let files = fs::read_dir(golden()).expect("the folder of cases").flatten();
    let is_ours = |path: &PathBuf| {
        let begins = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        begins.starts_with("code") && path.extension().is_some_and(|end| end == "json")
    };
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).filter(is_ours).collect();
    files.sort();
    files
}

#[test]
fn golden_code() {
    let sandbox = match Sandbox::find() {
        Ok(sandbox) => sandbox,
        Err(error) => {
            println!("code: skipped, {error}");
            return;
        }
    };
    let mut failed = Vec::new();
    for file in files() {
        let name = file.file_name().unwrap_or_default().display().to_string();
        let text = fs::read_to_string(&file).expect("the file of cases");
        let cases: Vec<Value> = serde_json::from_str(&text).expect("JSON");
        let (mut passed, mut skipped, before) = (0, 0, failed.len());
        for case in &cases {
            match answer(&sandbox, case) {
                None => skipped += 1,
                Some(Err(why)) if why.contains("install compilers") => skipped += 1,
                Some(Ok(found)) if agree(&found, &case["expected"]) => passed += 1,
                Some(found) => {
                    let found = found.unwrap_or_else(|error| json!({ "error": error }));
                    failed.push(format!("{}: {found}, not {}", case["id"], case["expected"]));
                }
            }
        }
        println!(
            "{name}: {passed} passed, {} failed, {skipped} skipped for want of modules or compilers",
            failed.len() - before
        );
        assert!(passed + skipped > 0 || failed.len() > before, "{name} is empty");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
