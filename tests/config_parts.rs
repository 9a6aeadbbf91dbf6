//! Which of OpenCompass's own configs have every part that they need, and what stands behind each part.
//!
//! A part is what an entry of `datasets` names by a `type`: a class of data sets, templates, a retriever, an inferencer,
//! an evaluator, post-processors. It counts if the plan accepts it with all its parameters and if a vector of the
//! original, run by another test here, has its name. Data files are not looked at: they are the user's.
//!
//! The configs are not part of this repository. `SURPRISAL_OPENCOMPASS` names the unpacked package 0.5.4, and
//! `SURPRISAL_LOADERS` the folder of the vectors of its data set classes; without them nothing is counted.
//! `tests/compat/config_parts.sh` fetches the package and prints the list.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    env, fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use surprisal::{
    config::{self, Node},
    plan::DatasetPlan,
    postprocess::POSTPROCESSORS,
};

/// Evaluators that ask another model.
const JUDGES: &[&str] = &[
    "ATLASLLMEvaluator",
    "CascadeEvaluator",
    "CharmMemoryEvaluator",
    "FakeAlignmentJudgeEvaluator",
    "GaoKaoMATHEvaluator",
    "GenericLLMEvaluator",
    "HealthBenchEvaluator",
    "JudgeEvaluator",
    "LMEvaluator",
    "OmniMathEvaluator",
];

/// Evaluators that run what a model has written.
const RUNNERS: &[&str] = &[
    "APPSEvaluator",
    "BigCodeBenchEvaluator",
    "CIBenchEvaluator",
    "CodeCompassEvaluator",
    "CRUXEvalOEvaluator",
    "DS1000Evaluator",
    "DS1000InterpreterEvaluator",
    "DS1000ServiceEvaluator",
    "HumanEvalEvaluator",
    "HumanEvalPlusEvaluator",
    "HumanEvalXEvaluator",
    "HumanevalMultiEvaluator",
    "HumanevalProEvaluator",
    "HumanevalXEvaluator",
    "LCBCodeExecutionEvaluator",
    "LCBCodeGenerationEvaluator",
    "LCBProEvaluator",
    "LCBTestOutputEvaluator",
    "LCPassKEvaluator",
    "MBPPEvaluator",
    "MBPPPassKEvaluator",
    "MBPPProEvaluator",
    "MultiplEEvaluator",
    "PMMEvalHumanEvalXLEvaluator",
    "SciCodeEvaluator",
    "TACOEvaluator",
];

/// Evaluators and inferencers that need a service or another program.
const SERVICES: &[&str] = &[
    "AgentInferencer",
    "AttackInferencer",
    "DingoEvaluator",
    "InternSandboxEvaluator",
    "ToxicEvaluator",
    "VLMEvalKitEvaluator",
];

/// What a config needs besides a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Local,
    Judge,
    Code,
    Service,
}

/// How many configs of a group have had every part.
const FLOORS: &[(Group, usize)] = &[(Group::Local, 1002), (Group::Judge, 239), (Group::Code, 141)];

/// How many configs of a group there are, and which of them lack what.
#[derive(Default)]
struct Tally {
    configs: usize,
    lacking: BTreeMap<String, BTreeSet<String>>,
}

/// The names behind which a vector stands.
struct Vouched {
    names: BTreeSet<String>,
}

impl Vouched {
    fn read(loaders: &Path) -> Self {
        let golden = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/golden"));
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(golden).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let text = fs::read_to_string(&path).unwrap().replace(": NaN", ": null");
                collect(&serde_json::from_str(&text).unwrap(), &mut names);
            }
        }
        let text = fs::read_to_string(loaders.join("loaders.json")).unwrap();
        let cases: Value = serde_json::from_str(&text).unwrap();
        for case in cases["cases"].as_array().into_iter().flatten() {
            names.extend(case["loader"].as_str().map(last_name));
        }
        // Held against the classes of the package by tests/compat/loaders.sh.
        let compared = include_str!("compat/loader_classes.txt");
        names
            .extend(compared.lines().map(str::trim).filter(|line| !line.is_empty()).map(last_name));
        // A part has several names in the original: its function's, and the one it is registered under.
        let known: Vec<&str> = POSTPROCESSORS
            .registrations
            .iter()
            .filter(|line| line.aliases.iter().any(|alias| names.contains(*alias)))
            .flat_map(|line| line.aliases.iter().copied().chain([line.name]))
            .collect();
        names.extend(known.into_iter().map(str::to_owned));
        Self { names }
    }
}

/// Everything that cases name as what they try.
fn collect(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value.as_str() {
                    Some(name)
                        if ["type", "evaluator", "function", "$type", "$callable", "loader"]
                            .contains(&&**key) =>
                    {
                        names.insert(last_name(name));
                    }
                    _ => collect(value, names),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        _ => {}
    }
}

/// The end of a dotted path.
fn last_name(path: &str) -> String {
    path.rsplit('.').next().unwrap_or(path).to_owned()
}

/// The entries with prompts in a variable's value.
fn entries<'n>(value: &'n Node, found: &mut Vec<&'n Node>) {
    if let Some(items) = value.as_list() {
        for item in items {
            entries(item, found);
        }
    } else if value.get("infer_cfg").is_some() && value.get("reader_cfg").is_some() {
        found.push(value);
    }
}

/// The classes that an entry names, with their places.
fn parts(entry: &Value) -> Vec<(&'static str, String)> {
    let mut parts = Vec::new();
    let mut part = |kind: &'static str, value: &Value| {
        let named = value.get("type").unwrap_or(value);
        parts.extend(named.as_str().map(|name| (kind, last_name(name))));
    };
    part("loader", entry);
    for (kind, key) in [
        ("template", "ice_template"),
        ("template", "prompt_template"),
        ("retriever", "retriever"),
        ("inferencer", "inferencer"),
    ] {
        part(kind, &entry["infer_cfg"][key]);
    }
    let eval_cfg = &entry["eval_cfg"];
    part("evaluator", &eval_cfg["evaluator"]);
    for (kind, key) in [
        ("evaluator", "rule_evaluator"),
        ("evaluator", "llm_evaluator"),
        ("post-processor", "pred_postprocessor"),
        ("post-processor", "dict_postprocessor"),
    ] {
        part(kind, &eval_cfg["evaluator"][key]);
    }
    for key in ["pred_postprocessor", "dataset_postprocessor"] {
        part("post-processor", &eval_cfg[key]);
    }
    parts
}

/// Plans an entry as if its data were there.
fn planned(entry: &Node, config: &Path) -> Result<(), String> {
    match DatasetPlan::from_node(entry, config) {
        Ok(_) => Ok(()),
        Err(error) if error.to_string().contains("there is no file or folder") => {
            let mut entry = entry.clone();
            entry.set("path", Node::from_json(&json!("org/name")));
            entry.remove("data_files");
            entry.remove("data_dir");
            entry.remove("file_name");
            DatasetPlan::from_node(&entry, config).map(|_| ()).map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Every part of an entry that is missing, or why it cannot be planned.
fn missing(entry: &Node, vouched: &Vouched, config: &Path) -> Vec<String> {
    if let Err(error) = planned(entry, config) {
        // Where it stands differs in each config; what is wrong is what counts.
        let what = error.lines().next().unwrap_or_default();
        let what = what.split_once(".py:").map_or(what, |(_, rest)| {
            rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':').trim()
        });
        return vec![what.to_owned()];
    }
    let entry = entry.to_json();
    let unvouched = parts(&entry).into_iter().filter(|(_, name)| !vouched.names.contains(name));
    unvouched.map(|(kind, name)| format!("no vector of the {kind} {name}")).collect()
}

fn group(entries: &[Value]) -> Group {
    let named: BTreeSet<String> = entries.iter().flat_map(parts).map(|(_, name)| name).collect();
    let any = |names: &[&str]| names.iter().any(|name| named.contains(*name));
    if any(SERVICES) {
        Group::Service
    } else if any(RUNNERS) {
        Group::Code
    } else if any(JUDGES) {
        Group::Judge
    } else {
        Group::Local
    }
}

/// What makes an entry another one to the plan: everything but where its data are and how they are cut.
fn shape(entry: &Value) -> String {
    const IDLE: &[&str] =
        &["abbr", "length", "depth", "path", "name", "needles", "subset", "dataset_size"];
    let mut entry = entry.clone();
    if let Some(fields) = entry.as_object_mut() {
        fields.retain(|name, _| !IDLE.contains(&&**name));
    }
    entry.to_string()
}

fn config_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            config_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            found.push(path);
        }
    }
}

#[test]
fn config_parts() {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from);
    let (Some(package), Some(loaders)) =
        (folder("SURPRISAL_OPENCOMPASS"), folder("SURPRISAL_LOADERS"))
    else {
        println!("skipped: SURPRISAL_OPENCOMPASS and SURPRISAL_LOADERS name what is counted");
        return;
    };
    let vouched = Vouched::read(&loaders);
    let mut files = Vec::new();
    config_files(&package.join("opencompass/configs"), &mut files);
    let mut tallies: BTreeMap<Group, Tally> = BTreeMap::new();
    let mut seen: HashMap<String, Vec<String>> = HashMap::new();
    for file in &files {
        // What does not load is the business of another test.
        let Ok(config) = config::load(file) else { continue };
        let mut found = Vec::new();
        // OpenCompass runs lists; a dict on its own is a draft of entries.
        for (_, value) in config.variables.iter().filter(|(_, value)| value.as_list().is_some()) {
            entries(value, &mut found);
        }
        if found.is_empty() {
            continue;
        }
        let values: Vec<Value> = found.iter().map(|entry| entry.to_json()).collect();
        let tally = tallies.entry(group(&values)).or_default();
        tally.configs += 1;
        let mut lacking = BTreeSet::new();
        for (entry, value) in found.iter().zip(&values) {
            let why = seen.entry(shape(value)).or_insert_with(|| missing(entry, &vouched, file));
            lacking.extend(why.iter().cloned());
        }
        if !lacking.is_empty() {
            let name = file.strip_prefix(&package).unwrap_or(file).display().to_string();
            tally.lacking.insert(name, lacking);
        }
    }
    for (group, tally) in &tallies {
        println!("\n{group:?}: what the others lack");
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, lacking) in &tally.lacking {
            let named: Vec<&str> = lacking.iter().map(String::as_str).collect();
            println!("  {name}: {}", named.join("; "));
            for why in lacking {
                *reasons.entry(why).or_default() += 1;
            }
        }
        let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(why, count)| (std::cmp::Reverse(*count), *why));
        println!("{group:?}: by reason");
        for (why, count) in &reasons {
            println!("  {count:4} {why}");
        }
    }
    println!();
    let mut fewer = Vec::new();
    for (group, tally) in &tallies {
        let whole = tally.configs - tally.lacking.len();
        println!(
            "configs with every part, {}: {whole}/{}",
            format!("{group:?}").to_lowercase(),
            tally.configs
        );
        let floor = FLOORS.iter().find(|(own, _)| own == group).map_or(0, |(_, floor)| *floor);
        fewer.extend((whole < floor).then(|| format!("{group:?}: {whole}, {floor} had")));
    }
    assert!(fewer.is_empty(), "fewer configs have every part: {}", fewer.join("; "));
}
