//! Prompt versions against those that OpenCompass 0.5.4 computes for its own configs.
//!
//! The configs are not part of this repository. Unpack the package `opencompass` 0.5.4 somewhere and
//! name the folder that holds `opencompass/` in `SURPRISAL_OPENCOMPASS`; without it, every row counts
//! as not yet run.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use surprisal::{
    config::{self, Node},
    report::{prompt_hash, prompt_version},
};

/// The folder of the golden vectors.
fn golden() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden");
    env::var_os("SURPRISAL_GOLDEN").map_or_else(own, PathBuf::from)
}

/// Hash and version of a row's prompts, or what is in the way.
fn found(packages: &Path, input: &Value) -> Result<(String, String), String> {
    let text = |key: &str| input[key].as_str().unwrap_or_default();
    let config = config::load(&packages.join(text("config"))).map_err(|error| error.to_string())?;
    let datasets = config.get(text("list")).and_then(Node::as_list).ok_or("no such list")?;
    let index = usize::try_from(input["index"].as_u64().unwrap_or_default()).unwrap();
    let dataset = datasets.get(index).ok_or("the list is too short")?;
    let infer_cfg = dataset.get("infer_cfg").ok_or("no infer_cfg")?;
    Ok((prompt_hash(infer_cfg), prompt_version(infer_cfg)))
}

#[test]
fn golden_prompt_hashes() {
    let text = fs::read_to_string(golden().join("prompt_hash.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let packages = env::var_os("SURPRISAL_OPENCOMPASS").map(PathBuf::from);
    let (mut passed, mut not_yet, mut failed) = (0, 0, Vec::new());
    for row in &rows {
        let Some(packages) = &packages else {
            not_yet += 1;
            continue;
        };
        let expected = ["sha256", "version"].map(|key| row["expected"][key].as_str().unwrap());
        match found(packages, &row["input"]) {
            Ok((hash, version)) if [&*hash, &*version] == expected => passed += 1,
            other => failed.push(format!("{}: {other:?}, not {expected:?}", row["id"])),
        }
    }
    println!("prompt_hash.json: {passed} passed, {} failed, {not_yet} not yet", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
