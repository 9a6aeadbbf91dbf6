//! lm-eval's runs against ours: its task files in, every request's arguments out, and with the answers of a stand-in for
//! a model what each document is worth, the figures, and the files that are written of them.
//!
//! Vectors of invented tasks lie in `fixtures/lmeval`, made by lm-eval with the script there. `SURPRISAL_LMEVAL_FIXTURES`
//! names a folder of vectors of lm-eval's own tasks and `SURPRISAL_TASKS` that of its tasks, both read in place. Tasks that
//! need a function which the evaluator does not know are refused by name; they are counted.

mod lmeval_scores;

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use surprisal::tasks::{
    Arguments, Chat, Kind, Request, RequestOptions, Row, TaskIndex, TaskPlan, Turn,
};

#[test]
fn lmeval_fixtures_requests() {
    all_files("requests", compared);
}

#[test]
fn lmeval_fixtures_metrics() {
    all_files("metrics", lmeval_scores::metrics);
}

#[test]
fn lmeval_fixtures_results() {
    all_files("results", lmeval_scores::results);
}

#[test]
fn lmeval_fixtures_samples() {
    let Some(place) = Place::named() else { return };
    let outcomes = lmeval_scores::samples(&place);
    let failed: Vec<String> = outcomes
        .iter()
        .filter_map(|(what, outcome)| Some(format!("{what}: {}", outcome.as_ref().err()?)))
        .collect();
    println!("{}", failed.join("\n"));
    let passed = outcomes.len() - failed.len();
    println!("lmeval_samples: {passed} passed, {} failed", failed.len());
    assert!(failed.is_empty() && passed > 0, "{} files differ", failed.len());
}

#[test]
fn lmeval_fixtures_scorable() {
    let Some(Place { index, .. }) = Place::named() else { return };
    let (mut scorable, mut by_functions, mut refused) = (0, 0, BTreeMap::<String, usize>::new());
    for (name, entry) in index.iter().filter(|(_, entry)| entry.kind == Kind::Task) {
        let members = index.select(name).unwrap_or_default();
        for task in members.iter().flat_map(|member| member.tasks()) {
            match task.scoring(None).map(|_| ()).map_err(|error| error.to_string()) {
                Ok(()) => scorable += 1,
                Err(why) if is_refused(&why) => by_functions += 1,
                Err(why) => {
                    let why = why.split_once(": ").map_or(&*why, |(_, why)| why).to_owned();
                    let place = entry.path.as_deref().map(name_of).unwrap_or_default();
                    *refused.entry(format!("{why} ({place})")).or_default() += 1;
                }
            }
        }
    }
    println!("{scorable} tasks can be scored, {by_functions} need functions");
    for (why, count) in &refused {
        println!("{count}: {why}");
    }
    let others: usize = refused.values().sum();
    assert!(others * 100 < scorable, "{others} tasks are refused for other reasons");
}

/// A folder of vectors with the tasks that they are of.
struct Place {
    name: &'static str,
    vectors: PathBuf,
    index: TaskIndex,
}

impl Place {
    fn new(name: &'static str, vectors: PathBuf, tasks: &Path) -> Self {
        let index = TaskIndex::read(tasks).expect("the folder of tasks is readable");
        Self { name, vectors, index }
    }

    /// Invented tasks, whose vectors lie here.
    fn invented() -> Self {
        let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/lmeval");
        let tasks = vectors.join("tasks");
        Self::new("invented", vectors, &tasks)
    }

    /// lm-eval's own tasks.
    #[expect(clippy::print_stdout, reason = "a test that does not run says so")]
    fn named() -> Option<Self> {
        let folder = |name: &str| env::var_os(name).map(PathBuf::from);
        let (Some(vectors), Some(tasks)) =
            (folder("SURPRISAL_LMEVAL_FIXTURES"), folder("SURPRISAL_TASKS"))
        else {
            println!(
                "skipped: SURPRISAL_LMEVAL_FIXTURES and SURPRISAL_TASKS name what is compared"
            );
            return None;
        };
        Some(Self::new("lmeval", vectors, &tasks))
    }
}

/// Compares every run of every file.
#[expect(clippy::print_stdout, reason = "a test says what it compared")]
fn all_files(what: &str, compared: fn(&Value, &Place) -> Vec<Outcome>) {
    let mut all_failed = 0;
    for place in [Some(Place::invented()), Place::named()].iter().flatten() {
        let Place { name, vectors, .. } = place;
        let mut files: Vec<PathBuf> = fs::read_dir(vectors)
            .expect("the folder of vectors is readable")
            .map(|entry| entry.expect("its entries are readable").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        files.sort();
        let (mut passed, mut failed, mut refused) = (0, 0, 0);
        for path in &files {
            for (run, outcome) in compared(&json_of(path), place) {
                match outcome {
                    Ok(()) => passed += 1,
                    Err(why) if is_refused(&why) => {
                        refused += 1;
                        let why = why.lines().next().unwrap_or_default();
                        println!("{} {run}: refused: {why}", name_of(path));
                    }
                    Err(why) => {
                        failed += 1;
                        println!("{} {run}: {why}", name_of(path));
                    }
                }
            }
        }
        println!("{name}_{what}: {passed} passed, {failed} failed");
        println!("refused by name: {refused}");
        assert!(passed + failed > 10 * refused, "only {passed} runs are compared");
        all_failed += failed;
    }
    assert_eq!(all_failed, 0, "{all_failed} runs differ");
}

/// Whether a function stands against it that is not run, or needs what is not known.
fn is_refused(why: &str) -> bool {
    ["Python, which is not run", "a function cannot use", "cannot be asked here"]
        .iter()
        .any(|refusal| why.contains(refusal))
}

fn json_of(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("vectors are readable");
    serde_json::from_str(&text).expect("vectors are JSON")
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

type Outcome = (String, Result<(), String>);

/// Every run of a file.
fn compared(file: &Value, place: &Place) -> Vec<Outcome> {
    let runs = file["runs"].as_array().map_or(&[][..], Vec::as_slice);
    let name = file["task"].as_str().or(file["group"].as_str()).unwrap_or_default();
    let members = match place.index.select(name) {
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
                outcomes.push((what, check(task, docs_of(file, task), run, &expected["requests"])));
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

/// The rows of a task of a group.
fn docs_of<'f>(file: &'f Value, task: &TaskPlan) -> &'f Value {
    let place = format!(
        "{}|{}",
        task.dataset_path.as_deref().unwrap_or_default(),
        task.dataset_name.as_deref().unwrap_or("None")
    );
    let docs = file["docs"].get(&place).or_else(|| file["docs"].get(&task.name));
    docs.unwrap_or(&Value::Null)
}

fn check(task: &TaskPlan, docs: &Value, run: &Value, expected: &Value) -> Result<(), String> {
    task.check_requests().map_err(|error| error.to_string())?;
    let splits = splits(docs);
    let rows = task.rows(&splits).map_err(|error| error.to_string())?;
    let made = task.requests(&rows, &options(run)).map_err(|error| error.to_string());
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

fn splits(docs: &Value) -> BTreeMap<String, Vec<Row>> {
    let splits = docs.as_object().into_iter().flatten().map(|(split, rows)| {
        let rows = rows.as_array().into_iter().flatten();
        (split.clone(), rows.filter_map(|row| row.as_object().cloned()).collect())
    });
    splits.collect()
}

fn options(run: &Value) -> RequestOptions<'_> {
    let chat = run.get("chat").filter(|chat| !chat.is_null());
    RequestOptions {
        shots: shots(run),
        system_instruction: run["system_instruction"].as_str(),
        chat: chat.map(|chat| Chat {
            write: &|turns, begins_answer| Ok(chatml(turns, begins_answer)),
            is_multiturn: chat["fewshot_as_multiturn"].as_bool().unwrap_or(false),
        }),
        ..RequestOptions::default()
    }
}

fn shots(run: &Value) -> Option<usize> {
    run["num_fewshot"].as_u64().and_then(|shots| usize::try_from(shots).ok())
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

/// Every task of the folder: whether its requests can be built, and else why not. The reasons are counted; with
/// `SURPRISAL_LMEVAL_SURVEY` naming a file, each task is written there with its reason.
#[test]
fn lmeval_survey() {
    let Some(tasks) = env::var_os("SURPRISAL_TASKS").map(PathBuf::from) else {
        println!("skipped: SURPRISAL_TASKS names the folder of tasks");
        return;
    };
    let index = TaskIndex::read(&tasks).expect("the folder of tasks is readable");
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut lines = String::new();
    let (mut read, mut plain, mut by_functions) = (0, [0, 0], [0, 0]);
    for (name, entry) in index.iter() {
        if entry.kind == surprisal::tasks::Kind::Class {
            read += 1;
            *reasons.entry("a class of Python".to_owned()).or_default() += 1;
        }
        if entry.kind != surprisal::tasks::Kind::Task {
            continue;
        }
        read += 1;
        let (has_functions, outcome) = match index.select(name) {
            Ok(members) => {
                match &members.iter().flat_map(|member| member.tasks()).collect::<Vec<_>>()[..] {
                    [task] => (
                        !task.functions.is_empty(),
                        task.check_requests().map_err(|error| error.to_string()),
                    ),
                    _ => (false, Err("no single task".to_owned())),
                }
            }
            Err(error) => (false, Err(error.to_string())),
        };
        let counts = if has_functions { &mut by_functions } else { &mut plain };
        counts[0] += 1;
        match outcome {
            Ok(()) => {
                counts[1] += 1;
                lines.extend([name, "\tbuildable\n"]);
            }
            Err(why) => {
                let first = why.lines().next().unwrap_or("");
                let reason = match first.find("a function cannot use") {
                    Some(at) => &first[at..],
                    None => first.rsplit_once(": ").map_or(first, |(_, last)| last),
                };
                *reasons.entry(reason.to_owned()).or_default() += 1;
                lines.extend([name, "\t", first, "\n"]);
            }
        }
    }
    println!("read: {read}");
    println!("without functions: {}, buildable: {}", plain[0], plain[1]);
    println!("with functions: {}, buildable: {}", by_functions[0], by_functions[1]);
    let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (reason, count) in reasons {
        println!("{count:>6}  {reason}");
    }
    if let Some(path) = env::var_os("SURPRISAL_LMEVAL_SURVEY") {
        fs::write(path, lines).expect("the file of the survey can be written");
    }
}
