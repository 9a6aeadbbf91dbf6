//! Figures of rankings beside those that `trec_eval` gives for the same runs, ties included.
//!
//! `SURPRISAL_RANKINGS` names another file of them; `tests/compat/trec_eval.sh` makes one of a thousand runs.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{collections::BTreeMap, path::PathBuf};

use serde::Deserialize;
use surprisal::statistics::{Gain, Ranking, trec_order};

/// How far a figure may be off.
const TOLERANCE: f64 = 1e-6;

/// A query's run, what is relevant to it, and `trec_eval`'s figures.
#[derive(Deserialize)]
struct Row {
    run: BTreeMap<String, f64>,
    relevant: BTreeMap<String, f64>,
    /// By figure and k, such as `recall_5`.
    expected: BTreeMap<String, f64>,
}

fn computed(ranking: &Ranking, figure: &str) -> f64 {
    let (name, k) = figure.rsplit_once('_').unwrap();
    let k = if k == "all" { usize::MAX } else { k.parse().unwrap() };
    match name {
        "recall" => ranking.recall(k),
        "success" => f64::from(u8::from(ranking.hit(k))),
        "P" => ranking.precision(k),
        "recip_rank" => ranking.reciprocal_rank(k),
        "map_cut" => ranking.average_precision(k),
        "ndcg_cut" => ranking.ndcg(k, Gain::Linear),
        "ndcg_cut_exponential" => ranking.ndcg(k, Gain::Exponential),
        _ => panic!("{figure}: no such figure"),
    }
}

#[test]
fn ranking_fixtures_agree_with_trec_eval() {
    let path = std::env::var_os("SURPRISAL_RANKINGS").map_or_else(
        || {
            PathBuf::from(env!("CARGO_MANIFEST_DIR"))
                .join("tests/fixtures/statistics/rankings.jsonl")
        },
        PathBuf::from,
    );
    let text = std::fs::read_to_string(&path).unwrap();
    let (mut passed, mut failed, mut figures, mut farthest) = (0, 0, 0, 0_f64);
    for line in text.lines() {
        let row: Row = serde_json::from_str(line).unwrap();
        let mut run: Vec<(f64, &str)> =
            row.run.iter().map(|(id, score)| (*score, id.as_str())).collect();
        run.sort_by(|one, other| trec_order(*one, *other));
        let found = run.iter().map(|(_, id)| row.relevant.get(*id).copied().unwrap_or_default());
        let judged: Vec<f64> = row.relevant.values().copied().collect();
        let ranking = Ranking::new(found.collect(), &judged).unwrap();
        let mut agrees = true;
        for (figure, expected) in &row.expected {
            let off = (computed(&ranking, figure) - expected).abs();
            if off.is_nan() || off > TOLERANCE {
                println!("{figure} is off by {off:e}, expected {expected}: {line}");
                agrees = false;
            }
            farthest = farthest.max(off);
            figures += 1;
        }
        *if agrees { &mut passed } else { &mut failed } += 1;
    }
    println!(
        "rankings.jsonl: {passed} passed, {failed} failed, {figures} figures off by at most {farthest:.1e}"
    );
    assert_eq!(failed, 0);
    assert!(passed >= 20, "only {passed} runs were compared");
}
