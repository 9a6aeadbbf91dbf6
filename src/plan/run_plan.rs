//! What a command line asks for, with every default filled and every name resolved.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{
    AskedTasks, DatasetPlan, ModelPlan, PlanError, RunJudge, TaskChoice, abbr, custom_dataset,
    stage_chains, task_choice::PlannedTasks, variant,
};
use crate::{
    config::{self, ConfigError, Node, Origin, Value, WITHOUT_CONFIG},
    dataset::is_table,
    hub::HubName,
    model::Checkpoint,
    prompt::PromptTemplate,
};

/// Models × data sets.
pub struct RunPlan {
    /// In the order of the configs.
    pub models: Vec<ModelPlan>,
    /// In the order of the configs.
    pub datasets: Vec<DatasetPlan>,
    /// The `summarizer` of the last config that has one.
    pub summarizer: Option<Node>,
    /// Who judges where evaluators ask a judge.
    pub judge: RunJudge,
    /// The tasks of lm-evaluation-harness among the data sets, with their groups.
    pub tasks: Option<AskedTasks>,
}

/// What a plan is made of.
#[derive(Clone, Debug, Default)]
pub struct PlanSources {
    /// Configs and files of rows.
    pub configs: Vec<PathBuf>,
    /// Models that take the place of those of the configs.
    pub models: Vec<PathBuf>,
    /// A dict of what was typed about files of rows, with the fields of a [`CustomDataset`](super::CustomDataset).
    pub about_files: Option<Node>,
    /// Tasks of lm-evaluation-harness.
    pub tasks: Option<TaskChoice>,
    /// A file whose rows are requests themselves.
    pub requests: Option<PathBuf>,
}

impl PlanSources {
    /// What they are called in messages.
    pub fn names(&self) -> String {
        let configs = self.configs.iter().map(|path| path.display().to_string());
        let tasks = self.tasks.iter().flat_map(|tasks| tasks.names.iter().cloned());
        let requests = self.requests.iter().map(|path| path.display().to_string());
        configs.chain(tasks).chain(requests).collect::<Vec<_>>().join(", ")
    }
}

impl RunPlan {
    /// Evaluates configs and understands them together. `models` given on the command line replace those
    /// of the configs.
    pub fn load(configs: &[PathBuf], models: &[PathBuf]) -> Result<Self, PlanError> {
        let (configs, models) = (configs.to_vec(), models.to_vec());
        Self::load_with(&PlanSources { configs, models, ..PlanSources::default() })
    }

    /// The same of everything that plans are made of.
    pub fn load_with(sources: &PlanSources) -> Result<Self, PlanError> {
        let plan = Self::load_to_view(sources)?;
        if plan.models.is_empty() {
            return Err(PlanError::Nothing {
                files: sources.names(),
                what: "model",
                how: if sources.configs.iter().all(|path| is_table(path)) {
                    "name one, as in --model org/name or --model FOLDER"
                } else {
                    "set `models = [dict(type=HuggingFaceCausalLM, path=…)]`, or give --model"
                },
            });
        }
        Ok(plan)
    }

    /// The same, but a plan needs no model: prompts can be looked at without one.
    pub fn load_to_view(sources: &PlanSources) -> Result<Self, PlanError> {
        let PlanSources { configs, models, about_files, tasks, requests } = sources;
        let mut plan = Self {
            models: Vec::new(),
            datasets: Vec::new(),
            summarizer: None,
            judge: RunJudge::default(),
            tasks: None,
        };
        for path in configs {
            if is_table(path) {
                let about = about_files.clone().unwrap_or_else(nothing);
                let (node, assumed) = custom_dataset::entry_of_file(path, &about)?;
                let dataset = DatasetPlan::from_node(&node, Path::new(WITHOUT_CONFIG))?;
                plan.datasets.push(dataset.noted(assumed + PRINTED));
                continue;
            }
            let config = config::load(path)?;
            if models.is_empty() {
                for node in entries(&config, "models")? {
                    plan.models.push(ModelPlan::from_node(&node, path)?);
                }
            }
            for node in dataset_entries(&config)? {
                if custom_dataset::is_custom(&node) {
                    let (node, assumed) = custom_dataset::filled(&node, path)?;
                    let dataset = DatasetPlan::from_node(&node, path)?;
                    plan.datasets.push(dataset.noted(assumed + PRINTED));
                    continue;
                }
                if stage_chains::is_staged(&node) {
                    plan.datasets.extend(stage_chains::plans(&node, path)?);
                    continue;
                }
                for (variant, node) in variant::expanded(node.clone(), &DatasetPlan::name(&node))? {
                    let dataset = DatasetPlan::from_node(&node, path)?;
                    plan.datasets.push(DatasetPlan { variant, ..dataset });
                }
            }
            if let Some(node) = config.get("summarizer") {
                plan.summarizer = Some(node.clone());
            }
            if let Some(judge) = RunJudge::of_config(&config, path)? {
                plan.judge = judge;
            }
        }
        let is_chat = tasks.as_ref().is_some_and(|tasks| tasks.options.apply_chat_template);
        let is_shown = tasks.is_none() && requests.is_none() && plan.shows_media_everywhere();
        for folder in models {
            let class = if is_chat || is_shown { CHAT_CLASS } else { TEXT_CLASS };
            let mut model = ModelPlan::of_class(class, folder)?;
            if is_shown {
                model.notes.push(SHOWN.to_owned());
            }
            plan.models.push(model);
        }
        if let Some(tasks) = tasks {
            let PlannedTasks { datasets, summarizer, asked } = tasks.planned()?;
            plan.tasks = Some(asked);
            plan.datasets.extend(datasets);
            plan.summarizer = plan.summarizer.or(summarizer);
        }
        if let Some(path) = requests {
            let node = requests_entry(path);
            plan.datasets.push(DatasetPlan::from_node(&node, Path::new(WITHOUT_CONFIG))?);
        }
        plan.check(sources)?;
        Ok(plan)
    }

    /// Whether every data set shows or plays something, which only a model that is given messages takes.
    fn shows_media_everywhere(&self) -> bool {
        let shows = |dataset: &DatasetPlan| {
            dataset.assembly.prompt_template().is_some_and(PromptTemplate::shows_media)
        };
        !self.datasets.is_empty() && self.datasets.iter().all(shows)
    }

    /// The models, data sets and summarizer as a config that makes the same plan.
    pub fn dump(&self) -> String {
        let list = |nodes: Vec<Node>| Node::new(Value::List(nodes), Origin::memory());
        let models = list(self.models.iter().map(|model| model.node.clone()).collect());
        let mut datasets: Vec<Node> = Vec::new();
        for dataset in &self.datasets {
            match &dataset.stage {
                // One entry makes them all.
                Some(stage) if datasets.contains(&stage.entry) => {}
                Some(stage) => datasets.push(stage.entry.clone()),
                None => datasets.push(dataset.node.clone()),
            }
        }
        let datasets = list(datasets);
        let mut variables = vec![("datasets".to_owned(), datasets), ("models".to_owned(), models)];
        variables.extend(self.summarizer.clone().map(|node| ("summarizer".to_owned(), node)));
        let judge = self.judge.node().map(|node| list(vec![node.clone()]));
        variables.extend(judge.map(|node| ("judge_models".to_owned(), node)));
        config::Config { variables, files: Vec::new() }.to_python()
    }

    /// The models that judge, each once.
    pub fn judges(&self) -> Vec<&ModelPlan> {
        let mut judges: Vec<&ModelPlan> = Vec::new();
        for judge in self.datasets.iter().filter_map(|dataset| self.judge.of(dataset)) {
            if !judges.iter().any(|known| known.node == judge.node) {
                judges.push(judge);
            }
        }
        judges
    }

    fn check(&self, sources: &PlanSources) -> Result<(), PlanError> {
        if self.datasets.is_empty() {
            return Err(PlanError::Nothing {
                files: sources.names(),
                what: "data set",
                how: "set `datasets = [dict(path=…, reader_cfg=…, infer_cfg=…, eval_cfg=…)]`",
            });
        }
        abbr::check("model", self.models.iter().map(|model| (&*model.abbr, &model.node)))?;
        let datasets = self.datasets.iter().map(|dataset| (&*dataset.abbr, &dataset.node));
        abbr::check("data set", datasets)
    }
}

/// Said behind what was taken for granted of a file.
const PRINTED: &str =
    "; --print-config shows the config this stands for, init writes it with comments";

/// A dict that says nothing.
fn nothing() -> Node {
    Node::new(Value::Dict(Vec::new()), Origin::memory())
}

/// The entries of a list variable; none if the config does not set it.
pub(super) fn entries(config: &config::Config, name: &str) -> Result<Vec<Node>, PlanError> {
    match config.get(name) {
        None => Ok(Vec::new()),
        Some(node) => match node.as_list() {
            Some(nodes) => Ok(nodes.to_vec()),
            None => Err(ConfigError::at(
                &node.origin,
                format!("`{name}` must be a list, found {}", node.describe()),
            )
            .into()),
        },
    }
}

/// The entry of a file whose rows are requests.
fn requests_entry(path: &Path) -> Node {
    let mut node = Node::from_json(&json!({
        "abbr": "requests",
        "path": path,
        "reader_cfg": {"input_columns": []},
        "infer_cfg": {
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "GivenRequest"},
        },
    }));
    node.origin = Origin { file: path.into(), line: 0 };
    node
}

/// `datasets`, or without it every variable whose name ends in `_datasets`.
pub(super) fn dataset_entries(config: &config::Config) -> Result<Vec<Node>, PlanError> {
    if config.get("datasets").is_some() {
        return entries(config, "datasets");
    }
    let mut found = Vec::new();
    for (name, _) in config.variables.iter().filter(|(name, _)| name.ends_with("_datasets")) {
        found.extend(entries(config, name)?);
    }
    Ok(found)
}

/// What is told of a model that a command names where data sets show images.
const SHOWN: &str = "is given messages, through the checkpoint's chat template, because the data sets show images, videos or sounds";

/// The class of a model that is given text.
pub(super) const TEXT_CLASS: &str = "HuggingFaceCausalLM";

/// The class of a model that is given messages.
pub(super) const CHAT_CLASS: &str = "HuggingFacewithChatTemplate";

/// The entry that `--model` with a folder or a GGUF file stands for.
pub(super) fn model_of_folder(class: &str, folder: &Path) -> Node {
    let path = folder.display().to_string();
    let on_hub = HubName::unless_here(&path).filter(|name| name.file.is_none());
    let name = if Checkpoint::is_gguf(folder) { folder.file_stem() } else { folder.file_name() };
    let name = match (on_hub, name) {
        // The revision is part of the name, and may have slashes of its own.
        (Some(on_hub), _) => {
            let whole = on_hub.to_string();
            whole.split_once('/').map_or(&*whole, |(_, name)| name).replace('/', "_")
        }
        (None, Some(name)) => name.to_string_lossy().into_owned(),
        (None, None) => path.clone(),
    };
    // The folder is what messages have to name: there is no config that says anything of it.
    let origin = Origin { file: folder.into(), line: 0 };
    let mut node = Node::new(Value::Dict(Vec::new()), origin.clone());
    let text = |text: &str| Node::new(Value::Str(text.to_owned()), origin.clone());
    node.set("type", text(class));
    node.set("abbr", text(&name));
    node.set("path", text(&path));
    node
}
