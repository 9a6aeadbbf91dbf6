//! Post-processors against the answers that OpenCompass 0.5.4 gives.

use std::{env, fs, path::PathBuf};

use serde_json::{Value, json};
use surprisal::{
    config::{Component, Node},
    dataset::Sample,
    postprocess,
};

/// The folder of the golden vectors.
fn golden() -> PathBuf {
    env::var_os("SURPRISAL_GOLDEN").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden"),
        PathBuf::from,
    )
}

/// What this crate answers to a row, or nothing if it has no such post-processor.
fn answer(input: &Value) -> Option<Result<Value, String>> {
    let mut config = input["kwargs"].clone();
    config["type"] = input["function"].clone();
    let component = Component::parse(&Node::from_json(&config)).expect("a row names a function");
    postprocess::POSTPROCESSORS.find(&component.type_name)?;
    let built = postprocess::build(&component).map_err(|error| error.to_string());
    Some(built.and_then(|rule| {
        postprocess::apply(&*rule, &input["text"], &Sample::default())
            .map_err(|error| error.to_string())
    }))
}

/// Equal, where a float that JSON does not have is the text that Python prints for it.
fn agree(found: &Value, expected: &Value) -> bool {
    expected.get("$float").map_or(found == expected, |float| found == float)
}

/// Compares all rows of a file; `input` finds function, parameters and text in a row.
fn compare(file: &str, input: fn(&Value) -> &Value) -> (String, Vec<String>) {
    let text = fs::read_to_string(golden().join(file)).expect("the file of rows");
    let rows: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let (mut passed, mut failed) = (0, Vec::new());
    for row in &rows {
        let expected = &row["expected"];
        match answer(input(row)) {
            Some(Ok(found)) if agree(&found, expected) => passed += 1,
            Some(Err(_)) if expected.get("error").is_some() => passed += 1,
            found => {
                let found = match found {
                    None => json!("no such post-processor"),
                    Some(found) => found.unwrap_or_else(|error| json!({ "error": error })),
                };
                let text = &input(row)["text"];
                failed.push(format!("{}: {text} gives {found}, not {expected}", row["id"]));
            }
        }
    }
    assert!(passed > 0, "no row of {file} was compared");
    (format!("{file}: {passed} passed, {} failed", failed.len()), failed)
}

#[test]
fn golden_postprocessors() {
    let (summary, failed) = compare("postprocessors.json", |row| &row["input"]);
    println!("{summary}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn golden_postprocessors2() {
    let (summary, failed) = compare("postprocessors2.json", |row| row);
    println!("{summary}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A function of an earlier release, which configs still name.
#[test]
fn golden_postprocessors_former() {
    let (summary, failed) = compare("postprocessors_former.json", |row| row);
    println!("{summary}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The steps of comparing two answers of MATH.
#[test]
fn golden_final_answers() {
    let text = fs::read_to_string(golden().join("mathpairs.json")).unwrap();
    let pairs: Vec<Value> = serde_json::from_str(&text).unwrap();
    let (mut passed, mut failed) = (0, Vec::new());
    for pair in &pairs {
        let expected = pair["normalize_final_answer"].as_array().into_iter().flatten();
        for (side, expected) in ["pred", "gold"].into_iter().zip(expected) {
            let input = json!({
                "function": "normalize_final_answer", "kwargs": {}, "text": pair[side]
            });
            match answer(&input) {
                Some(Ok(found)) if found == *expected => passed += 1,
                found => failed.push(format!("{}: {found:?}, not {expected}", pair["id"])),
            }
        }
    }
    println!("mathpairs.json: {passed} passed, {} failed", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(passed > 0, "no pair was compared");
}
