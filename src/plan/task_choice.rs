//! Tasks of lm-evaluation-harness as data sets of a plan: `--tasks mmlu,arc_easy`.
//!
//! A task becomes an entry like that of a config: where its rows are, what is asked of them, how answers are scored. Each
//! part holds the task itself, so that what a run keeps can be scored again without the task files. Groups become groups of
//! the summary. The rows are found as `datasets.load_dataset` finds them.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value as Json, json};

use super::{DatasetPlan, EvaluationPlan, PlanError, RepeatsPlan, row_source::RowSource};
use crate::{
    config::{Component, ConfigError, Node, Origin, WITHOUT_CONFIG},
    dataset::{Reader, ReaderConfig},
    infer::{Inferencer, LmEvalInferencer, TaskOptions},
    prompt::PromptAssembly,
    report::prompt_version,
    retrieve,
    tasks::{ANSWER_COLUMN, Group, Member, TaskIndex, TaskPlan, tasks_folder},
};

/// What was typed about tasks.
#[derive(Clone, Debug, Default)]
pub struct TaskChoice {
    /// Names of tasks, groups and tags, patterns of them, and task files.
    pub names: Vec<String>,
    /// The folder of task files; found where lm-eval is installed without it.
    pub folder: Option<PathBuf>,
    /// How they are asked.
    pub options: TaskOptions,
}

/// Tasks, understood.
pub(super) struct PlannedTasks {
    /// A data set for each task.
    pub(super) datasets: Vec<DatasetPlan>,
    /// Groups of them, as the `summarizer` of a config.
    pub(super) summarizer: Option<Node>,
    /// What was asked for.
    pub(super) asked: AskedTasks,
}

/// The tasks and groups that were asked for.
#[derive(Debug)]
pub struct AskedTasks {
    /// In their order.
    pub members: Vec<Member>,
    /// The folder of task files.
    pub folder: PathBuf,
    /// How they are asked.
    pub options: TaskOptions,
}

/// What `datasets.load_dataset` takes that changes no row here.
const IDLE: &[&str] = &[
    "cache_dir",
    "download_mode",
    "keep_in_memory",
    "num_proc",
    "save_infos",
    "streaming",
    "trust_remote_code",
    "verification_mode",
];

/// What it takes that says where rows are.
const OF_PLACE: &[&str] = &["data_dir", "data_files", "revision"];

impl TaskChoice {
    /// The tasks as data sets.
    pub(super) fn planned(&self) -> Result<PlannedTasks, PlanError> {
        let folder = tasks_folder(self.folder.as_deref())?;
        let index = TaskIndex::read(&folder)?;
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut datasets = Vec::new();
        let mut groups = Vec::new();
        let mut members = Vec::new();
        for name in index.meant(&self.names)? {
            for member in index.select(&name)? {
                add_groups(&member, &mut groups);
                for task in member.tasks() {
                    // A task that several names mean is asked once.
                    if seen.insert(task.name.clone()) {
                        datasets.push(DatasetPlan::of_task(task, &folder, &self.options)?);
                    }
                }
                members.push(member);
            }
        }
        let summarizer = (!groups.is_empty()).then(|| {
            Node::from_json(&json!({"type": "DefaultSummarizer", "summary_groups": groups}))
        });
        let options = self.options.clone();
        Ok(PlannedTasks { datasets, summarizer, asked: AskedTasks { members, folder, options } })
    }
}

/// The groups within a member, inner ones first: a group of the summary stands behind those that it holds.
fn add_groups(member: &Member, groups: &mut Vec<Json>) {
    let Member::Group(Group { name, members, .. }) = member else { return };
    let mut subsets = Vec::new();
    for member in members {
        add_groups(member, groups);
        match member {
            Member::Task(task) => subsets.push(task.name.clone()),
            Member::Group(group) => subsets.push(group.name.clone()),
        }
    }
    groups.push(json!({"name": name, "subsets": subsets}));
}

impl DatasetPlan {
    /// A task as a data set.
    fn of_task(task: &TaskPlan, folder: &Path, options: &TaskOptions) -> Result<Self, PlanError> {
        task.check_requests()?;
        let typed = json!({
            "num_fewshot": options.num_fewshot,
            "fewshot_seed": options.fewshot_seed,
            "system_instruction": options.system_instruction,
            "apply_chat_template": options.apply_chat_template,
            "fewshot_as_multiturn": options.fewshot_as_multiturn,
        });
        let (place, mut notes) = place(task)?;
        let node = Node::from_json(&json!({
            "abbr": task.name,
            "infer_cfg": {"inferencer": {"type": "LmEvalTask", "task": task.fields, "options": typed}},
            "eval_cfg": {"evaluator": {
                "type": "LmEvalTask", "task": task.fields, "num_fewshot": options.num_fewshot,
                "folder": folder, "functions": task.function_digests(folder),
            }},
        }));
        let of_task = |error: ConfigError| error.under(format!("task {}", task.name));
        let RowSource { location, table, notes: of_rows, .. } =
            RowSource::of_place(&place, WITHOUT_CONFIG.as_ref(), None, Vec::new())
                .map_err(of_task)?;
        notes.extend(of_rows);
        let (evaluation, of_evaluation) = EvaluationPlan::from_node(node.get("eval_cfg"))?;
        notes.extend(of_evaluation);
        let plan = Arc::new(task.clone());
        let inferencer = LmEvalInferencer::new(plan.clone(), options.clone());
        let zero = Component::parse(&Node::from_json(&json!({"type": "ZeroRetriever"})))?;
        Ok(Self {
            abbr: task.name.clone(),
            variant: None,
            stage: None,
            location,
            table,
            draw: None,
            reader: Reader::new(ReaderConfig::of_columns(
                Vec::new(),
                Some(ANSWER_COLUMN.to_owned()),
            )),
            retriever: retrieve::build(&zero)?,
            assembly: PromptAssembly::without_templates(),
            mode: inferencer.summary_mode(),
            inferencer: Box::new(inferencer),
            repeats: RepeatsPlan::default(),
            evaluation,
            comparison: None,
            judge: None,
            version: node.get("infer_cfg").map(prompt_version).unwrap_or_default(),
            notes,
            task: Some(plan),
            node,
        })
    }
}

/// Where the rows of a task are, as the fields of an entry, and what is told of them.
fn place(task: &TaskPlan) -> Result<(Node, Vec<String>), PlanError> {
    let refused = |what: String, hint: &str| {
        let what = format!("task {}: {what}", task.name);
        ConfigError::at(&Origin::memory(), what).with_hint(hint)
    };
    let Some(path) = &task.dataset_path else {
        let what = "it names no dataset_path; its rows are made by a function of Python".to_owned();
        return Err(refused(what, "leave it out").into());
    };
    let mut fields = Map::from_iter([("path".to_owned(), json!(path))]);
    fields.extend(task.dataset_name.as_ref().map(|name| ("name".to_owned(), json!(name))));
    let mut notes = Vec::new();
    for (name, value) in task.dataset_kwargs.iter().filter(|(_, value)| !value.is_null()) {
        if OF_PLACE.contains(&name.as_str()) {
            fields.insert(name.clone(), value.clone());
        } else if !IDLE.contains(&name.as_str()) {
            let what = format!("dataset_kwargs: {name} is not known");
            return Err(refused(what, "data_dir, data_files and revision are").into());
        } else if name == "trust_remote_code" {
            notes.push("the code of a data set is never run".to_owned());
        }
    }
    Ok((Node::from_json(&Json::Object(fields)), notes))
}
