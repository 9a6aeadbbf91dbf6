//! lm-eval's files of samples against sides that are made of the requests and responses it kept of the same runs, and of
//! others: with more examples, or through a chat template.
//!
//! Its files belong to others and stay out of the repository: the folder of vectors comes from
//! `SURPRISAL_LMEVAL_FIXTURES`, and without it nothing is compared.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{collections::BTreeMap, env, fs, path::Path};

use serde_json::Value as Json;
use surprisal::diff::{
    Answer, CauseKind, DiffReport, Figure, FigureScale, Likelihoods, Pairing, Request, Side,
    SideFormat, SideSample, SideSettings, lm_eval_side,
};

/// Log-likelihoods of both are the same numbers, written twice.
const TOLERANCE: f64 = 1e-9;

#[test]
fn lmeval_fixtures_diff() {
    let Some(folder) = env::var_os("SURPRISAL_LMEVAL_FIXTURES") else {
        println!("lm-eval's samples are not compared: SURPRISAL_LMEVAL_FIXTURES names no folder");
        return;
    };
    let folder = Path::new(&folder);
    let mut files: Vec<_> =
        fs::read_dir(folder.join("samples")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    let (mut all_passed, mut all_failures) = (0, Vec::new());
    for path in &files {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let task = name.strip_prefix("samples_").unwrap();
        let vector: Json =
            serde_json::from_slice(&fs::read(folder.join(format!("{task}.json"))).unwrap())
                .unwrap();
        let (mut passed, mut failures) = (0, Vec::new());
        compare(&vector, &fs::read_to_string(path).unwrap(), &mut passed, &mut failures);
        println!("{name}: {passed} passed, {} failed", failures.len());
        all_passed += passed;
        all_failures.append(&mut failures);
    }
    assert!(all_failures.is_empty() && all_passed > 0, "{}", all_failures.join("\n"));
}

/// The file against each run of its task, under each of its filters.
fn compare(vector: &Json, text: &str, passed: &mut usize, failures: &mut Vec<String>) {
    let lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut filters: Vec<&str> =
        lines.iter().map(|line| line["filter"].as_str().unwrap()).collect();
    filters.dedup();
    filters.sort_unstable();
    filters.dedup();
    let hashes = |of: &mut dyn Iterator<Item = &Json>| -> Vec<String> {
        let hash = |own: &Json| format!("{} {}", own["doc_id"], own["prompt_hash"]);
        let mut hashes: Vec<String> = of.map(hash).collect();
        hashes.sort();
        hashes
    };
    let own = hashes(&mut lines.iter());
    let mut has_equal = false;
    for run in vector["runs"].as_array().unwrap().iter().filter(|run| run["error"].is_null()) {
        let is_equal = own == hashes(&mut run["per_doc"].as_array().unwrap().iter());
        has_equal |= is_equal;
        for filter in &filters {
            let file = lm_eval_side(text, "file", Some(filter)).unwrap();
            for has_rows in [true, false] {
                let side = side_of(vector, run, filter, has_rows);
                let what = format!(
                    "{} with {} examples, chat {}, filter {filter}, rows {has_rows}",
                    vector["task"], run["effective_num_fewshot"], run["chat"]
                );
                match wrong(&file, &side, run, is_equal) {
                    None => *passed += 1,
                    Some(why) => failures.push(format!("{what}: {why}")),
                }
            }
        }
    }
    if !has_equal {
        failures.push(format!("{}: no run has the prompts of the file", vector["task"]));
    }
}

/// What is not as it should be.
fn wrong(file: &Side, side: &Side, run: &Json, is_equal: bool) -> Option<String> {
    let pairing = Pairing::of(file, side);
    if pairing.paired != file.samples.len() || pairing.only_left + pairing.only_right > 0 {
        return Some(format!("{pairing:?}"));
    }
    for [own, other] in &pairing.places {
        if file.samples[*own].number != side.samples[*other].number {
            return Some(format!("other samples are paired: {pairing:?}"));
        }
    }
    let report = DiffReport::of(["task", "model"], file, side, TOLERANCE, &|| None);
    if is_equal {
        // From the columns of the file, and from lm-eval's own results.
        let figures_agree = report.figures.iter().all(|figure| !figure.differs);
        let is_right = report.agree && figures_agree && !report.figures.is_empty();
        return (!is_right).then(|| format!("{report:?}"));
    }
    let expected =
        if run["chat"].is_null() { CauseKind::Examples } else { CauseKind::ChatTemplate };
    let found = report.likeliest().map(|cause| cause.kind);
    (report.agree || found != Some(expected)).then(|| format!("{found:?}: {:?}", report.causes))
}

/// A run of the vectors as a side.
fn side_of(vector: &Json, run: &Json, filter: &str, has_rows: bool) -> Side {
    let requests = run["requests"].as_array().unwrap();
    let responses = run["responses"].as_array().unwrap();
    let mut samples: BTreeMap<usize, SideSample> = BTreeMap::new();
    for (request, response) in requests.iter().zip(responses) {
        let number = request["doc_id"].as_u64().unwrap() as usize;
        let sample =
            samples.entry(number).or_insert_with(|| SideSample { number, ..SideSample::default() });
        sample.requests.push(request_of(request, response));
        if has_rows {
            sample.columns = columns(vector, number);
        }
    }
    for own in run["per_doc"].as_array().unwrap().iter().filter(|own| own["filter"] == filter) {
        let sample = samples.get_mut(&(own["doc_id"].as_u64().unwrap() as usize)).unwrap();
        sample.gold = Some(match &own["target"] {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        });
        let filtered = own["filtered_resps"].as_array().and_then(|all| all[0].as_str());
        sample.answer = match filtered {
            Some(text) => Some(Answer::Text(text.to_owned())),
            None => chosen(&sample.requests),
        };
    }
    let results = run["results"].as_object().unwrap();
    let figure = |(name, value): (&String, &Json)| {
        let (metric, of_filter) = name.split_once(',')?;
        let value = value.as_f64()?;
        (of_filter == filter && !metric.ends_with("_stderr")).then(|| Figure {
            metric: metric.to_owned(),
            value,
            scale: FigureScale::OfOne,
        })
    };
    Side {
        name: "vectors".to_owned(),
        format: SideFormat::KeptRun,
        settings: SideSettings::default(),
        samples: samples.into_values().collect(),
        figures: results.iter().filter_map(figure).collect(),
        notes: Vec::new(),
    }
}

/// The row of a document in the first split that is evaluated.
fn columns(vector: &Json, number: usize) -> BTreeMap<String, Json> {
    let splits = ["test", "validation", "train"];
    let rows = splits.iter().find_map(|split| vector["docs"][split].as_array()).unwrap();
    rows[number].as_object().unwrap().clone().into_iter().collect()
}

fn request_of(request: &Json, response: &Json) -> Request {
    let argument = |place: usize| request["args"][place].as_str();
    let (context, continuation) = (argument(0).unwrap(), argument(1));
    let nats = response[0].as_f64();
    Request {
        label: request["idx"].to_string(),
        text: format!("{context}{}", continuation.unwrap_or_default()),
        answer_bytes: continuation.map(str::len),
        likelihoods: Likelihoods { answer_nats: nats, ..Likelihoods::default() },
        generated: response.as_str().map(str::to_owned),
        ..Request::default()
    }
}

/// The first of the likeliest; nothing for a text on its own.
fn chosen(requests: &[Request]) -> Option<Answer> {
    let nats = |own: &Request| own.likelihoods.answer_nats.unwrap();
    let most = requests.iter().map(nats).fold(f64::NEG_INFINITY, f64::max);
    let place = requests.iter().position(|own| nats(own).to_bits() == most.to_bits());
    place.filter(|_| requests.len() > 1).map(Answer::Choice)
}
