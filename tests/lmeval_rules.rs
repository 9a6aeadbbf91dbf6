//! Scoring rules against lm-eval's `acc`, `acc_norm` and `acc_bytes`, from the log-likelihoods that it kept.
//!
//! Its task files belong to others and stay out of the repository: the folder of vectors comes from
//! `SURPRISAL_LMEVAL_FIXTURES`, and without it nothing is compared.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{collections::BTreeMap, env, fs, path::PathBuf, sync::Arc};

use serde_json::Value as Json;
use surprisal::{
    config::{Component, Node},
    infer::{Candidate, Choice, RankedForm},
    score,
};

/// lm-eval's metrics, which are names of our rules too.
const METRICS: [&str; 3] = ["acc", "acc_norm", "acc_bytes"];

/// Tasks whose candidates are contexts: the column with the number of the right one, and its first number.
const CONTEXT_TASKS: [(&str, &str, i64); 3] =
    [("winogrande", "answer", 1), ("wsc273", "label", 0), ("xwinograd_en", "answer", 1)];

/// Its `acc` is the share of probability that the true answers have among all.
const SHARE_TASK: &str = "truthfulqa_mc2";

#[test]
fn rules_choose_as_lm_eval() {
    let Some(folder) = env::var_os("SURPRISAL_LMEVAL_FIXTURES") else {
        println!("lm-eval's metrics are not compared: SURPRISAL_LMEVAL_FIXTURES names no folder");
        return;
    };
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let (mut passed, mut failures) = (0, Vec::new());
    for path in &files {
        let file: Json = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        for (task, run) in runs(&file) {
            compare(task, &file, run, &mut passed, &mut failures);
        }
    }
    println!("lmeval_rules: {passed} passed, {} failed", failures.len());
    assert!(failures.is_empty() && passed > 0, "{}", failures.join("\n"));
}

/// The runs of tasks that choose among candidates, a group's leaves one by one.
fn runs(file: &Json) -> Vec<(&str, &Json)> {
    let runs = file["runs"].as_array().unwrap().iter();
    let found: Vec<(&str, &Json)> = match file["kind"].as_str() {
        Some("group") => runs.flat_map(|run| leaves(&run["tasks"])).collect(),
        _ => runs.map(|run| (file["task"].as_str().unwrap(), run)).collect(),
    };
    let chooses = |run: &Json| {
        let asked = run["requests"].as_array();
        run["error"].is_null()
            && asked.is_some_and(|asked| asked.iter().all(|one| one["type"] == "loglikelihood"))
    };
    found.into_iter().filter(|(_, run)| chooses(run)).collect()
}

fn leaves(tasks: &Json) -> Vec<(&str, &Json)> {
    tasks.as_object().unwrap().iter().map(|(name, run)| (name.as_str(), run)).collect()
}

fn compare(task: &str, file: &Json, run: &Json, passed: &mut usize, failures: &mut Vec<String>) {
    let mut asked: BTreeMap<u64, Vec<Candidate>> = BTreeMap::new();
    let responses = run["responses"].as_array().unwrap();
    for (request, response) in run["requests"].as_array().unwrap().iter().zip(responses) {
        let candidates = asked.entry(request["doc_id"].as_u64().unwrap()).or_default();
        candidates.push(candidate(candidates.len(), request, response[0].as_f64().unwrap()));
    }
    for document in run["per_doc"].as_array().unwrap() {
        let id = document["doc_id"].as_u64().unwrap();
        let candidates = &asked[&id];
        // A single continuation is no choice: its `acc` is whether the model would have written it.
        if candidates.len() < 2 {
            continue;
        }
        for metric in METRICS {
            let Some(expected) = document["metrics"][metric].as_f64() else { continue };
            if task == SHARE_TASK {
                let share = true_share(&row(file, run, id as usize), candidates);
                if (share - expected).abs() < 1e-9 {
                    *passed += 1;
                } else {
                    failures.push(format!("{task}, document {id}: {share}, expected {expected}"));
                }
                continue;
            }
            let golds = golds(task, document, &row(file, run, id as usize), candidates);
            let rule =
                score::build(Some(&Component::parse(&Node::from_json(&metric.into())).unwrap()));
            let choice = Choice { form: RankedForm::Perplexity, candidates, counterparts: &[] };
            let chosen = score::chosen(&*rule.unwrap().1, choice).unwrap();
            if golds.contains(&chosen) == (expected > 0.5) {
                *passed += 1;
            } else {
                failures.push(format!(
                    "{task}, document {id}, {metric}: {chosen} is chosen, gold {golds:?}, expected {expected}"
                ));
            }
        }
    }
}

/// The share of probability of a row's true answers, from the scores of the rule `sum`.
fn true_share(row: &Json, candidates: &[Candidate]) -> f64 {
    let rule = score::build(Some(&Component::parse(&Node::from_json(&"sum".into())).unwrap()));
    let nats = rule
        .unwrap()
        .1
        .scores(Choice { form: RankedForm::Perplexity, candidates, counterparts: &[] })
        .unwrap();
    let labels = row["mc2_targets"]["labels"].as_array().unwrap();
    let mass = |wanted: u64| -> f64 {
        let own = nats.iter().zip(labels).filter(|(_, label)| label.as_u64() == Some(wanted));
        own.map(|(nats, _)| (-nats).exp()).sum()
    };
    mass(1) / (mass(1) + mass(0))
}

/// A row that is evaluated: of what the task made of its split, or of the split.
fn row(file: &Json, run: &Json, index: usize) -> Json {
    let made = [&run["eval_docs"], &file["eval_docs"]];
    let splits = [&file["docs"]["validation"], &file["docs"]["test"]];
    made.into_iter()
        .chain(splits)
        .find(|rows| rows.is_array())
        .map(|rows| rows[index].clone())
        .unwrap_or_default()
}

/// A candidate of this log-likelihood.
fn candidate(index: usize, request: &Json, log_likelihood: f64) -> Candidate {
    let [context, answer] = [0, 1].map(|part| request["args"][part].as_str().unwrap());
    let text = format!("{context}{answer}");
    // Two numbers of 32 bits hold what one cannot.
    let most = -log_likelihood as f32;
    let nlls = vec![most, (-log_likelihood - f64::from(most)) as f32];
    Candidate {
        label: index.into(),
        testing_input: text.clone(),
        answer_tokens: 1..3,
        uncut_tokens: 3,
        bytes: text.len(),
        chars: text.chars().count(),
        answer_bytes: answer.len(),
        is_separated: false,
        ids: Arc::new([0; 3]),
        served: None,
        sum_nll_nats: nlls.iter().map(|nll| f64::from(*nll)).sum(),
        likeliest: vec![false; nlls.len()],
        nlls,
        normalizer: None,
        counted: None,
        prompt: text,
    }
}

/// The right candidates of a document: lm-eval keeps the answer's text, its number, or a list of numbers.
fn golds(task: &str, document: &Json, row: &Json, candidates: &[Candidate]) -> Vec<usize> {
    if let Some((_, column, first)) = CONTEXT_TASKS.iter().find(|(name, ..)| *name == task) {
        let cell = &row[column];
        let number = cell.as_i64().or_else(|| cell.as_str()?.parse().ok()).unwrap();
        return vec![(number - first) as usize];
    }
    let target = &document["target"];
    let text = target.as_str().map_or_else(|| target.to_string(), str::to_owned);
    let same_text: Vec<usize> = (0..candidates.len())
        .filter(|index| candidates[*index].answer().trim() == text.trim())
        .collect();
    if !same_text.is_empty() && target.is_string() {
        return same_text;
    }
    serde_json::from_str::<Vec<usize>>(&text)
        .or_else(|_| serde_json::from_str(&text).map(|one| vec![one]))
        .unwrap_or_else(|_| panic!("{task}: {target} is none of the candidates"))
}
