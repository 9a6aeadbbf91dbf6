//! Rows that scipy and statsmodels computed, kind by kind.
//!
//! `SURPRISAL_STATISTICS` names another folder with a `statistics.json`.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::Value as Json;
use surprisal::statistics::{Mean, clustered_standard_error, wilson_95};

/// How far a number may be off, of itself.
const RELATIVE: f64 = 1e-10;
/// How far a number may be off that ought to be zero.
const ABSOLUTE: f64 = 1e-14;

/// What is computed here from `given`, by the names in `expected`; nothing for a kind that is not.
fn computed(kind: &str, given: &Json) -> Option<Vec<(&'static str, Option<f64>)>> {
    let count = |name: &str| given[name].as_u64().unwrap() as usize;
    match kind {
        "mean" => {
            let numbers = given["values"].as_array().unwrap().iter();
            let values: Vec<f64> = numbers.map(|value| value.as_f64().unwrap()).collect();
            let clusters = given["clusters"].as_array().unwrap();
            let Mean { value, standard_error } = Mean::of(&values);
            let clustered = clustered_standard_error(&values, clusters);
            Some(vec![
                ("mean", Some(value)),
                ("standard_error", standard_error),
                ("clustered_standard_error", clustered),
            ])
        }
        "wilson_95" => {
            let interval = wilson_95(count("successes"), count("trials"));
            Some(vec![
                ("low", interval.map(|interval| interval.low)),
                ("high", interval.map(|interval| interval.high)),
            ])
        }
        _ => None,
    }
}

#[test]
fn statistics_fixtures_agree() {
    let folder = std::env::var_os("SURPRISAL_STATISTICS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/statistics"),
        PathBuf::from,
    );
    let path = folder.join("statistics.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let fixtures: Json = serde_json::from_str(&text).unwrap();
    let (mut passed, mut failed) = (0, 0);
    let mut not_read: BTreeMap<&str, usize> = BTreeMap::new();
    for row in fixtures["rows"].as_array().unwrap() {
        let kind = row["kind"].as_str().unwrap();
        let Some(found) = computed(kind, &row["given"]) else {
            *not_read.entry(kind).or_default() += 1;
            continue;
        };
        let expected = row["expected"].as_object().unwrap();
        let agrees = |name: &str, found: Option<f64>| {
            let (Some(found), Some(expected)) = (found, expected[name].as_f64()) else {
                return found.is_none() && expected[name].is_null();
            };
            (found - expected).abs() <= (RELATIVE * expected.abs()).max(ABSOLUTE)
        };
        let same_names = expected.len() == found.len();
        if same_names && found.iter().all(|(name, found)| agrees(name, *found)) {
            passed += 1;
        } else {
            failed += 1;
            println!("row {} ({kind}): {found:?} instead of {expected:?}", row["id"]);
        }
    }
    println!("statistics.json: {passed} passed, {failed} failed");
    let kinds: Vec<String> = not_read.iter().map(|(kind, rows)| format!("{rows} {kind}")).collect();
    println!(
        "statistics.json: {} rows of other kinds not yet read: {}",
        not_read.values().sum::<usize>(),
        kinds.join(", ")
    );
    assert_eq!(failed, 0);
    assert!(passed >= 20, "only {passed} rows were compared");
}
