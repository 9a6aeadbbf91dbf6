//! Rows that scipy and statsmodels computed, kind by kind.
//!
//! `SURPRISAL_STATISTICS` names another folder with a `statistics.json`.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::Value as Json;
use surprisal::statistics::{
    Gain, McNemar, Mean, PairedDifference, Power, RankCorrelation, Ranking,
    clustered_standard_error, holm, pass_at_k, wilson_95,
};

/// How far a number may be off, of itself.
const RELATIVE: f64 = 1e-10;
/// How far a number may be off that ought to be zero.
const ABSOLUTE: f64 = 1e-14;

/// What is computed here from `given`, by the names in `expected`; nothing for a kind that is not.
fn computed(kind: &str, given: &Json) -> Option<Vec<(&'static str, Option<f64>)>> {
    let count = |name: &str| given[name].as_u64().unwrap() as usize;
    let numbers = |name: &str| numbers_of(&given[name]);
    match kind {
        "mean" => {
            let values = numbers("values");
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
        "mcnemar" => {
            let counts = McNemar {
                only_first_right: count("only_first_right"),
                only_second_right: count("only_second_right"),
            };
            Some(vec![("exact_p", Some(counts.exact_p())), ("mid_p", Some(counts.mid_p()))])
        }
        "paired_difference" => {
            let found = PairedDifference::of(&numbers("first"), &numbers("second")).unwrap();
            Some(vec![
                ("mean", Some(found.mean)),
                ("standard_error", found.standard_error),
                ("t", found.t),
                ("p", Some(found.p)),
                ("low", found.interval.ok().map(|interval| interval.low)),
                ("high", found.interval.ok().map(|interval| interval.high)),
                ("correlation", found.correlation),
            ])
        }
        "minimum_detectable_difference" => {
            let deviation = given["standard_deviation_of_differences"].as_f64().unwrap();
            let found = Power::of_one_test().smallest_mean_difference(count("pairs"), deviation);
            Some(vec![("difference", found)])
        }
        "spearman" => {
            let found = RankCorrelation::of(&numbers("first"), &numbers("second")).unwrap();
            Some(vec![("rho", Some(found.rho))])
        }
        "pass_at_k" => {
            Some(vec![("pass", pass_at_k(count("samples"), count("right"), count("k")))])
        }
        "retrieval" => {
            let (ranked, relevant, k) = (numbers("ranked"), numbers("relevant"), count("k"));
            let found = |id| if relevant.contains(id) { 1.0 } else { 0.0 };
            let found = ranked.iter().map(found).collect();
            let ranking = Ranking::new(found, &vec![1.0; relevant.len()]).unwrap();
            Some(vec![
                ("recall_at_k", Some(ranking.recall(k))),
                ("hit_at_k", Some(f64::from(u8::from(ranking.hit(k))))),
                ("reciprocal_rank_at_k", Some(ranking.reciprocal_rank(k))),
                ("ndcg_at_k", Some(ranking.ndcg(k, Gain::Linear))),
            ])
        }
        _ => None,
    }
}

fn numbers_of(list: &Json) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Whether a row that expects a list holds: Holm's, one adjusted p for each p.
fn holm_agrees(row: &Json) -> bool {
    let found = holm(&numbers_of(&row["given"]["p"]));
    let expected = numbers_of(&row["expected"]["adjusted_p"]);
    found.len() == expected.len()
        && found.iter().zip(&expected).all(|(&found, &expected)| is_close(found, expected))
}

fn is_close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= (RELATIVE * expected.abs()).max(ABSOLUTE)
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
        if kind == "holm" {
            let agrees = holm_agrees(row);
            passed += usize::from(agrees);
            failed += usize::from(!agrees);
            continue;
        }
        let Some(found) = computed(kind, &row["given"]) else {
            *not_read.entry(kind).or_default() += 1;
            continue;
        };
        let expected = row["expected"].as_object().unwrap();
        let agrees = |name: &str, found: Option<f64>| {
            let (Some(found), Some(expected)) = (found, expected[name].as_f64()) else {
                return found.is_none() && expected[name].is_null();
            };
            is_close(found, expected)
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
    assert!(passed >= 65, "only {passed} rows were compared");
}
