//! What lm-eval made of the answers in its vectors, and what is made of them here.

use serde_json::Value;
use surprisal::tasks::{
    Answered, Member, Response, RunFacts, ScoreOptions, ScoredTask, TaskPlan, TaskResults,
    TaskValue, results_value, samples_file,
};

use super::{Outcome, Place, docs_of, is_refused, json_of, options, shots, splits};

/// A task that is scored, and the file of its samples.
type Scored = (ScoredTask, String);

/// Compares what each document is worth.
pub(super) fn metrics(file: &Value, place: &Place) -> Vec<Outcome> {
    each(file, place, |members, run| {
        let leaves = run["tasks"].as_object();
        let tasks = members.iter().flat_map(Member::tasks);
        for task in tasks {
            let expected = match leaves {
                Some(leaves) => leaves.get(&task.name).ok_or("a task is not among the run's")?,
                None => run,
            };
            let Some((scored, _)) = expected_error(run, scored(file, place, task, run, expected))?
            else {
                continue;
            };
            let own = scored.samples.iter().map(|sample| {
                let own = serde_json::Map::from_iter([
                    ("doc_id".to_owned(), sample.document.into()),
                    ("filter".to_owned(), sample.filter.clone().into()),
                    ("doc_hash".to_owned(), sample.document_hash.clone().into()),
                    ("prompt_hash".to_owned(), sample.prompt_hash.clone().into()),
                    ("target_hash".to_owned(), sample.target_hash.clone().into()),
                ]);
                let metrics = TaskValue::Mapping(sample.measured.clone());
                (own, &sample.target, TaskValue::List(sample.filtered.clone()), metrics)
            });
            let expected = expected["per_doc"].as_array().ok_or("a run has no per_doc")?;
            if expected.len() != scored.samples.len() {
                return Err(format!("{} of {} samples", scored.samples.len(), expected.len()));
            }
            for ((own, target, filtered, metrics), expected) in own.zip(expected) {
                // Vectors of groups have no hashes.
                for (key, expected) in own.keys().filter_map(|key| Some((key, expected.get(key)?)))
                {
                    same(key, &TaskValue::from(&own[key]), expected)?;
                }
                same("target", target, &expected["target"])?;
                same("metrics", &metrics, &expected["metrics"])?;
                if let Some(expected) = expected.get("filtered_resps") {
                    same("filtered_resps", &filtered, expected)?;
                }
            }
        }
        Ok(())
    })
}

/// Compares the figures.
pub(super) fn results(file: &Value, place: &Place) -> Vec<Outcome> {
    each(file, place, |members, run| {
        let mut all = Vec::new();
        for task in members.iter().flat_map(Member::tasks) {
            let expected = if run["tasks"].is_object() { &run["tasks"][&task.name] } else { run };
            let Some((scored, _)) = expected_error(run, scored(file, place, task, run, expected))?
            else {
                return Ok(());
            };
            all.push(scored);
        }
        let results = TaskResults::of(members, &all).map_err(|error| error.to_string())?;
        let TaskValue::Mapping(own) = results_value(&results, &all, &RunFacts::default()) else {
            return Err("no mapping".to_owned());
        };
        let empty = TaskValue::Mapping(indexmap::IndexMap::new());
        let part = |key: &str| own.get(key).unwrap_or(&empty);
        if run["tasks"].is_object() {
            for key in [
                "results",
                "groups",
                "group_subtasks",
                "n-shot",
                "versions",
                "n-samples",
                "higher_is_better",
            ] {
                same(key, part(key), &run[key])?;
            }
            return Ok(());
        }
        let [task] = &all[..] else { return Err(format!("{} tasks", all.len())) };
        if let Some(expected) = run.get("config") {
            let config =
                members.iter().flat_map(Member::tasks).next().map(|plan| plan.config(shots(run)));
            same("config", &config.ok_or("no task")?, expected)?;
        }
        let of_task = |key: &str| match part(key) {
            TaskValue::Mapping(own) => own.get(&task.name).cloned().unwrap_or(TaskValue::None),
            _ => TaskValue::None,
        };
        let pairs = [
            ("results", "results"),
            ("n-samples", "n_samples"),
            ("versions", "version"),
            ("higher_is_better", "higher_is_better"),
            ("n-shot", "effective_num_fewshot"),
        ];
        for (own, expected) in pairs {
            same(own, &of_task(own), &run[expected])?;
        }
        Ok(())
    })
}

/// Compares the files that lm-eval wrote.
pub(super) fn samples(place: &Place) -> Vec<Outcome> {
    let vectors = &place.vectors;
    let written = std::fs::read_dir(vectors.join("samples")).expect("the folder is readable");
    let names = written.map(|entry| entry.expect("its entries are readable").file_name());
    let mut tasks: Vec<String> = names
        .filter_map(|name| {
            let name = name.to_string_lossy().into_owned();
            Some(name.strip_prefix("samples_")?.strip_suffix(".jsonl")?.to_owned())
        })
        .collect();
    tasks.sort();
    let mut outcomes = Vec::new();
    for task in tasks {
        let folder = vectors.join("samples");
        let lines = std::fs::read_to_string(folder.join(format!("samples_{task}.jsonl")));
        let lines = lines.expect("samples are readable");
        let results = json_of(&folder.join(format!("results_{task}.json")));
        let file = json_of(&vectors.join(format!("{task}.json")));
        outcomes.push((task.clone(), files(&task, &file, place, &lines, &results)));
    }
    outcomes
}

fn files(
    task: &str,
    file: &Value,
    place: &Place,
    lines: &str,
    expected: &Value,
) -> Result<(), String> {
    let members = place.index.select(task).map_err(|error| error.to_string())?;
    let [Member::Task(plan)] = &members[..] else { return Err("no task".to_owned()) };
    let is_it = |run: &&Value| {
        run["chat"].is_null()
            && run["system_instruction"].is_null()
            && run["effective_num_fewshot"] == expected["n-shot"][task]
    };
    let run = file["runs"].as_array().into_iter().flatten().find(is_it).ok_or("no such run")?;
    let (scored, own) = scored(file, place, plan, run, run)?;
    for (own, expected) in own.lines().zip(lines.lines()) {
        if own != expected {
            return Err(format!("\n  expected {expected}\n       got {own}"));
        }
    }
    if own != lines {
        return Err("the files are not equally long".to_owned());
    }
    let text = |key: &str| expected[key].as_str().unwrap_or_default();
    let facts = RunFacts {
        config: match TaskValue::from(&expected["config"]) {
            TaskValue::Mapping(config) => config,
            _ => return Err("no config".to_owned()),
        },
        git_hash: expected["git_hash"].as_str(),
        date: expected["date"].as_f64().unwrap_or_default(),
        model_source: text("model_source"),
        model_name: text("model_name"),
        system_instruction: expected["system_instruction"].as_str(),
        is_multiturn: expected["fewshot_as_multiturn"].as_bool().unwrap_or_default(),
        chat_template: expected["chat_template"].as_str(),
        total_seconds: text("total_evaluation_time_seconds").parse().unwrap_or_default(),
        ..RunFacts::default()
    };
    let all = [scored];
    let results = TaskResults::of(&members, &all).map_err(|error| error.to_string())?;
    let TaskValue::Mapping(mut own) = results_value(&results, &all, &facts) else {
        return Err("no mapping".to_owned());
    };
    // They quote the task files, and were taken out of the vectors.
    own.shift_remove("configs");
    same("results", &TaskValue::Mapping(own), expected)
}

/// Every run of a file.
fn each(
    file: &Value,
    place: &Place,
    check: impl Fn(&[Member], &Value) -> Result<(), String>,
) -> Vec<Outcome> {
    let name = file["task"].as_str().or(file["group"].as_str()).unwrap_or_default();
    let members = match place.index.select(name) {
        Ok(members) => members,
        Err(error) => return vec![(name.to_owned(), Err(error.to_string()))],
    };
    let runs = file["runs"].as_array().into_iter().flatten().enumerate();
    runs.map(|(number, run)| (format!("run {number}"), check(&members, run))).collect()
}

/// Nothing where the original fails, and it fails here, too.
fn expected_error(run: &Value, scored: Result<Scored, String>) -> Result<Option<Scored>, String> {
    match (scored, run.get("error")) {
        (Err(why), _) if is_refused(&why) => Err(why),
        (Err(_), Some(_)) => Ok(None),
        (Ok(_), Some(error)) => Err(format!("expected the error {error}")),
        (scored, None) => scored.map(Some),
    }
}

/// The vector's answers to our own requests, scored.
fn scored(
    file: &Value,
    place: &Place,
    task: &TaskPlan,
    run: &Value,
    expected: &Value,
) -> Result<Scored, String> {
    task.check_requests().map_err(|error| error.to_string())?;
    let docs = if run["tasks"].is_object() { docs_of(file, task) } else { &file["docs"] };
    let splits = splits(docs);
    let text = |error: surprisal::tasks::TaskError| error.to_string();
    let scoring = task.scoring(Some(place.index.functions())).map_err(text)?;
    let rows = task.rows(&splits).map_err(text)?;
    let requests = task.requests(&rows, &options(run)).map_err(text)?;
    let responses = expected["responses"].as_array().ok_or("a run has no responses")?;
    let responses: Vec<Vec<Response>> =
        responses.iter().map(|answers| response(task, answers)).collect();
    let answered = Answered { rows: &rows, requests: &requests, responses: &responses };
    let resamples = run["bootstrap_iters"].as_u64().unwrap_or_default();
    let options = ScoreOptions {
        shots: shots(run),
        resamples: usize::try_from(resamples).unwrap_or_default(),
        documents: None,
    };
    let scored = scoring.scored(&answered, &options).map_err(text)?;
    let samples = samples_file(&answered, &scored);
    Ok((scored, samples))
}

/// One answer, or the answers to a request that is repeated.
fn response(task: &TaskPlan, answers: &Value) -> Vec<Response> {
    let one = |answer: &Value| match answer {
        Value::Array(pair) => Response::Continuation {
            log_likelihood: number(&pair[0]),
            is_greedy: pair[1].as_bool().expect("a pair has a truth value"),
        },
        Value::String(text) if text_is_written(task) => Response::Text(text.clone()),
        other => Response::Document(number(other)),
    };
    match answers {
        Value::Array(all) if task.repeats > 1 => all.iter().map(one).collect(),
        answer => vec![one(answer)],
    }
}

fn text_is_written(task: &TaskPlan) -> bool {
    task.output_type == surprisal::tasks::OutputType::GenerateUntil
}

fn number(value: &Value) -> f64 {
    match known(value) {
        TaskValue::Float(number) => number,
        TaskValue::Whole(number) => number as f64,
        other => panic!("{other:?} is no number"),
    }
}

/// A value of the vectors, in which numbers that JSON does not have are texts.
fn known(value: &Value) -> TaskValue {
    match value {
        Value::String(text) => match &**text {
            "NaN" => TaskValue::Float(f64::NAN),
            "Infinity" => TaskValue::Float(f64::INFINITY),
            "-Infinity" => TaskValue::Float(f64::NEG_INFINITY),
            text => text.into(),
        },
        Value::Array(items) => TaskValue::List(items.iter().map(known).collect()),
        Value::Object(fields) => TaskValue::Mapping(
            fields.iter().map(|(key, value)| (key.clone(), known(value))).collect(),
        ),
        other => TaskValue::from(other),
    }
}

/// With lists for tuples, as the vectors have them.
fn as_lists(value: &TaskValue) -> TaskValue {
    match value {
        TaskValue::List(items) | TaskValue::Tuple(items) => {
            TaskValue::List(items.iter().map(as_lists).collect())
        }
        TaskValue::Mapping(entries) => TaskValue::Mapping(
            entries.iter().map(|(key, value)| (key.clone(), as_lists(value))).collect(),
        ),
        other => other.clone(),
    }
}

/// Equal to the last digit, the order of keys included.
fn same(what: &str, own: &TaskValue, expected: &Value) -> Result<(), String> {
    let (own, expected) = (as_lists(own).python_repr(), known(expected).python_repr());
    if own == expected {
        Ok(())
    } else {
        Err(format!("{what}\n  expected {expected}\n       got {own}"))
    }
}
