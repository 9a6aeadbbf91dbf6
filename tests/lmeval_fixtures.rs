//! lm-eval's requests against ours: its task files in, every request's arguments out.
//!
//! `SURPRISAL_LMEVAL_FIXTURES` names the folder of vectors and `SURPRISAL_TASKS` that of lm-eval's tasks, both read in place.
//! Tasks whose text functions of Python make are not asked yet; they are counted.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use surprisal::tasks::{Arguments, Chat, Request, RequestOptions, Row, TaskIndex, TaskPlan, Turn};

#[test]
fn lmeval_fixtures_requests() {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from);
    let (Some(vectors), Some(tasks)) =
        (folder("SURPRISAL_LMEVAL_FIXTURES"), folder("SURPRISAL_TASKS"))
    else {
        println!("skipped: SURPRISAL_LMEVAL_FIXTURES and SURPRISAL_TASKS name what is compared");
        return;
    };
    let index = TaskIndex::read(&tasks).expect("the folder of tasks is readable");
    let mut files: Vec<PathBuf> = fs::read_dir(vectors)
        .expect("the folder of vectors is readable")
        .map(|entry| entry.expect("its entries are readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    let (mut passed, mut failed, mut by_functions) = (0, 0, 0);
    for path in &files {
        let text = fs::read_to_string(path).expect("vectors are readable");
        let file: Value = serde_json::from_str(&text).expect("vectors are JSON");
        for (what, outcome) in compared(&file, &index) {
            match outcome {
                Ok(()) => passed += 1,
                Err(why) if why.contains("Python, which is not run") => by_functions += 1,
                Err(why) => {
                    failed += 1;
                    println!("{} {what}: {why}", name_of(path));
                }
            }
        }
    }
    println!("lmeval_requests: {passed} passed, {failed} failed");
    println!("made by functions of Python, not asked: {by_functions}");
    assert_eq!(failed, 0, "{failed} runs differ");
    assert!(passed > by_functions, "only {passed} runs are compared");
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

type Outcome = (String, Result<(), String>);

/// Every run of a file.
fn compared(file: &Value, index: &TaskIndex) -> Vec<Outcome> {
    let runs = file["runs"].as_array().map_or(&[][..], Vec::as_slice);
    let name = file["task"].as_str().or(file["group"].as_str()).unwrap_or_default();
    let members = match index.select(name) {
        Ok(members) => members,
        Err(error) => return vec![(name.to_owned(), Err(error.to_string()))],
    };
    let tasks: Vec<&TaskPlan> = members.iter().flat_map(|member| member.tasks()).collect();
    let mut outcomes = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        if let Some(leaves) = run["tasks"].as_object() {
            for (leaf, expected) in leaves {
                let task = tasks.iter().find(|task| task.name == *leaf);
                let what = format!("run {number}, {leaf}");
                let Some(task) = task else {
                    outcomes.push((what, Err("the group does not hold it".to_owned())));
                    continue;
                };
                let place = format!(
                    "{}|{}",
                    task.dataset_path.as_deref().unwrap_or_default(),
                    task.dataset_name.as_deref().unwrap_or("None")
                );
                let docs = file["docs"].get(&place).or_else(|| file["docs"].get(leaf));
                let docs = docs.unwrap_or(&Value::Null);
                outcomes.push((what, check(task, docs, run, &expected["requests"])));
            }
            continue;
        }
        let what = format!("run {number}");
        let outcome = match &tasks[..] {
            [task] => check(task, &file["docs"], run, &run["requests"]),
            _ => Err(format!("{} tasks", tasks.len())),
        };
        outcomes.push((what, outcome));
    }
    outcomes
}

fn check(task: &TaskPlan, docs: &Value, run: &Value, expected: &Value) -> Result<(), String> {
    if let Some((key, function)) = task.functions.iter().find(|(key, _)| makes_text(key)) {
        return Err(format!("{key}: {function} is Python, which is not run"));
    }
    let splits: BTreeMap<String, Vec<Row>> = docs
        .as_object()
        .into_iter()
        .flatten()
        .map(|(split, rows)| {
            let rows = rows.as_array().into_iter().flatten();
            (split.clone(), rows.filter_map(|row| row.as_object().cloned()).collect())
        })
        .collect();
    let rows = task.rows(&splits).map_err(|error| error.to_string())?;
    let chat = run.get("chat").filter(|chat| !chat.is_null());
    let options = RequestOptions {
        shots: run["num_fewshot"].as_u64().and_then(|shots| usize::try_from(shots).ok()),
        system_instruction: run["system_instruction"].as_str(),
        chat: chat.map(|chat| Chat {
            write: &|turns, begins_answer| Ok(chatml(turns, begins_answer)),
            is_multiturn: chat["fewshot_as_multiturn"].as_bool().unwrap_or(false),
        }),
        ..RequestOptions::default()
    };
    let made = task.requests(&rows, &options).map_err(|error| error.to_string());
    let made = match (made, run.get("error")) {
        (Err(_), Some(_)) => return Ok(()),
        (Ok(_), Some(error)) => return Err(format!("expected the error {error}")),
        (Err(error), None) => return Err(error),
        (Ok(made), None) => made,
    };
    let expected = expected.as_array().ok_or("a run has requests")?;
    if expected.len() != made.len() {
        return Err(format!("{} requests, expected {}", made.len(), expected.len()));
    }
    for (own, expected) in made.iter().zip(expected) {
        let own = shown(own);
        for key in ["doc_id", "idx", "args"] {
            if own[key] != expected[key] {
                return Err(format!(
                    "{key}\n  expected {}\n       got {}",
                    expected[key], own[key]
                ));
            }
        }
    }
    Ok(())
}

/// Whether a function under this key takes part in requests.
fn makes_text(key: &str) -> bool {
    !["metric_list", "process_results", "filter_list", "doc_to_decontamination_query"]
        .iter()
        .any(|other| key.starts_with(other))
}

fn shown(request: &Request) -> Value {
    let args = match &request.arguments {
        Arguments::Continuation { context, continuation } => json!([context, continuation]),
        Arguments::Document(text) => json!([text]),
        Arguments::Generation { context, settings } => json!([context, settings]),
    };
    json!({"doc_id": request.document, "idx": request.index, "args": args})
}

/// `ChatML`, the answer begun where it is to be gone on with.
fn chatml(turns: &[Turn], begins_answer: bool) -> String {
    let mut text = String::new();
    for (index, turn) in turns.iter().enumerate() {
        text.extend(["<|im_start|>", turn.role, "\n", &turn.content]);
        if begins_answer || index + 1 < turns.len() {
            text.push_str("<|im_end|>\n");
        }
    }
    if begins_answer {
        text.push_str("<|im_start|>assistant\n");
    }
    text
}
