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

#[test]
fn golden_postprocessors() {
    let text = fs::read_to_string(golden().join("postprocessors.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let (mut passed, mut not_yet, mut failed) = (0, 0, Vec::new());
    for row in &rows {
        let expected = &row["expected"];
        match answer(&row["input"]) {
            None => not_yet += 1,
            Some(Ok(found)) if found == *expected => passed += 1,
            Some(Err(_)) if expected["error"] != Value::Null => passed += 1,
            Some(found) => {
                let found = found.unwrap_or_else(|error| json!({ "error": error }));
                failed.push(format!("{}: {found}, not {expected}", row["id"]));
            }
        }
    }
    println!("postprocessors.json: {passed} passed, {} failed, {not_yet} not yet", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(passed > 0, "no row was compared");
}
