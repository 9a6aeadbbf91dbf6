//! `results_….json`: the figures of a run, its tasks' settings, and what is known of the run itself.

use indexmap::IndexMap;

use super::folder_name;
use crate::tasks::{
    ScoredTask, TaskResults,
    json::to_json,
    results::Reported,
    scored::{ScoredSample, TaskFigure},
    scoring::hash,
    value::TaskValue,
};

/// What is said of a run beside its figures.
#[derive(Clone, Debug, Default)]
pub struct RunFacts<'a> {
    /// The settings of each task, by name: [`crate::tasks::TaskPlan::config`].
    pub task_configs: IndexMap<String, TaskValue>,
    /// The model and how it was run, in lm-eval's order: `model`, `model_args`, `batch_size` and so on.
    pub config: IndexMap<String, TaskValue>,
    /// The revision of the program.
    pub git_hash: Option<&'a str>,
    /// When the run began, in seconds since 1970.
    pub date: f64,
    /// What is said of the surroundings and of the tokenizer, by lm-eval's names.
    pub environment: IndexMap<String, TaskValue>,
    /// What kind of model it is, such as `hf`.
    pub model_source: &'a str,
    /// The model's name.
    pub model_name: &'a str,
    /// What stood before everything.
    pub system_instruction: Option<&'a str>,
    /// Whether examples were messages of their own.
    pub is_multiturn: bool,
    /// The chat template that was used.
    pub chat_template: Option<&'a str>,
    /// How long the run took.
    pub total_seconds: f64,
}

/// The file.
pub fn results_file(results: &TaskResults, scored: &[ScoredTask], run: &RunFacts<'_>) -> String {
    to_json(&results_value(results, scored, run), Some(2))
}

/// What is in the file.
pub fn results_value(
    results: &TaskResults,
    scored: &[ScoredTask],
    run: &RunFacts<'_>,
) -> TaskValue {
    let reported = results.reported.iter().map(|(name, own)| (name.clone(), figures(name, own)));
    let groups = results.reported.iter().filter(|(_, own)| own.is_group && own.documents.is_some());
    let groups: IndexMap<String, TaskValue> =
        groups.map(|(name, own)| (name.clone(), figures(name, own))).collect();
    let texts =
        |texts: &[String]| TaskValue::List(texts.iter().cloned().map(TaskValue::Text).collect());
    let members = results.members.iter().map(|(name, members)| (name.clone(), texts(members)));
    let shots =
        results.shots.iter().map(|(name, shots)| (name.clone(), TaskValue::Whole(*shots as i128)));
    let higher = results.higher_is_better.iter();
    let higher = higher.map(|(name, higher)| (name.clone(), TaskValue::Mapping(higher.clone())));
    let documents = results.documents.iter().map(|(name, (all, scored))| {
        let counts = [("original", *all), ("effective", *scored)];
        let counts = counts.map(|(key, count)| (key.to_owned(), TaskValue::Whole(count as i128)));
        (name.clone(), TaskValue::Mapping(counts.into()))
    });
    let mut configs = run.task_configs.clone();
    configs.sort_keys();
    let versions = results.versions.clone().into_iter().collect();
    let mut file: IndexMap<String, TaskValue> = IndexMap::new();
    let mut add = |key: &str, value: TaskValue| file.insert(key.to_owned(), value);
    add("results", TaskValue::Mapping(reported.collect()));
    if !groups.is_empty() {
        add("groups", TaskValue::Mapping(groups));
    }
    add("group_subtasks", TaskValue::Mapping(members.collect()));
    add("configs", TaskValue::Mapping(configs));
    add("versions", TaskValue::Mapping(versions));
    add("n-shot", TaskValue::Mapping(shots.collect()));
    add("higher_is_better", TaskValue::Mapping(higher.collect()));
    add("n-samples", TaskValue::Mapping(documents.collect()));
    add("config", TaskValue::Mapping(run.config.clone()));
    add("git_hash", text(run.git_hash));
    add("date", TaskValue::Float(run.date));
    for (key, value) in &run.environment {
        add(key, value.clone());
    }
    let hashes = scored.iter().map(|task| (task.name.clone(), task_hash(&task.samples)));
    add("task_hashes", TaskValue::Mapping(hashes.collect()));
    add("model_source", run.model_source.into());
    add("model_name", run.model_name.into());
    add("model_name_sanitized", TaskValue::Text(folder_name(run.model_name)));
    // An empty text has no hash.
    let hashed = |text: Option<&str>| match text.filter(|text| !text.is_empty()) {
        Some(text) => TaskValue::Text(hash(text)),
        None => TaskValue::None,
    };
    add("system_instruction", text(run.system_instruction));
    add("system_instruction_sha", hashed(run.system_instruction));
    add("fewshot_as_multiturn", TaskValue::Truth(run.is_multiturn));
    add("chat_template", text(run.chat_template));
    add("chat_template_sha", hashed(run.chat_template));
    let seconds = TaskValue::Float(run.total_seconds).python_str();
    add("total_evaluation_time_seconds", TaskValue::Text(seconds));
    TaskValue::Mapping(file)
}

fn text(text: Option<&str>) -> TaskValue {
    text.map_or(TaskValue::None, TaskValue::from)
}

/// The hash of all documents, prompts and targets.
fn task_hash(samples: &[ScoredSample]) -> TaskValue {
    let hashes = samples
        .iter()
        .flat_map(|sample| [&*sample.document_hash, &*sample.prompt_hash, &*sample.target_hash]);
    TaskValue::Text(hash(&hashes.collect::<String>()))
}

/// The figures of a task or a group; `N/A` stands for an error that it does not have.
fn figures(name: &str, reported: &Reported) -> TaskValue {
    let Reported { alias, documents, figures, is_group } = reported;
    let named = [("name", name), ("alias", &**alias)];
    let mut own: IndexMap<String, TaskValue> = IndexMap::new();
    let ordered: Vec<_> =
        if *is_group { named.into_iter().rev().collect() } else { named.to_vec() };
    own.extend(ordered.into_iter().map(|(key, value)| (key.to_owned(), value.into())));
    if let Some(documents) = documents {
        own.insert("sample_len".to_owned(), TaskValue::Whole(*documents as i128));
    }
    for TaskFigure { metric, filter, value, standard_error, .. } in figures {
        own.insert(format!("{metric},{filter}"), value.clone());
        let error = standard_error.map_or_else(|| "N/A".into(), TaskValue::Float);
        own.insert(format!("{metric}_stderr,{filter}"), error);
    }
    if *is_group && !figures.is_empty() {
        let counts = figures.iter().map(|figure| {
            let key = format!("{},{}", figure.metric, figure.filter);
            (key, TaskValue::Whole(figure.documents as i128))
        });
        own.insert("sample_count".to_owned(), TaskValue::Mapping(counts.collect()));
    }
    TaskValue::Mapping(own)
}
